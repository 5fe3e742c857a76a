"""PromptNote: what is said of the text in a line to type in, and what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.keys.available_actions import hints
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.text_runs import Fact, Run, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KEYS = "{submit_line} Take  {close_line} Close"


class PromptNote(LineWidget):
    """What came of the text so far, and what to press; at the right of the field.

    Where there is no room for all, the hints of keys stay longest, the first one most of all; what
    stands alone is cut. Its width is that of its place: a letter lays nothing out.
    """

    fact: reactive[Fact] = reactive(("", ""))
    keys: reactive[str] = reactive(KEYS)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        room = width - 1
        rows = [row for row in self._rows() if row] or [[]]
        row = next((row for row in rows if width_of(row) <= room), None)
        row = cut_runs(self.look, rows[-1], room) if row is None else row
        return [[(" " * max(width - width_of(row), 0), ""), *row]]

    def _rows(self) -> Iterable[list[Run]]:
        """Yield the row with all that there is to tell, and then with less and less of it."""
        keys = [(hint, "key") for hint in hints(self.keys, self.screen)]
        text, style, *short = self.fact
        facts: list[list[Run]] = [[(each, style)] for each in (text, *short) if each]
        yield from (self._joined([*fact, *keys]) for fact in facts)
        yield from (self._joined([*fact, *keys[:1]]) for fact in facts[-1:])
        yield self._joined(keys)
        yield self._joined(keys[:1] or [run for fact in facts[-1:] for run in fact])

    def _joined(self, runs: Sequence[Run]) -> list[Run]:
        separator: Run = (f" {self.look.dot} ", "muted")
        return [each for run in runs for each in (separator, run)][1:]
