"""LineLedger: what the records of a journal add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.transfer.importing.line_states import AddedLine, UnknownLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineState

CUT_OFF: Final = "pettui exited while this was being sent"
POWER_CUT: Final = "the computer shut down while this was being sent, or shortly before"


class LineLedger:
    """The states of lines, changed by one record after the other.

    Each method is one kind of record. KeyError: a record that cannot come where it came.
    """

    def __init__(self) -> None:
        self.states: dict[LineKey, LineState] = {}
        self.again_count = 0  # how often ``--again`` was said
        self.is_again = False  # and its import has not come to its end
        self._since = 0
        self._after_id: int | None = None
        self._planned: set[LineKey] = set()  # and not sent yet, or not sent in the end
        self._before: dict[LineKey, LineState | None] = {}  # of what is being sent

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
        """Whether a line was added since ``--again`` was said, if its import is not at its end."""
        return isinstance(state, AddedLine) and self.is_again and state.again == self.again_count

    def begin(self, since: int, after_id: int | None) -> None:
        """Note when an import begins, and the newest animal that is there before."""
        self._since = since
        self._after_id = after_id

    def begin_again(self) -> None:
        """Note that added lines are sent once more."""
        self.again_count += 1
        self.is_again = True

    def end_again(self) -> None:
        """Note that all of them were."""
        self.is_again = False

    def plan(self, keys: Iterable[LineKey]) -> None:
        """Note lines that may be sent from now on."""
        self._planned.update(keys)

    def end_plan(self) -> None:
        """Note that what was planned and is not out will not be sent."""
        self._planned.clear()

    def send(self, key: LineKey) -> None:
        """Note that a planned line may be out from now on: unknown until something is known."""
        self._planned.remove(key)
        self._before[key] = self.states.get(key)
        self.states[key] = self._unknown(CUT_OFF)

    def added(self, key: LineKey, pet_id: int) -> None:
        """Note which animal a line became."""
        self._before.pop(key, None)
        self.states[key] = AddedLine(pet_id, self.again_count)

    def refused(self, key: LineKey) -> None:
        """Note that a line that was sent was not taken: what was known before holds."""
        before = self._before.pop(key)
        if before is None:
            del self.states[key]
        else:
            self.states[key] = before

    def postponed(self, key: LineKey) -> None:
        """Note that a line surely did not go out, and will be sent later."""
        self.refused(key)
        self._planned.add(key)

    def lost(self, key: LineKey, reason: str) -> None:
        """Note why it is not known what became of a line."""
        del self._before[key]
        self.states[key] = self._unknown(reason)

    def kept(self, key: LineKey, state: LineState) -> None:
        """Take over what was known of a line before."""
        self.states[key] = state

    def lose_planned(self) -> None:
        """Take what was planned for sent: what was written after the plan may be lost."""
        for key in self._planned:
            self.states[key] = self._unknown(POWER_CUT)
        self.end_plan()

    def _unknown(self, reason: str) -> UnknownLine:
        return UnknownLine(self._since, self._after_id, reason)
