"""ImportLines, ImportBar: what is to be said of a file's lines, and how far they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.importing_texts import progress_facts
from pettui.tui.wording.text_runs import Run, Section, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.transfer.importing.import_run import ImportProgress
    from pettui.tui.look import Look

BAR_LEAST, BAR_MOST = 10, 40  # cells, its ends among them
HEAD_ROWS = 3  # of one fact
GAP = "  "


class ImportLines(LineWidget):
    """Facts about the file, each broken into lines; then single lines of it, each cut."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._facts: Sequence[Run] = ()
        self._rows: Sequence[tuple[str, str]] = ()

    def show(self, facts: Sequence[Run], rows: Sequence[tuple[str, str]]) -> None:
        """Show these.

        Args:
            facts: raw, each with its style; the glyph of an error or a notice is put before it.
            rows: raw: where each line is, and what is to be said of it.
        """
        if (facts, rows) != (self._facts, self._rows):
            self._facts, self._rows = facts, rows
            self.refresh(layout=True)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return facts, a blank line, and rows."""
        heads: list[list[Run]] = []
        for text, style in self._facts:
            sign = {"error": self.look.error, "notice": self.look.notice}.get(style, "")
            whole = f"{sign} {self.look.line(text)}" if sign else self.look.line(text)
            heads += [[(row, style)] for row in self.look.wrap(whole, width, HEAD_ROWS)]
        if not self._rows:
            return heads
        return [*heads, [], *(self._row(label, text) for label, text in self._rows)]

    def _row(self, label: str, text: str) -> list[Run]:
        place = f"{self.look.line(label)}{GAP}" if label else ""
        return [(place, "strong"), (self.look.line(text), "" if label else "muted")]

    def cut_sections(self) -> list[Section]:
        """Return those rows whole that are cut, or have more to say than is drawn of a line."""
        width = self.drawn_width
        return [
            (label, text)
            for label, text in self._rows
            if width_of(self._row(label, text)) > width or len(text) > len(self.look.line(text))
        ]


class ImportBar(LineWidget):
    """One row: a bar, and how far the import is; what matters less goes where room is short."""

    progress: reactive[ImportProgress | None] = reactive(None)

    def watch_progress(self, progress: ImportProgress | None) -> None:
        """Stand there only while there is something to tell."""
        self.display = progress is not None

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the row."""
        if self.progress is None:
            return [[]]
        room = width - 2
        facts = [(self.look.line(text), style) for text, style in progress_facts(self.progress)]
        while len(facts) > 1 and width_of(self._joined(facts)) > room:
            del facts[-1]
        told = self._joined(facts)
        bar = self._bar(min(room - width_of(told) - 1, BAR_MOST))
        return [[(" ", ""), *bar, *told]]

    def _joined(self, facts: Sequence[Run]) -> list[Run]:
        separator: Run = (f" {self.look.dot} ", "muted")
        return [run for fact in facts for run in (separator, fact)][1:]

    def _bar(self, width: int) -> list[Run]:
        if width < BAR_LEAST or self.progress is None:
            return []
        total, inner = self.progress.total, width - 2
        filled = inner * (total - self.progress.remaining) // total if total else inner
        full, empty = ("#", "-") if self.look.ascii_only else ("█", "░")
        return [
            ("[", "muted"), (full * filled, "good"), (empty * (inner - filled), "muted"),
            ("] ", "muted"),
        ]  # fmt: skip
