"""LineChoice: which lines of a file are sent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pettui.transfer.importing.import_plan import ImportOptions, import_plan
from pettui.transfer.importing.line_keys import numbered_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.transfer.importing.import_duplicates import ImportDuplicates
    from pettui.transfer.importing.import_preview import ImportPreview
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import OutcomeKind
    from pettui.transfer.reading.import_lines import GoodLine


class LineChoice:
    """Every line without an outcome, unless the clerk leaves some out or adds others."""

    def __init__(self, journal: Journal, preview: ImportPreview) -> None:
        """Choose every line that the journal has no outcome of."""
        self.options = ImportOptions()
        self.leaves_out_bad = False
        self.leaves_out_duplicates = False
        self.can_leave_out_duplicates = False  # there are some among the lines not added yet
        self.duplicates: ImportDuplicates | None = None  # once they are known
        self.count = 0  # lines that would be sent now
        self.numbered = numbered_lines(preview.lines)  # all lines, with their keys
        self._journal = journal
        self._preview = preview
        self._searched: tuple[GoodLine, ...] = ()  # the lines whose duplicates are known
        self.choose(self.options)

    def choose(self, options: ImportOptions) -> None:
        """Choose by the outcomes that the journal has now."""
        self.options = options
        plan = import_plan(self._journal, self.numbered, options)
        self.candidates = plan.to_send  # with the duplicates that are left out
        self.outcomes = plan.outcomes  # of all lines, by the journal
        self._counts = Counter(outcome.kind for outcome in plan.outcomes)
        self._count_lines()

    def leave_out_duplicates(self, *, are_left_out: bool) -> None:
        """Leave duplicates out, or send them too."""
        self.leaves_out_duplicates = are_left_out
        self._count_lines()

    def duplicates_found(self, duplicates: ImportDuplicates, among: tuple[GoodLine, ...]) -> None:
        """Remember the duplicates among some candidates."""
        self.duplicates, self._searched = duplicates, among
        self._count_lines()

    @property
    def knows_duplicates(self) -> bool:
        """Whether duplicates were looked for among all candidates."""
        return self._searched == self.candidates

    def _count_lines(self) -> None:
        """Count the lines to send once: each key needs it, and a file may be long."""
        self.count = sum(not self._is_left_out(line) for line in self.candidates)
        self.can_leave_out_duplicates = any(map(self._is_duplicate, self.candidates))

    def _is_left_out(self, line: GoodLine) -> bool:
        return self.leaves_out_duplicates and self._is_duplicate(line)

    def _is_duplicate(self, line: GoodLine) -> bool:
        return self.duplicates is not None and line.position in self.duplicates.names

    @property
    def can_leave_out_bad(self) -> bool:
        """Whether bad lines are in the way of others."""
        return bool(self._preview.bad_lines and self.candidates)

    @property
    def is_blocked_by_bad_lines(self) -> bool:
        """Whether bad lines prevent sending."""
        return bool(self._preview.bad_lines) and not self.leaves_out_bad

    def count_of(self, kind: OutcomeKind) -> int:
        """Return how many lines have this outcome by the journal, before they are sent."""
        return self._counts[kind]

    def without_duplicates(self) -> list[tuple[LineKey, GoodLine]]:
        """Return the lines of the file but for duplicates that are left out, with their keys."""
        return [(key, line) for key, line in self.numbered if not self._is_left_out(line)]

    def left_out(self) -> Iterator[GoodLine]:
        """Yield the duplicates that are left out."""
        return filter(self._is_left_out, self._preview.lines)
