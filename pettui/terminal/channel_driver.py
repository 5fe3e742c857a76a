"""ChannelDriver: an app on a terminal at the other end of a channel; no PTY, no thread.

Of Textual's own it uses ``Driver._app`` and ``_size``, as ``driver`` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TextIO

from rich.console import ConsoleDimensions
from textual.events import DeliveryComplete, DeliveryFailed

from pettui.system.capabilities import CLIPBOARD_MAXIMUM
from pettui.terminal.driver import CellDriver, Output
from pettui.terminal.screen_buffer import ScreenBuffer
from pettui.terminal.sgr import Palette
from pettui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import App
    from textual.message import Message

    from pettui.terminal.client_terminal import ClientTerminal
    from pettui.terminal.tokenizer import Tokenizer


URL_SHOWN: Final = 60  # characters


class ChannelDriver(CellDriver):
    """Draws one app on one client's terminal; nothing is opened or saved on the server."""

    def __init__(
        self,
        app: App[Any],
        *,
        terminal: ClientTerminal,
        shown: FirstFrame | None = None,
        **options: Any,
    ) -> None:
        """Prepare; for the other arguments see ``CellDriver``.

        Args:
            app: whose screens are drawn.
            terminal: to draw on.
            shown: what the terminal shows already.
            options: passed on.
        """
        super().__init__(
            app,
            colours=terminal.colours,
            erases=terminal.erases,
            is_console=terminal.is_console,
            **options,
        )
        self._frame: FirstFrame | None = None  # what a terminal gets before all further changes
        self._is_shown = shown is not None
        if shown is not None:
            self._buffer = shown.buffer.copy()

    def start_application_mode(self) -> None:
        """Set the terminal's modes, unless that was done with what it shows already."""
        if self._is_shown:
            self.is_drawing = True
            self._is_shown = False
        else:
            super().start_application_mode()

    # Before there is a terminal

    def first_frame(self) -> FirstFrame:
        """Return what is drawn so far; a terminal that gets it needs only further changes."""
        if self._frame is None or not self._buffer.is_up_to_date:
            self._buffer.forget_shown()
            output = self.mode_sequence + self._changes()
            self._frame = FirstFrame(self._buffer.copy(), output, self.reset_sequence)
        return self._frame

    def fit(self, terminal: ClientTerminal, shown: FirstFrame | None = None) -> None:
        """Draw for another terminal from now on, which shows something already or gets it first."""
        self._erases, self._frame = terminal.erases, shown
        if shown is None:
            palette = Palette(terminal.colours)
            self._buffer = ScreenBuffer(*terminal.size, palette, erases=terminal.erases)
        else:
            self._buffer = shown.buffer.copy()
        if terminal.size == self._size:
            self._app.call_later(self._redraw)
        else:
            self._post_resize(terminal.size)

    def _post_resize(self, size: tuple[int, int]) -> None:
        self._app.console.size = ConsoleDimensions(*size)
        super()._post_resize(size)

    def _redraw(self) -> None:
        self._app.screen.refresh()

    def attach(
        self, terminal: ClientTerminal, output: Output, shown: FirstFrame | None = None
    ) -> None:
        """Show an app, which was drawn without a terminal so far, on a client's.

        Args:
            terminal: of the client.
            output: of the terminal.
            shown: what the terminal shows already.
        """
        self._parser.is_console = terminal.is_console
        self._output = output
        buffer, frame = self._buffer, self._frame
        drawn = (buffer.width, buffer.height), buffer.palette.colours, self._erases
        is_same = drawn == (*terminal.picture, terminal.erases)
        if not is_same or frame is None:
            self.start_application_mode()
        elif frame is not shown:
            output.write(frame.output)
        if is_same:
            self._frame = None
            self.caught_up()
        else:
            self.fit(terminal)

    # Input that is left to the next app

    def unread_input(self, events: Sequence[Message]) -> UnreadInput:
        """Return what is left at the end of its app, which has not handled these events."""
        return UnreadInput(events, self._tokenizer)

    def resume_input(self, unread: UnreadInput) -> None:
        """Handle what is left of the app before, ahead of all further input."""
        for event in unread.events:
            self.process_message(event)
        self._tokenizer = unread.tokenizer
        self._wait_for_rest()

    # What an app says to its user

    def show_overlay(self, text: str) -> None:
        """Show a line over the first row of the screen; "" removes it."""
        self._buffer.show_overlay(text)
        self._send()

    def open_url(self, url: str, new_tab: bool = True) -> None:  # noqa: ARG002
        """Copy the address to the client's clipboard: the server has no browser to open it."""
        if self.copy(url):
            self._notify(f"Copied {safe(url, URL_SHOWN)}")
        else:
            self._notify("The address is too long to be copied.", severity="error")

    def copy(self, text: str) -> bool:
        """Copy a text to the client's clipboard, if its terminal accepts that much."""
        if len(text.encode("utf-8", "replace")) > CLIPBOARD_MAXIMUM:
            return False
        self._app.copy_to_clipboard(text)
        return True

    def deliver_text(self, text: str, delivery_key: str, name: str | None) -> None:
        """Copy a text, in place of a file for the user."""
        if self.copy(text):
            self._notify("Copied to your clipboard, as no file can be sent here.")
            self._app.post_message(DeliveryComplete(delivery_key, None, name))
        else:
            self._refuse(delivery_key, name, "The text is too long for your clipboard")

    def deliver_binary(  # type: ignore[override]
        self, binary: BinaryIO | TextIO, *, delivery_key: str, name: str | None, **_options: Any
    ) -> None:
        """Refuse: the file would be saved on the server."""
        binary.close()
        self._refuse(delivery_key, name, "This is no text to copy")

    def _refuse(self, delivery_key: str, name: str | None, reason: str) -> None:
        text = f"{reason}, and no file can be sent here."
        self._notify(text, severity="error")
        self._app.post_message(DeliveryFailed(delivery_key, OSError(text), name))

    def _notify(self, text: str, **options: Any) -> None:
        self._app.notify(text, markup=False, **options)


@dataclass(frozen=True, slots=True)
class FirstFrame:
    """The first frame of apps that all show the same at first, on one kind of terminal."""

    buffer: ScreenBuffer  # of a terminal that shows it; to be copied
    output: str  # sets the terminal's modes, and draws the frame
    reset: str  # resets the modes


@dataclass(frozen=True, slots=True)
class UnreadInput:
    """What was typed for an app that ended before it handled it."""

    events: Sequence[Message]  # keys and pastes
    tokenizer: Tokenizer  # with the begin of a sequence or a paste, perhaps
