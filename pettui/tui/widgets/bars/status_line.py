"""StatusLine: what is shown, what is loading, and what was added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.text_runs import Run, Section, StyledText, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MARGINS = 2  # a cell at each end
TEXT_MINIMUM = 8  # cells of the first text; hints but the first and the last give way to it


class StatusLine(LineWidget):
    """One row: texts, hints of keys, and counts at the right.

    Without room for all of it, the hints stay longest. First the counts go, from the last one on,
    then the texts likewise; the first text stays, cut if need be, and in the end keeps a few cells.
    """

    texts: reactive[tuple[StyledText, ...]] = reactive(())  # the most important first
    keys: reactive[tuple[str, ...]] = reactive(())  # hints: "m: more"
    counts: reactive[tuple[str, ...]] = reactive(())  # the most important first
    message: reactive[str] = reactive("")  # until the next key, in place of the texts

    def left(self) -> list[Run]:
        """Return all texts and hints."""
        return self._joined(self._runs(short=False))

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the row."""
        texts, counts = self._runs(short=False), [*self.counts]
        room = width - MARGINS
        while counts and self._width(texts, counts) > room and len(counts) > 1:
            del counts[-1]
        if self._width(texts, counts) > room:
            texts = self._runs(short=True)
        while len(texts) > 1 and self._width(texts, counts) > room:
            del texts[-1]
        if self._width(texts, counts) > room:
            counts = []
        return [self._row(texts, counts, width)]

    def _row(self, texts: Sequence[Run], counts: Sequence[str], width: int) -> list[Run]:
        text, right = self._between(texts), self._right(counts)
        room, keys = width - MARGINS - width_of(right), [*self.keys]
        enough = min(width_of(text), TEXT_MINIMUM)
        while len(keys) > 2 and room - width_of(self._hints(keys, text)) < enough:
            del keys[-2]
        hints = self._hints(keys, text)
        row = [*cut_runs(self.glyphs, text, max(room - width_of(hints), 0)), *hints]
        if not right:
            return [(" ", ""), *row]
        gap = width - MARGINS - width_of(row) - width_of(right)
        return [(" ", ""), *row, (" " * gap, ""), *right, (" ", "")]

    def cut_sections(self) -> list[Section]:
        """Return the first text, if it is cut."""
        texts = self._runs(short=True)[:1]
        room = self.drawn_width - MARGINS
        if not texts or self._width(texts, []) <= room:
            return []
        return [("Status", self._runs(short=False)[0][0])]

    def _runs(self, *, short: bool) -> list[Run]:
        if self.message:
            return [(self.message, "notice")]
        return [(text[2] if short and len(text) > 2 else text[0], text[1]) for text in self.texts]

    def _hints(self, keys: Sequence[str], text: Sequence[Run]) -> list[Run]:
        """Return hints of keys, as they stand behind a text."""
        hints = self._between([(key, "key") for key in keys])
        return [self._separator, *hints] if text and hints else hints

    def _joined(self, texts: Sequence[Run]) -> list[Run]:
        return self._between([*texts, *((key, "key") for key in self.keys)])

    def _between(self, runs: Sequence[Run]) -> list[Run]:
        return [each for run in runs for each in (self._separator, run)][1:]

    @property
    def _separator(self) -> Run:
        return (f" {self.glyphs.dot} ", "muted")

    def _right(self, counts: Sequence[str]) -> list[Run]:
        return [(f" {self.glyphs.dot} ".join(counts), "muted")] if counts else []

    def _width(self, texts: Sequence[Run], counts: Sequence[str]) -> int:
        gap = 2 if counts and (texts or self.keys) else 0
        return width_of(self._joined(texts)) + gap + width_of(self._right(counts))
