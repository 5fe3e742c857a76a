"""CellDriver: sends a terminal the cells that changed, and gives its app what is typed there.

Of Textual's own it uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``Driver._app``, ``_mouse``: what the constructor was given, for its subclasses.
- ``Driver._size``: where it changes, the app begins in another size than its terminal's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events
from textual.driver import Driver
from textual.geometry import Size

from pettui.terminal.input.input_reader import TypedInput
from pettui.terminal.output import modes
from pettui.terminal.output.screen_buffer import ScreenBuffer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import App
    from textual.message import Message

    from pettui.terminal.input.key_parser import KeyParser
    from pettui.terminal.input.tokenizer import Tokenizer
    from pettui.terminal.output.compositor import Piece
    from pettui.terminal.output.output import Output
    from pettui.terminal.output.sgr import Palette

UNKNOWN_SIZE = (80, 24)  # columns and rows


class CellDriver(Driver):
    """Draws a ``CellApp`` on a terminal; where its bytes come from and go to is a subclass's."""

    def __init__(
        self,
        app: App[Any],
        *,
        output: Output,
        palette: Palette,
        erases: bool = False,
        tokenizer: Tokenizer | None = None,
        parser: KeyParser | None = None,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Draw nothing yet.

        Args:
            app: whose screens are drawn.
            output: of the terminal.
            palette: of the terminal's kind.
            erases: as of ``ScreenBuffer``.
            tokenizer: of what the terminal sends.
            parser: of the tokens.
            debug: as Textual passes it.
            mouse: whether the app takes the mouse.
            size: columns and rows.
        """
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._output = output
        self._palette = palette
        self._erases = erases
        self._buffer = ScreenBuffer(*(size or UNKNOWN_SIZE), palette, erases=erases)
        self._input = TypedInput(
            self._deliver,
            self.fail,
            size=lambda: app.size,
            tokenizer=tokenizer,
            parser=parser,
        )
        self.is_drawing = False  # the screen is taken
        self._is_behind = False
        self._is_cleared = True  # nothing of another size stands on the terminal
        self._held = ""

    # The terminal's modes

    def start_application_mode(self) -> None:
        """Take the screen, the mouse and the pastes."""
        self.is_drawing = self._is_cleared = True
        self._output.write(self.taking)

    @property
    def taking(self) -> str:
        """What takes the terminal's modes."""
        return modes.TAKE_SCREEN + (modes.TAKE_MOUSE if self._mouse else "") + modes.TAKE_PASTES

    @property
    def leaving(self) -> str:
        """What takes them back."""
        return modes.LEAVE_PASTES + (modes.LEAVE_MOUSE if self._mouse else "") + modes.LEAVE_SCREEN

    def disable_input(self) -> None:
        """Take no more keys."""
        self._input.stop()

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was found."""
        self.disable_input()
        if self.is_drawing:
            self.is_drawing = False
            self._output.write(self.leaving)

    # What is drawn

    def write(self, data: str) -> None:
        """Send what is no picture: a copy to the clipboard, the bell.

        A terminal that is behind gets the newest of it when it has caught up.
        """
        if not self.is_drawing:
            return
        if self._output.has_room():
            self._output.write(data)
        else:
            self._held = data

    def paint(self, pieces: Iterable[Piece], cursor: tuple[int, int]) -> None:
        """Draw what changed. A terminal that is behind gets it when it has caught up."""
        paint, number = self._buffer.paint, self._palette.number
        for y, x, strip in pieces:
            for text, style, control in strip:
                if not control:
                    x = paint(y, x, text, number(style))  # noqa: PLW2901
        self._send(cursor)

    def caught_up(self) -> None:
        """Send what was held back while the terminal was behind."""
        held, self._held = self._held, ""
        if held and self.is_drawing:
            self._output.write(held)
        if self._is_behind:
            self._send(None)

    def _send(self, cursor: tuple[int, int] | None) -> None:
        self._is_behind = not self._output.has_room()
        if self._is_behind or not self.is_drawing:
            return
        text = self._buffer.changes()
        if text and cursor is not None and cursor != (0, 0):
            text += self._buffer.move(*cursor)  # where an input method shows what it offers
        if text:
            clear, self._is_cleared = ("" if self._is_cleared else modes.CLEAR), True
            self._output.write(self._framed(clear + text))

    def _framed(self, text: str) -> str:
        """Return what is sent for a frame."""
        return text

    def _draw_all(self) -> None:
        """Draw everything that was painted so far: nothing of it stands on the terminal."""
        self._buffer.forget_shown()
        self._send(None)

    def resize(self, width: int, height: int) -> None:
        """Draw in another size from now on; the terminal is cleared with the first frame."""
        if (width, height) == (self._buffer.width, self._buffer.height):
            return
        self._buffer = ScreenBuffer(width, height, self._palette, erases=self._erases)
        self._is_cleared = False
        self._tell_size((width, height))

    def _tell_size(self, size: tuple[int, int]) -> None:
        self._size = size
        self._app.post_message(events.Resize(Size(*size), Size(*size)))

    # What is typed

    def feed(self, data: bytes) -> int:
        """Take what the terminal sent; return how many keys and the like that was."""
        return self._input.feed(data)

    def _deliver(self, message: Message) -> None:
        self.process_message(message)

    def send_message(self, message: Message) -> None:
        """Post a message to the app, from its own loop."""
        self._app.post_message(message)

    def fail(self, error: Exception) -> None:
        """End the app by an error of a timer or a reader, which nobody would catch."""
        self._app.call_later(_raise, error)


def _raise(error: Exception) -> None:
    raise error
