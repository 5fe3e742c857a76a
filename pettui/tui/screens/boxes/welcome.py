"""WelcomeScreen: what a demo begins with, over the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from pettui.tui.look import Look
    from pettui.tui.wording.text_runs import Run

GOES_ON = "any key goes on"
MORE = "any key: more"
ROWS = 100  # of one line, wrapped


class WelcomeLines(LineWidget):
    """The lines of a file, those that are too long broken between words."""

    def __init__(self, look: Look, text: Sequence[str]) -> None:
        super().__init__(look)
        self._text = text

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the lines."""
        return [[(row, "")] for line in self._text for row in self._rows(line, width)]

    def _rows(self, line: str, width: int) -> list[str]:
        """Return one line; its indent stays where the whole of it has room."""
        shown = self.look.safe(line)
        is_whole = self.look.cut(shown, width) == shown
        return [shown] if is_whole else self.look.wrap(shown.strip(), width, ROWS)


class WelcomeScreen(BoxScreen):
    """Any key goes on: to the rest of the text, then to the list. It means nothing else here."""

    def __init__(self, look: Look, text: Sequence[str]) -> None:
        super().__init__(look, "Welcome", [WelcomeLines(look, text)])

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        """Say what a key does now; Textual calls the base's handler too."""
        self.call_after_refresh(self.say, "")

    def say(self, text: str) -> None:
        """Say something at the foot, or what any key does."""
        super().say(text or (MORE if self._has_more else GOES_ON))

    @property
    def _has_more(self) -> bool:
        return self.box.scroll_offset.y < self.box.max_scroll_y

    def on_key(self, event: events.Key) -> None:
        """Go on; how to quit is said as on any screen."""
        if event.key != "ctrl+c":
            event.stop()
            event.prevent_default()
            self._go_on()

    def on_paste(self, event: events.Paste) -> None:
        """Go on as by a key."""
        event.stop()
        self._go_on()

    def on_click(self) -> None:
        """Go on as by a key."""
        self._go_on()

    def _go_on(self) -> None:
        if self._has_more:
            rows = max(self.box.scrollable_content_region.height, 1)
            self.box.scroll_relative(y=rows, animate=False, immediate=True)
            self.say("")
        else:
            self.dismiss()
