"""PromptNote: the feedback on a prompt line, and which keys to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.keys import hints
from pettui.tui.runs import Run, StyledText, cut_runs, width_of
from pettui.tui.widgets.bars import FULL_TEXT
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.tui.runs import Section

KEYS = "{submit_line} accept  {close_line} close"
MARGIN = 1  # cells between the field and what stands beside it


class PromptNote(LineWidget):
    """Feedback on what was typed, and hints of keys, at the right of the field.

    Without room for all, the hints stay longest, the first of them longest of all; "then" goes
    before another hint does. The width is fixed, so that typing needs no layout.
    """

    text: reactive[StyledText] = reactive(("", ""))
    keys: reactive[str] = reactive(KEYS)
    whole = ""  # all of the text, raw, if there is more than the line shows

    def cut_sections(self) -> list[Section]:
        """Return the whole text, if it is cut."""
        title = "Reason" if self.text[1] == "error" else "Choices"
        return [(title, self.whole)] if self._is_cut(self.drawn_width) else []

    def _is_cut(self, width: int) -> bool:
        """Whether the text is cut."""
        return bool(self.whole) and width_of([self.text[:2]]) > width - MARGIN

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        row = self._cut_row(width - MARGIN) if self._is_cut(width) else self._row(width - MARGIN)
        return [[(" " * max(width - width_of(row), 0), ""), *row]]

    def _row(self, room: int) -> list[Run]:
        rows = [row for row in self._rows() if row] or [[]]
        row = next((row for row in rows if width_of(row) <= room), None)
        return cut_runs(self.glyphs, rows[-1], room) if row is None else row

    def _cut_row(self, room: int) -> list[Run]:
        """Return as much as fits, and the key that shows the full text."""
        text, style, *short = self.text
        shown: Run = (next(filter(None, short), text), style)
        keys_run: list[Run] = []
        for hint in (FULL_TEXT, "{view_full_text}"):
            keys_run = self._joined([shown, *((key, "key") for key in hints(hint, self.screen))])[
                1:
            ]
            if width_of([shown, *keys_run]) <= room:
                return [shown, *keys_run]
        is_short_whole = any(short) and width_of([shown]) <= room  # it names a key
        cut = cut_runs(self.glyphs, [shown], room - width_of(keys_run))
        return [shown] if is_short_whole else [*cut, *keys_run]

    def _rows(self) -> Iterable[list[Run]]:
        """Yield the whole row, and then shorter and shorter ones."""
        keys = [(hint, "key") for hint in hints(self.keys, self.screen)]
        text, style, *short = self.text
        texts: list[list[Run]] = [[(each, style)] for each in (text, *short) if each]
        yield from (self._joined([*each, *keys]) for each in texts)
        brief = [(hint.replace(", then ", ", "), style) for hint, style in keys]
        yield from (self._joined([*each, *brief]) for each in texts[-1:])
        yield from (self._joined([*each, *keys[:1]]) for each in texts[-1:])
        yield self._joined(keys)
        yield self._joined(brief)
        yield self._joined(brief[:1] or [run for each in texts[-1:] for run in each])

    def _joined(self, runs: Sequence[Run]) -> list[Run]:
        separator: Run = (f" {self.glyphs.dot} ", "muted")
        return [each for run in runs for each in (separator, run)][1:]
