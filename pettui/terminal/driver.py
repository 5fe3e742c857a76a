"""CellDriver: sends changed cells to a terminal, and passes its input on to the app.

Of Textual's own it uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``Driver._app``, ``_mouse``: the constructor's arguments, for its subclasses.
- ``Driver._size``: where it changes, the app starts in another size than its terminal's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from textual import events
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message

from pettui.system.background_tasks import Timer
from pettui.terminal.keys import KeyParser
from pettui.terminal.screen_buffer import ScreenBuffer
from pettui.terminal.sgr import Palette
from pettui.terminal.tokenizer import Token, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import App

    from pettui.system.capabilities import Colours
    from pettui.terminal.compositor import Piece


UNKNOWN_SIZE = (80, 24)  # columns and rows
# The terminal's modes (xterm's ctlseqs).
ENTER_SCREEN = "\x1b[?1049h"  # the alternate one
# What another program may have left: margins at the sides (mode 69), then above and below; origin
# mode; insert mode; the set for drawing lines, in G0 or by a shift to G1.
UNDO_OTHERS = "\x1b[?69l\x1b[r\x1b[?6l\x1b[4l\x1b(B\x0f"
# No wrapping at the end of a line.
PREPARE_SCREEN = UNDO_OTHERS + "\x1b[?7l\x1b[0m\x1b[2J\x1b[H"
HIDE_CURSOR = "\x1b[?25l"
LEAVE_SCREEN = "\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h"
# Buttons, movement while one is held, in SGR's form.
ENABLE_MOUSE, DISABLE_MOUSE = (
    "\x1b[?1000h\x1b[?1002h\x1b[?1006h",
    "\x1b[?1006l\x1b[?1002l\x1b[?1000l",
)
# Pastes in brackets; focus.
ENABLE_PASTES, DISABLE_PASTES = "\x1b[?2004h\x1b[?1004h", "\x1b[?1004l\x1b[?2004l"
CLEAR = "\x1b[0m\x1b[2J"
# Movement of the mouse without a button.
ENABLE_MOVES, DISABLE_MOVES = "\x1b[?1003h", "\x1b[?1003l"
# The kitty keyboard protocol: no ambiguous Esc (1), all keys (8), with the text they type (16). Its
# stack is that of the alternate screen: a terminal that leaves that by itself drops it.
ENABLE_KEYS, DISABLE_KEYS = "\x1b[>25u", "\x1b[<u"


class CellDriver(Driver):
    """Draws a ``CellApp`` on a terminal; subclasses transport the bytes."""

    def __init__(
        self,
        app: App[Any],
        *,
        output: Output,
        colours: Colours,
        erases: bool = False,
        tokenizer: Tokenizer | None = None,
        takes_alt: bool = True,
        takes_latin_keys: bool = False,
        takes_hover: bool = True,
        takes_kitty_keys: bool = True,
        shows_cursor: bool = False,
        is_console: bool = False,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Prepare; nothing is drawn yet.

        Args:
            app: whose screens are drawn.
            output: of the terminal.
            colours: that the terminal can show.
            erases: see ``ScreenBuffer``.
            tokenizer: of the terminal's input.
            takes_alt: see ``KeyParser``.
            takes_latin_keys: the same.
            takes_hover: whether the mouse is followed while no button is held.
            takes_kitty_keys: whether keys come by the kitty keyboard protocol where there is one.
            shows_cursor: whether the terminal's own cursor is seen; it is moved in any case.
            is_console: see ``KeyParser``.
            debug: as Textual passes it.
            mouse: whether the app uses the mouse.
            size: columns and rows.
        """
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._output = output
        self._erases = erases
        self._buffer = ScreenBuffer(*(size or UNKNOWN_SIZE), Palette(colours), erases=erases)
        self._takes_hover = takes_hover and self._mouse
        self._shows_cursor = shows_cursor
        self._takes_kitty_keys = takes_kitty_keys and not is_console
        self._tokenizer = tokenizer or Tokenizer()
        self._parser = KeyParser(
            takes_alt=takes_alt, takes_latin_keys=takes_latin_keys, is_console=is_console
        )
        self._giving_up = Timer(self.fail)  # an unfinished sequence
        self.is_drawing = False  # between start_application_mode and stop_application_mode
        self._is_behind = False  # the terminal has not accepted all that was sent
        self._is_cleared = True  # nothing of a former size is on the terminal
        self._cursor = (0, 0)  # where the app wants it; (0, 0): it does not say
        self._held = ""  # sent once the terminal has caught up

    # The terminal's modes

    def start_application_mode(self) -> None:
        """Enter the alternate screen, and enable the mouse and bracketed paste."""
        self.is_drawing = self._is_cleared = True
        self._output.write(self.mode_sequence)

    @property
    def mode_sequence(self) -> str:
        """What sets the terminal's modes."""
        keys = ENABLE_KEYS if self._takes_kitty_keys else ""
        return ENTER_SCREEN + self._modes + keys

    @property
    def _modes(self) -> str:
        """What sets those that may be set more than once, and clears the screen."""
        mouse = ENABLE_MOUSE if self._mouse else ""
        moves = ENABLE_MOVES if self._takes_hover else ""
        cursor = "" if self._shows_cursor else HIDE_CURSOR
        return PREPARE_SCREEN + cursor + mouse + ENABLE_PASTES + moves

    @property
    def reset_sequence(self) -> str:
        """What resets them."""
        moves = DISABLE_MOVES if self._takes_hover else ""
        keys = DISABLE_KEYS if self._takes_kitty_keys else ""
        mouse = DISABLE_MOUSE if self._mouse else ""
        return moves + keys + DISABLE_PASTES + mouse + LEAVE_SCREEN

    def disable_input(self) -> None:
        """Stop handling input."""
        self._giving_up.stop()

    def stop_application_mode(self) -> None:
        """Restore the terminal's modes."""
        self.disable_input()
        if self.is_drawing:
            self.is_drawing = False
            self._output.write(self.reset_sequence)

    # Output

    def write(self, data: str) -> None:
        """Send what is not part of a frame: a copy to the clipboard, the bell.

        A terminal that is behind gets the last of them once it has caught up.
        """
        if not self.is_drawing:
            return
        if self._output.has_room():
            self._output.write(data)
        else:
            self._held = data

    def paint(self, pieces: Iterable[Piece], cursor: tuple[int, int]) -> None:
        """Draw what changed. A terminal that is behind gets it once it has caught up."""
        self._buffer.forget_styles()
        paint, number = self._buffer.paint, self._buffer.palette.number
        for y, x, strip in pieces:
            for text, style, control in strip:
                if not control:
                    x = paint(y, x, text, number(style))  # noqa: PLW2901
        self._cursor = cursor
        self._send()

    def caught_up(self) -> None:
        """Send what was held back while the terminal was behind."""
        held, self._held = self._held, ""
        if held and self.is_drawing:
            self._output.write(held)
        if self._is_behind:
            self._send()

    def _send(self) -> None:
        self._is_behind = not self._output.has_room()
        if self._is_behind or not self.is_drawing:
            return
        text = self._changes()
        if text:
            clear, self._is_cleared = ("" if self._is_cleared else CLEAR), True
            self._output.write(self._framed(clear + text))

    def _changes(self) -> str:
        """Return what brings the terminal up to date, with its cursor where the app wants it.

        There an input method shows its candidates, and a screen reader reads.
        """
        text = self._buffer.changes()
        return text + self._buffer.move(*self._cursor) if text and self._cursor != (0, 0) else text

    def _framed(self, text: str) -> str:
        """Return the output of a frame, with what a subclass wraps it in."""
        return text

    def redraw(self) -> None:
        """Set the modes again and draw everything: another program may have written over it."""
        self.write(self._modes)
        self._draw_all()

    def _draw_all(self) -> None:
        """Send everything that was painted so far: none of it is on the terminal."""
        self._buffer.forget_shown()
        self._send()

    def resize(self, width: int, height: int) -> None:
        """Draw in a new size from now on; the terminal is cleared with the next frame."""
        if (width, height) == (self._buffer.width, self._buffer.height):
            return
        self._buffer = ScreenBuffer(width, height, self._buffer.palette, erases=self._erases)
        self._is_cleared = False
        self._post_resize((width, height))

    def _post_resize(self, size: tuple[int, int]) -> None:
        self._size = size
        self._app.post_message(events.Resize(Size(*size), Size(*size)))

    @property
    def is_resized(self) -> bool:
        """Whether the terminal was resized since the last frame: it is cleared with the next."""
        return not self._is_cleared

    # Input

    def feed(self, data: bytes, *, has_more: bool = False) -> int:
        """Handle input from the terminal; return the number of keys and other events in it.

        Args:
            data: what came.
            has_more: whether the next call has more, however late: so a sequence that has begun is
                not given up.
        """
        count = self._handle(self._tokenizer.feed(data))
        if has_more:
            self._giving_up.stop()
        else:
            self._wait_for_rest()
        return count

    def _handle(self, tokens: Iterable[Token], came_at: float | None = None) -> int:
        count = 0
        move: events.MouseMove | None = None
        for message in self._parser.messages(tokens, self._app.size):
            count += 1
            if came_at is not None:
                message.time = came_at
            if isinstance(message, events.MouseMove):
                move = message  # of many in a row only the last one matters
                continue
            if move is not None:
                self.process_message(move)
                move = None
            self.process_message(message)
        if move is not None:
            self.process_message(move)
        return count

    def _wait_for_rest(self) -> None:
        """Give up an unfinished sequence after a while."""
        self._giving_up.stop()
        patience = self._tokenizer.patience
        if patience is not None:
            self._giving_up.start(patience, partial(self._give_up, Message().time))

    def _give_up(self, came_at: float) -> None:
        """Handle it as the keys that it turned out to be, which came a while ago."""
        self._handle(self._tokenizer.time_out(), came_at)

    def send_message(self, message: Message) -> None:
        """Post a message to the app, from its own loop."""
        self._app.post_message(message)

    def fail(self, error: Exception) -> None:
        """End the app with an error of a timer or a reader, which nobody else would catch."""
        self._app.call_later(_raise, error)


def _raise(error: Exception) -> None:
    raise error


class Output(Protocol):
    """The destination of a driver's output."""

    def write(self, text: str) -> None:
        """Send text; none is lost while the client is connected."""
        ...

    def has_room(self) -> bool:
        """Whether the client has received what was sent; if not, ``caught_up`` is called later."""
        ...


class NoTerminal:
    """The output of an app without a terminal yet: it is behind, and its screen is sent later."""

    def write(self, text: str) -> None:
        """Discard the text."""

    def has_room(self) -> bool:
        """Whether there is room: never."""
        return False
