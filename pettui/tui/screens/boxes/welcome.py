"""WelcomeScreen: the text that a demo starts with, over the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from pettui.glyphs import GlyphSet
    from pettui.tui.wording.text_runs import Run

CONTINUES = "any key continues"
MORE = "any key shows more"
ROWS = 100  # of one line, wrapped


class WelcomeLines(LineWidget):
    """The lines of a file, wrapped between words."""

    def __init__(self, glyphs: GlyphSet, text: Sequence[str]) -> None:
        super().__init__(glyphs)
        self._text = text

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines."""
        return [[(row, "")] for line in self._text for row in self._rows(line, width)]

    def _rows(self, line: str, width: int) -> list[str]:
        """Return one line, wrapped; a line that fits keeps its indent."""
        shown = self.glyphs.safe(line)
        is_whole = self.glyphs.cut(shown, width) == shown
        return [shown] if is_whole else self.glyphs.wrap(shown.strip(), width, ROWS)


class WelcomeScreen(BoxScreen):
    """Any key continues to the rest of the text, then to the list, and does nothing else."""

    def __init__(self, glyphs: GlyphSet, text: Sequence[str]) -> None:
        super().__init__(glyphs, "Welcome", [WelcomeLines(glyphs, text)])

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        """Update the hint; Textual calls the base's handler too."""
        self.call_after_refresh(self.show_message, "")

    def show_message(self, text: str) -> None:
        """Show a message at the foot, or else what any key does."""
        super().show_message(text or (MORE if self._has_more else CONTINUES))

    @property
    def _has_more(self) -> bool:
        return self.box.scroll_offset.y < self.box.max_scroll_y

    def on_key(self, event: events.Key) -> None:
        """Continue, except on ctrl+c, which shows how to quit."""
        if event.key != "ctrl+c":
            event.stop()
            event.prevent_default()
            self._continue()

    def on_paste(self, event: events.Paste) -> None:
        """Continue, as a key does."""
        event.stop()
        self._continue()

    def on_click(self) -> None:
        """Continue, as a key does."""
        self._continue()

    def _continue(self) -> None:
        if self._has_more:
            rows = max(self.box.scrollable_content_region.height, 1)
            self.box.scroll_relative(y=rows, animate=False, immediate=True)
            self.show_message("")
        else:
            self.dismiss()
