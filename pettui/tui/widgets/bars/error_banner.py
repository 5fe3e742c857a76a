"""ErrorBanner: a failure, inline on the screen that caused it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.tui.appearance.breakpoints import is_short
from pettui.tui.keys.available_actions import hints
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.text_runs import GAP, Run, beside, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from pettui.tui.wording.failures import Failure
    from pettui.tui.wording.text_runs import Section

MARGINS = 4  # cells beside a message
TITLE_CHARACTERS = 200
ROWS_MAXIMUM = 4  # of a message
ROWS_WHERE_SHORT = 1  # the rows of the list need the room
FULL_TEXT = "{view_full_text} Full text"


class ErrorBanner(LineWidget):
    """A row with sign and title, then the message and hints of keys."""

    failure: reactive[Failure | None] = reactive(None, layout=True)

    class Clicked(Message):
        """The banner was clicked, to retry."""

    def on_mount(self) -> None:
        """Redraw when other keys work."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self._update_hints())

    def watch_failure(self) -> None:
        """Hide the banner without a failure."""
        self.display = self.failure is not None

    def _update_hints(self) -> None:
        if self.display:
            self.refresh(layout=len(self.lines(self.drawn_width)) != self.size.height)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return title, message and hints, the hints beside the last row if they fit."""
        if self.failure is None:
            return []
        sign, message = f" {self.glyphs.error} ", self.glyphs.line(self.failure.message)
        title = self.glyphs.line(self.failure.title, TITLE_CHARACTERS)
        rows: list[list[Run]] = [[(sign, "error-title"), (title, "error-title")]]
        wrapped = self.glyphs.wrap(message, width - MARGINS, self._message_rows)
        rows += [[("   ", ""), (row, "")] for row in wrapped if row]
        self._add_hints(rows, hints(self.failure.hint, self.screen), width)
        if self._is_cut(self.failure, width):
            for hint in hints(FULL_TEXT, self.screen):
                rows[0] = beside(self.glyphs, rows[0], hint, width)
        return rows

    def _add_hints(self, rows: list[list[Run]], found: Sequence[str], width: int) -> None:
        """Put the hints beside the last row, or on rows of their own."""
        text = "  ".join(found)
        if not text:
            return
        if width - width_of(rows[-1]) - cell_len(text) - 1 >= GAP:
            rows[-1] = beside(self.glyphs, rows[-1], text, width)
            return
        lines = [""]
        for hint in found:
            joined = f"{lines[-1]}  {hint}" if lines[-1] else hint
            lines[-1:] = [joined] if cell_len(joined) <= width - MARGINS else [lines[-1], hint]
        rows += [[("   ", ""), (line, "key")] for line in lines if line]

    @property
    def _message_rows(self) -> int:
        return ROWS_WHERE_SHORT if is_short(self) else ROWS_MAXIMUM

    def _is_cut(self, failure: Failure, width: int) -> bool:
        """Whether a part of the failure is cut."""
        title_width = width - MARGINS
        return (
            bool(failure.excerpt)
            or not self.glyphs.has_room(failure.title, title_width, 1, TITLE_CHARACTERS)
            or not self.glyphs.has_room(failure.message, width - MARGINS, self._message_rows)
        )

    def cut_sections(self) -> list[Section]:
        """Return the whole failure, if it is cut."""
        failure = self.failure
        if failure is None or not self._is_cut(failure, self.drawn_width):
            return []
        return [(failure.title, failure.whole)]

    def on_click(self, event: events.Click) -> None:
        """Post ``Clicked``."""
        event.stop()
        self.post_message(self.Clicked())
