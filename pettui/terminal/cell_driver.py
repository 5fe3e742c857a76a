"""CellDriver: sends a terminal the cells that changed, and gives its app what is typed there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events
from textual.driver import Driver

from pettui.terminal import modes
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
        self._tokenizer = tokenizer or Tokenizer()
        self._parser = parser or KeyParser()
        self._timer: asyncio.TimerHandle | None = None
        self.is_drawing = False  # the screen is taken
        self._is_behind = False
        self._held = ""

    # The terminal's modes

    def start_application_mode(self) -> None:
        """Take the screen, the mouse and the pastes."""
        self.is_drawing = True
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
        self._stop_timer()

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
            self._output.write(text)

    # What is typed

    def feed(self, data: bytes) -> int:
        """Take what the terminal sent; return how many keys and the like that was."""
        count = self._take(self._tokenizer.feed(data))
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
        self._stop_timer()
        patience = self._tokenizer.patience
        if patience is not None:
            time_out = guarded(self._time_out, self.fail, otherwise=None)
            self._timer = self._loop.call_later(patience, time_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        self._take(self._tokenizer.time_out())

    def fail(self, error: Exception) -> None:
        """End the app by an error of a timer or a reader, which nobody would catch."""
        self._app.call_later(_raise, error)


def _raise(error: Exception) -> None:
    raise error
