"""What shows an import: its texts, single lines of its file, and how far it is."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.transfer.import_texts import SENT
from pettui.tui.widgets.fitting import fitted, from_the_last
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing, LineWidget
from pettui.tui.widgets.runs import Run, separator, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.transfer.import_run import ImportProgress
    from pettui.tui.widgets.runs import Section

BAR_MINIMUM, BAR_MAXIMUM = 10, 40  # cells, with its ends
TEXT_ROWS = 3  # of one text
STYLES = MappingProxyType(
    {
        "done": "strong",
        "unknown": "notice",
        "refused": "error",
        "waiting": "notice",
        "rate": "muted",
        SENT: "muted",
    }
)
GAP = "  "


class ImportLines(CuttingWidget):
    """Texts about the file, wrapped; then single lines of it, cut."""

    # Raw, each with its style; errors and notices get a glyph.
    texts: reactive[Sequence[Run]] = reactive((), layout=True)
    # The position of a line, and a text about it; raw.
    rows: reactive[Sequence[tuple[str, str]]] = reactive((), layout=True)

    def drawing(self, width: int) -> Drawing:
        """Return texts, a blank line, and rows."""
        heads: list[list[Run]] = []
        cut: list[Section] = []
        for text, style in self.texts:
            rows, is_cut = self.glyphs.shown(self._signed(text, style), width, TEXT_ROWS)
            heads += [[(row, STYLES.get(style, style))] for row in rows]
            cut += [("Import", text)] * is_cut
        lines = [self._row(label, text) for label, text in self.rows]
        for (label, text), runs in zip(self.rows, lines, strict=True):
            if width_of(runs) > width or len(text) > len(self.glyphs.line(text)):
                cut.append((label, text))
        return Drawing([*heads, [], *lines] if lines else heads, cut)

    def _signed(self, text: str, style: str) -> str:
        sign = {"error": self.glyphs.error, "notice": self.glyphs.notice}.get(style, "")
        return f"{sign} {text}" if sign else text

    def _row(self, label: str, text: str) -> list[Run]:
        position = f"{self.glyphs.line(label)}{GAP}" if label else ""
        return [(position, "strong"), (self.glyphs.line(text), "" if label else "muted")]


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
        facts = self.progress.facts()
        texts = [(self.glyphs.line(text), STYLES.get(name, "")) for name, text in facts]
        parts = from_the_last(texts, separator(self.glyphs))
        shown = fitted(self.glyphs, parts, room).runs
        bar = self._bar(min(room - width_of(shown) - 1, BAR_MAXIMUM))
        return [[(" ", ""), *bar, *shown]]

    def _bar(self, width: int) -> list[Run]:
        if width < BAR_MINIMUM or self.progress is None:
            return []
        full, empty = self.progress.bar(width - 2, is_ascii=self.glyphs.ascii_only)
        return [("[", "muted"), (full, "good"), (empty, "muted"), ("] ", "muted")]
