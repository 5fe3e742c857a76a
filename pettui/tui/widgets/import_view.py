"""ImportLines, ImportBar: texts about a file and its lines, and the progress of an import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.transfer.results import duration
from pettui.tui.runs import Run, Section, width_of
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pettui.glyphs import GlyphSet
    from pettui.transfer.import_run import ImportProgress

BAR_MINIMUM, BAR_MAXIMUM = 10, 40  # cells, with its ends
TEXT_ROWS = 3  # of one text
GAP = "  "


class ImportLines(LineWidget):
    """Texts about the file, wrapped; then single lines of it, cut."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs)
        self._texts: Sequence[Run] = ()
        self._rows: Sequence[tuple[str, str]] = ()

    def show(self, texts: Sequence[Run], rows: Sequence[tuple[str, str]]) -> None:
        """Show an import.

        Args:
            texts: raw, each with its style; errors and notices get a glyph.
            rows: the position of a line, and a text about it; raw.
        """
        if (texts, rows) != (self._texts, self._rows):
            self._texts, self._rows = texts, rows
            self.refresh(layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return texts, a blank line, and rows."""
        heads: list[list[Run]] = []
        for text, style in self._texts:
            rows = self.glyphs.wrap(self._signed(text, style), width, TEXT_ROWS)
            heads += [[(row, style)] for row in rows]
        if not self._rows:
            return heads
        return [*heads, [], *(self._row(label, text) for label, text in self._rows)]

    def _signed(self, text: str, style: str) -> str:
        sign = {"error": self.glyphs.error, "notice": self.glyphs.notice}.get(style, "")
        return f"{sign} {self.glyphs.line(text)}" if sign else self.glyphs.line(text)

    def _row(self, label: str, text: str) -> list[Run]:
        position = f"{self.glyphs.line(label)}{GAP}" if label else ""
        return [(position, "strong"), (self.glyphs.line(text), "" if label else "muted")]

    def cut_sections(self) -> list[Section]:
        """Return the full texts that are cut, and those of rows."""
        width = self.drawn_width
        texts = [
            ("Import", text)
            for text, style in self._texts
            if len(self.glyphs.wrap(self._signed(text, style), width, TEXT_ROWS + 1)) > TEXT_ROWS
        ]
        return texts + [
            (label, text)
            for label, text in self._rows
            if width_of(self._row(label, text)) > width or len(text) > len(self.glyphs.line(text))
        ]


class ImportBar(LineWidget):
    """One row: a bar and the progress; less important texts go if there is no room."""

    progress: reactive[ImportProgress | None] = reactive(None)

    def watch_progress(self, progress: ImportProgress | None) -> None:
        """Show the bar only while an import is running."""
        self.display = progress is not None

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the row."""
        if self.progress is None:
            return [[]]
        room = width - 2
        texts = [(self.glyphs.line(text), style) for text, style in progress_texts(self.progress)]
        while len(texts) > 1 and width_of(self._joined(texts)) > room:
            del texts[-1]
        shown = self._joined(texts)
        bar = self._bar(min(room - width_of(shown) - 1, BAR_MAXIMUM))
        return [[(" ", ""), *bar, *shown]]

    def _joined(self, texts: Sequence[Run]) -> list[Run]:
        separator: Run = (f" {self.glyphs.dot} ", "muted")
        return [run for text in texts for run in (separator, text)][1:]

    def _bar(self, width: int) -> list[Run]:
        if width < BAR_MINIMUM or self.progress is None:
            return []
        total, inner = self.progress.total, width - 2
        filled = inner * (total - self.progress.remaining) // total if total else inner
        full, empty = ("#", "-") if self.glyphs.ascii_only else ("█", "░")
        return [
            ("[", "muted"), (full * filled, "good"), (empty * (inner - filled), "muted"),
            ("] ", "muted"),
        ]  # fmt: skip


def progress_texts(progress: ImportProgress) -> Iterator[tuple[str, str]]:
    """Yield how far an import is, each fact with its style, the most important first; raw."""
    done = progress.total - progress.remaining
    yield f"{done:,} of {progress.total:,}", "strong"
    if progress.unknown:
        yield f"{progress.unknown:,} unknown", "notice"
    if progress.refused:
        yield f"{progress.refused:,} refused", "error"
    if progress.waiting is not None:
        yield f"retrying in {duration(progress.tries_in)}: {progress.waiting}", "notice"
        return
    if progress.remaining and progress.seconds_left is not None:
        yield f"{duration(progress.seconds_left)} left", ""
    yield f"{progress.rate:,.0f} a second", "muted"
