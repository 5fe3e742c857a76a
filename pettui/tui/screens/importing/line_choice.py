"""LineChoice: which lines of a file are sent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pettui.transfer.importing.import_duplicates import DuplicateChoice
from pettui.transfer.importing.import_plan import ImportOptions, import_plan
from pettui.transfer.importing.line_keys import numbered_lines
from pettui.transfer.importing.line_states import OutcomeKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.transfer.importing.import_duplicates import ImportDuplicates
    from pettui.transfer.importing.import_preview import ImportPreview
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.reading.import_lines import GoodLine, Position


class LineChoice:
    """Every line without an outcome, unless the clerk leaves some out or adds others."""

    def __init__(self, journal: Journal, preview: ImportPreview) -> None:
        """Choose every line that the journal has no outcome of."""
        self.options = ImportOptions()
        self.leaves_out_bad = False
        self.duplicate_choice = DuplicateChoice.UNDECIDED
        self.has_duplicates = False  # among the lines not added yet
        self.duplicates: ImportDuplicates | None = None  # once they are known
        self.count = 0  # lines that would be sent now
        self.numbered = numbered_lines(preview.lines)  # all lines, with their keys
        self._journal = journal
        self._preview = preview
        self._searched: set[Position] = set()  # the lines that were compared with the list
        self.choose(self.options)

    def choose(self, options: ImportOptions) -> None:
        """Choose by the outcomes that the journal has now."""
        self.options = options
        plan = import_plan(self._journal, self.numbered, options)
        self.candidates = plan.to_send  # with the duplicates that are left out
        added = {each.line.position for each in plan.outcomes if _was_added(each)}
        # Those added before are in the list for sure: their own key has decided about them.
        self.to_compare = tuple(each for each in plan.to_send if each.position not in added)
        # The list may have an unknown line since it was compared.
        self._searched -= {each.line.position for each in plan.outcomes if _is_unknown(each)}
        self.outcomes = plan.outcomes  # of all lines, by the journal
        self._counts = Counter(outcome.kind for outcome in plan.outcomes)
        self._count_lines()

    def choose_duplicates(self, choice: DuplicateChoice) -> None:
        """Leave duplicates out, send them too, or send nothing while there are any."""
        self.duplicate_choice = choice
        self._count_lines()

    def duplicates_found(self, duplicates: ImportDuplicates) -> None:
        """Remember the duplicates among ``to_compare``; whether new ones are sent is open."""
        known = self.duplicates.names if self.duplicates is not None else {}
        is_sent = self.duplicate_choice is DuplicateChoice.SENT
        if is_sent and not duplicates.names.keys() <= known.keys():
            self.duplicate_choice = DuplicateChoice.UNDECIDED
        self.duplicates = duplicates
        self._searched.update(line.position for line in self.to_compare)
        self._count_lines()

    @property
    def knows_duplicates(self) -> bool:
        """Whether all lines to send were compared with each other and the list."""
        return all(line.position in self._searched for line in self.to_compare)

    @property
    def duplicates_to_send(self) -> int:
        """How many of the lines to send are duplicates."""
        return sum(map(self._is_duplicate, self.candidates))

    @property
    def to_send(self) -> list[GoodLine]:
        """The lines that would be sent now."""
        return [line for line in self.candidates if not self._is_left_out(line)]

    def _count_lines(self) -> None:
        """Count the lines to send once: each key needs it, and a file may be long."""
        self.count = len(self.to_send)
        self.has_duplicates = any(map(self._is_duplicate, self.candidates))

    def _is_left_out(self, line: GoodLine) -> bool:
        return self.duplicate_choice is DuplicateChoice.LEFT_OUT and self._is_duplicate(line)

    def _is_duplicate(self, line: GoodLine) -> bool:
        return self.duplicates is not None and line.position in self.duplicates.names

    @property
    def can_leave_out_bad(self) -> bool:
        """Whether bad lines are in the way of others."""
        return bool(self._preview.bad_lines and self.candidates)

    @property
    def is_held_by_duplicates(self) -> bool:
        """Whether nothing is sent until it is decided about duplicates."""
        return self.has_duplicates and self.duplicate_choice is DuplicateChoice.UNDECIDED

    @property
    def is_held(self) -> bool:
        """Whether nothing is sent, because of bad lines or of duplicates."""
        is_held_by_bad = bool(self._preview.bad_lines) and not self.leaves_out_bad
        return is_held_by_bad or self.is_held_by_duplicates

    def count_of(self, kind: OutcomeKind) -> int:
        """Return how many lines have this outcome by the journal, before they are sent."""
        return self._counts[kind]

    def without_duplicates(self) -> list[tuple[LineKey, GoodLine]]:
        """Return the lines of the file but for duplicates that are left out, with their keys."""
        return [(key, line) for key, line in self.numbered if not self._is_left_out(line)]

    def left_out(self) -> Iterator[GoodLine]:
        """Yield the duplicates that are left out."""
        return filter(self._is_left_out, self._preview.lines)


def _was_added(outcome: LineOutcome) -> bool:
    return outcome.kind is OutcomeKind.ADDED_EARLIER


def _is_unknown(outcome: LineOutcome) -> bool:
    return outcome.kind is OutcomeKind.UNKNOWN
