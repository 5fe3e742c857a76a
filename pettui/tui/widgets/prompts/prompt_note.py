"""PromptNote: what is said of the text in a line to type in, and what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.keys.available_actions import hints
from pettui.tui.widgets.bars.error_banner import WHOLE_TEXT
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.text_runs import Fact, Run, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.tui.wording.text_runs import Section

KEYS = "{submit_line} Take  {close_line} Close"
MARGIN = 1  # cells between the field and what stands beside it


class PromptNote(LineWidget):
    """What came of the text so far, and what to press; at the right of the field.

    Where there is no room for all, the hints of keys stay longest, the first one most of all; what
    stands alone is cut. Its width is that of its place: a letter lays nothing out.
    """

    fact: reactive[Fact] = reactive(("", ""))
    keys: reactive[str] = reactive(KEYS)
    whole = ""  # of the fact, raw, to be looked at where it has no room; "" for nothing more

    def cut_sections(self) -> list[Section]:
        """Return the whole of what is said, where it does not stand there."""
        title = "Reason" if self.fact[1] == "error" else "Choices"
        return [(title, self.whole)] if self._is_cut(self.drawn_width) else []

    def _is_cut(self, width: int) -> bool:
        """Whether there is more to be looked at than stands there."""
        return bool(self.whole) and width_of([self.fact[:2]]) > width - MARGIN

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        row = self._cut_row(width - MARGIN) if self._is_cut(width) else self._row(width - MARGIN)
        return [[(" " * max(width - width_of(row), 0), ""), *row]]

    def _row(self, room: int) -> list[Run]:
        rows = [row for row in self._rows() if row] or [[]]
        row = next((row for row in rows if width_of(row) <= room), None)
        return cut_runs(self.look, rows[-1], room) if row is None else row

    def _cut_row(self, room: int) -> list[Run]:
        """Return what there is room for, and the key that shows the whole."""
        text, style, *short = self.fact
        said: Run = (next(filter(None, short), text), style)
        behind: list[Run] = []
        for hint in (WHOLE_TEXT, "{view_answer}"):
            behind = self._joined([said, *((key, "key") for key in hints(hint, self.screen))])[1:]
            if width_of([said, *behind]) <= room:
                return [said, *behind]
        is_short_whole = any(short) and width_of([said]) <= room  # it says what to press
        cut = cut_runs(self.look, [said], room - width_of(behind))
        return [said] if is_short_whole else [*cut, *behind]

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
