"""LineLedger: the states that the records of a journal add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.transfer.importing.line_states import AddedLine, UnknownLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineState

INTERRUPTED: Final = "the import ended while this was being sent"
POWER_CUT: Final = "the computer shut down while this was being sent, or shortly before"


class LineLedger:
    """The states of lines, changed record by record.

    Each method is a kind of record. KeyError: a record that is impossible at this point.
    """

    def __init__(self) -> None:
        self.states: dict[LineKey, LineState] = {}
        self.again_count = 0  # how often ``--again`` was given
        self.is_again = False  # whether such an import is unfinished
        self._since = 0
        self._after_id: int | None = None
        self._planned: set[LineKey] = set()  # and not sent yet, or not sent after all
        # The previous states of lines that are being sent.
        self._before: dict[LineKey, LineState | None] = {}

    @property
    def outstanding(self) -> int:
        """How many lines are planned or being sent."""
        return len(self._planned) + len(self._before)

    @property
    def added_ids(self) -> frozenset[int]:
        """The animals that lines became."""
        states = self.states.values()
        return frozenset(state.pet_id for state in states if isinstance(state, AddedLine))

    def is_current(self, state: LineState) -> bool:
        """Whether a line was added by the unfinished import with ``--again``."""
        return isinstance(state, AddedLine) and self.is_again and state.again == self.again_count

    def begin(self, since: int, after_id: int | None) -> None:
        """Record the start of an import, and the highest id before it."""
        self._since = since
        self._after_id = after_id

    def begin_again(self) -> None:
        """Record that added lines are sent again."""
        self.again_count += 1
        self.is_again = True

    def end_again(self) -> None:
        """Record that all of them were sent."""
        self.is_again = False

    def plan(self, keys: Iterable[LineKey]) -> None:
        """Record lines that may be sent from now on."""
        self._planned.update(keys)

    def end_plan(self) -> None:
        """Record that planned lines will not be sent."""
        self._planned.clear()

    def send(self, key: LineKey) -> None:
        """Record that a planned line is being sent: unknown until there is an outcome."""
        self._planned.remove(key)
        self._before[key] = self.states.get(key)
        self.states[key] = self._unknown(INTERRUPTED)

    def added(self, key: LineKey, pet_id: int) -> None:
        """Record the animal that a line became."""
        self._before.pop(key, None)
        self.states[key] = AddedLine(pet_id, self.again_count)

    def refused(self, key: LineKey) -> None:
        """Record that a line was refused: its previous state is restored."""
        before = self._before.pop(key)
        if before is None:
            del self.states[key]
        else:
            self.states[key] = before

    def postponed(self, key: LineKey) -> None:
        """Record that a line was surely not sent, and will be sent later."""
        self.refused(key)
        self._planned.add(key)

    def lost(self, key: LineKey, reason: str) -> None:
        """Record why the outcome of a line is unknown."""
        del self._before[key]
        self.states[key] = self._unknown(reason)

    def known(self, key: LineKey, state: LineState) -> None:
        """Record the known state of a line from before."""
        self.states[key] = state

    def lose_planned(self) -> None:
        """Make planned lines unknown: records after the plan may be lost."""
        for key in self._planned:
            self.states[key] = self._unknown(POWER_CUT)
        self.end_plan()

    def _unknown(self, reason: str) -> UnknownLine:
        return UnknownLine(self._since, self._after_id, reason)
