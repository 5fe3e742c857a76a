"""StatusTabs: the status filters of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.models import STATUSES
from pettui.statuses import status_word
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.text_runs import width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from pettui.tui.wording.text_runs import Run

FILTERS: tuple[str | None, ...] = (None, *STATUSES)


class StatusTabs(LineWidget):
    """One tab a status, with its number, glyph and word; the active one is underlined.

    An ellipsis marks one whose rows are being loaded.
    """

    active: reactive[str | None] = reactive(None)  # the status of the rows
    wanted: reactive[str | None] = reactive(None)  # of those that take their place
    notes: reactive[tuple[str, ...]] = reactive(())  # at the right, the most important first

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, status: str | None) -> None:
            super().__init__()
            self.status = status

    def tabs(self, width: int) -> list[tuple[str | None, str]]:
        """Return each status with its text: words or, with little room, glyphs.

        The first note always gets its room, if need be from the word of the active tab.
        """
        room = width - cell_len(self._joined(self.notes[:1]))
        words = {(status, index): self._text(index, status) for index, status in enumerate(FILTERS)}
        glyphs = {
            (status, index): self._with_state(
                status, f"{index + 1} {self.glyphs.status_glyph(status) if status else 'All'}"
            )
            for status, index in words
        }
        one_word = {each: (words if each[0] == self.active else glyphs)[each] for each in words}
        chosen = one_word
        for chosen in (words, one_word, glyphs):
            if sum(cell_len(text) + 2 for text in chosen.values()) <= room:
                break
        return [(status, f" {text} ") for (status, _), text in chosen.items()]

    def _joined(self, notes: Sequence[str]) -> str:
        return f" {f' {self.glyphs.dot} '.join(notes)} " if notes else ""

    def _text(self, index: int, status: str | None) -> str:
        if status is None:
            return self._with_state(status, f"{index + 1} All")
        text = f"{index + 1} {self.glyphs.status_glyph(status)} {status_word(status).capitalize()}"
        return self._with_state(status, text)

    def _with_state(self, status: str | None, text: str) -> str:
        is_loading = status == self.wanted != self.active
        return f"{text}{self.glyphs.ellipsis}" if is_loading else text

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        tabs: list[Run] = [
            (text, "tab-active" if status == self.active else "tab")
            for status, text in self.tabs(width)
        ]
        room = width - width_of(tabs)
        shown = (self.notes[:count] for count in range(len(self.notes), -1, -1))
        noted = next(text for each in shown if cell_len(text := self._joined(each)) <= max(room, 0))
        return [[*tabs, (" " * (room - cell_len(noted)), ""), (noted, "accent")]]

    def on_click(self, event: events.Click) -> None:
        """Post which tab was clicked."""
        right = 0
        for status, text in self.tabs(self.size.width):
            right += cell_len(text)
            if event.x < right:
                self.post_message(self.Picked(status))
                return
