"""The Textual Driver that speaks to a terminal over a channel: no pseudo-terminal, no thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from textual import events
from textual.driver import Driver
from textual.geometry import Size

from pettui.terminal.guarded import guarded
from pettui.terminal.key_parser import KeyParser
from pettui.terminal.screen_buffer import ScreenBuffer
from pettui.terminal.tokenizer import Tokenizer

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable

    from textual.app import App
    from textual.message import Message

    from pettui.terminal.compositor import Piece
    from pettui.terminal.output import Output
    from pettui.terminal.sgr import Palette
    from pettui.terminal.tokens import Token

# Alternate screen; no wrapping at the end of a line; no cursor.
TAKE_SCREEN = "\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[2J\x1b[H"
GIVE_SCREEN_BACK = "\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h"
# Buttons, movement while one is held, in SGR's form; pastes in brackets; focus.
TAKE_MOUSE, LEAVE_MOUSE = "\x1b[?1000h\x1b[?1002h\x1b[?1006h", "\x1b[?1006l\x1b[?1002l\x1b[?1000l"
TAKE_PASTES, LEAVE_PASTES = "\x1b[?2004h\x1b[?1004h", "\x1b[?1004l\x1b[?2004l"
CLEAR = "\x1b[0m\x1b[2J"


class ChannelDriver(Driver):
    """Draws one app on one client's terminal, and gives the app what is typed there."""

    def __init__(
        self,
        app: App[Any],
        *,
        wire: Output,
        palette: Palette,
        erases: bool = False,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._wire = wire
        self._palette = palette
        self._erases = erases
        self._canvas = ScreenBuffer(*(size or (80, 24)), palette, erases=erases)
        self._tokens = Tokenizer()
        self._parser = KeyParser()
        self._timer: asyncio.TimerHandle | None = None
        self.is_drawing = False  # the screen is taken
        self._is_behind = False
        self._held = ""

    # The terminal's modes

    def start_application_mode(self) -> None:
        """Take the screen, the mouse and the pastes."""
        self.is_drawing = True
        self._wire.write(TAKE_SCREEN + (TAKE_MOUSE if self._mouse else "") + TAKE_PASTES)

    def attach(
        self, wire: Output, palette: Palette, size: tuple[int, int], *, erases: bool = False
    ) -> None:
        """Go on, on a client's terminal, with what was drawn for nobody so far."""
        is_same = (*size, palette) == (self._canvas.width, self._canvas.height, self._palette)
        self._wire, self._palette, self._erases = wire, palette, erases
        self.start_application_mode()
        if is_same:
            self._canvas.erases = erases
            self.caught_up()
            return
        self._canvas = ScreenBuffer(*size, palette, erases=erases)
        if size == self._size:
            self._app.call_later(self._draw_anew)
        else:
            self._tell_size(size)

    def _draw_anew(self) -> None:
        self._app.screen.refresh()

    def disable_input(self) -> None:
        """Take no more keys."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was found."""
        self.disable_input()
        if self.is_drawing:
            self.is_drawing = False
            leave_mouse = LEAVE_MOUSE if self._mouse else ""
            self._wire.write(LEAVE_PASTES + leave_mouse + GIVE_SCREEN_BACK)

    def resize(self, width: int, height: int) -> None:
        """Draw in another size from now on."""
        if (width, height) == (self._canvas.width, self._canvas.height):
            return
        self._canvas = ScreenBuffer(width, height, self._palette, erases=self._erases)
        if self.is_drawing:
            self._wire.write(CLEAR)
        self._tell_size((width, height))

    def _tell_size(self, size: tuple[int, int]) -> None:
        self._size = size
        self._app.post_message(events.Resize(Size(*size), Size(*size)))

    # What is drawn

    def write(self, data: str) -> None:
        """Send what is no picture: a copy to the clipboard, the bell.

        A client that is behind gets the newest of it when it has caught up.
        """
        if not self.is_drawing:
            return
        if self._wire.has_room():
            self._wire.write(data)
        else:
            self._held = data

    def paint(self, pieces: Iterable[Piece], cursor: tuple[int, int]) -> None:
        """Draw what changed. A client that is behind gets it when it has caught up."""
        paint, number = self._canvas.paint, self._palette.number
        for y, x, strip in pieces:
            for text, style, control in strip:
                if not control:
                    x = paint(y, x, text, number(style))  # noqa: PLW2901
        self._send(cursor)

    def note(self, text: str) -> None:
        """Lay a line over the first row of whatever is shown; "" takes it away."""
        self._canvas.note(text, self._palette.note)
        self._send(None)

    def caught_up(self) -> None:
        """Send what was held back while the client was behind."""
        held, self._held = self._held, ""
        if held and self.is_drawing:
            self._wire.write(held)
        if self._is_behind:
            self._send(None)

    def _send(self, cursor: tuple[int, int] | None) -> None:
        self._is_behind = not self._wire.has_room()
        if self._is_behind or not self.is_drawing:
            return
        text = self._canvas.changes()
        if text and cursor is not None and cursor != (0, 0):
            text += self._canvas.move(*cursor)  # where an input method shows what it offers
        if text:
            self._wire.write(text)

    # What is typed

    def feed(self, data: bytes) -> int:
        """Take what the client sent; gives how many keys and the like that was."""
        count = self._take(self._tokens.feed(data))
        self._wait_for_the_rest()
        return count

    def send_message(self, message: Message) -> None:
        """Post a message to the app, from its own loop."""
        self._app.post_message(message)

    def _take(self, tokens: Iterable[Token]) -> int:
        count = 0
        move: events.MouseMove | None = None
        for message in self._parser.messages(tokens, self._app.size):
            count += 1
            if isinstance(message, events.MouseMove):
                move = message  # of many in a row the last one tells all
                continue
            if move is not None:
                self.process_message(move)
                move = None
            self.process_message(message)
        if move is not None:
            self.process_message(move)
        return count

    def _wait_for_the_rest(self) -> None:
        self.disable_input()
        patience = self._tokens.patience
        if patience is not None:
            time_out = guarded(self._time_out, self._fail, otherwise=None)
            self._timer = self._loop.call_later(patience, time_out)

    def _time_out(self) -> None:
        self._timer = None
        self._take(self._tokens.time_out())

    def _fail(self, error: Exception) -> None:
        """End the app by an error of a timer, which nobody would catch."""
        self._app._handle_exception(error)  # noqa: SLF001

    # What would act on the server's machine

    def open_url(self, url: str, new_tab: bool = True) -> None:  # noqa: ARG002
        """Give the client the address to open; the server has no browser for it."""
        self._app.copy_to_clipboard(url)

    def deliver_binary(self, binary: BinaryIO | TextIO, **_options: Any) -> None:
        """Deliver nothing: a file would land on the server."""
        binary.close()
