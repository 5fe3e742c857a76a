"""StatusTabs: which animals are asked for, by status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from pettui.tui.wording.text_runs import Run

FILTERS: tuple[str | None, ...] = (None, "available", "pending", "sold")


class StatusTabs(LineWidget):
    """One tab a status, with its number, glyph and word; the active one is underlined."""

    active: reactive[str | None] = reactive(None)

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, status: str | None) -> None:
            super().__init__()
            self.status = status

    def tabs(self, width: int) -> list[tuple[str | None, str]]:
        """Give each status with its text: whole words, or glyphs where there is no room."""
        whole = [(status, f" {self._text(place, status)} ") for place, status in enumerate(FILTERS)]
        if sum(cell_len(text) for _, text in whole) <= width:
            return whole
        return [
            (status, f" {place + 1} {self.look.status_glyph(status) if status else 'All'} ")
            if status != self.active
            else (status, text)
            for place, (status, text) in enumerate(whole)
        ]

    def _text(self, place: int, status: str | None) -> str:
        if status is None:
            return f"{place + 1} All"
        return f"{place + 1} {self.look.status_glyph(status)} {status.capitalize()}"

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the one row."""
        return [
            [
                (text, "tab-active" if status == self.active else "tab")
                for status, text in self.tabs(width)
            ]
        ]

    def on_click(self, event: events.Click) -> None:
        """Tell which tab was clicked."""
        right = 0
        for status, text in self.tabs(self.size.width):
            right += cell_len(text)
            if event.x < right:
                self.post_message(self.Picked(status))
                return
