"""StatusPicker: the status of a new animal, chosen by arrows or first letter."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui import actions
from pettui.models import STATUSES, PetStatus
from pettui.statuses import look_of
from pettui.tui.keys.bindings import bindings
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.binding import BindingType

    from pettui.tui.wording.text_runs import Run

CHOICES: tuple[str | None, ...] = (None, *STATUSES)


class StatusPicker(LineWidget, can_focus=True):
    """All choices on one row or, with little room, only the chosen one.

    It leaves Enter to the form; RadioSet and Select would consume it.
    """

    HELP_TITLE: ClassVar[str] = "In Status"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.STATUS_PICKER,
        status_before="choose_by(-1)",
        status_after="choose_by(1)",
        status_not_set="choose('')",
        **{f"status_{status}": f"choose('{status}')" for status in PetStatus},
    )

    status: reactive[str | None] = reactive(None)

    class Changed(Message):
        """Another status was chosen."""

    def watch_status(self) -> None:
        """Post the change."""
        self.post_message(self.Changed())

    def action_choose_by(self, steps: int) -> None:
        """Choose the next status, in a circle."""
        index = CHOICES.index(self.status) if self.status in CHOICES else 0
        self.status = CHOICES[(index + steps) % len(CHOICES)]

    def action_choose(self, status: str) -> None:
        """Choose a status."""
        self.status = status or None

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        choices = self._choices()
        if self._has_room(width):
            return [
                [
                    (text, self._style(status) if status == self.status else "muted")
                    for status, text in choices
                ]
            ]
        return [
            [
                (f"{self.glyphs.left} ", "muted"),
                (self._words(self.status), self._style(self.status)),
                (f" {self.glyphs.right}", "muted"),
            ]
        ]

    def _style(self, status: str | None) -> str:
        return "chosen" if self.has_focus else look_of(status).style

    def _choices(self) -> list[tuple[str | None, str]]:
        chosen = "*" if self.glyphs.ascii_only else "•"
        shown = [
            (status, f"({chosen if status == self.status else ' '}) {self._words(status)}  ")
            for status in CHOICES
        ]
        last, text = shown.pop()
        return [*shown, (last, text.rstrip())]

    def _has_room(self, width: int) -> bool:
        return sum(cell_len(text) for _, text in self._choices()) <= width

    def _words(self, status: str | None) -> str:
        return f"{self.glyphs.status_glyph(status)} {self.glyphs.status_word(status)}"

    def on_click(self, event: events.Click) -> None:
        """Choose the status that was clicked or, if only one is shown, the one before or after."""
        clicked = event.get_content_offset_capture(self).x
        if not self._has_room(self.size.width):
            self.action_choose_by(-1 if clicked < 2 else 1)
            return
        right = 0
        for status, text in self._choices():
            right += cell_len(text)
            if clicked < right:
                self.status = status
                return
