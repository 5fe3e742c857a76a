"""The Textual Driver that speaks to a terminal over a channel: no pseudo-terminal, no thread.

Of Textual's own it uses ``Driver._app`` and ``_size``, as ``cell_driver`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from pettui.terminal.cell_driver import CellDriver
from pettui.terminal.output.screen_buffer import ScreenBuffer

if TYPE_CHECKING:
    from pettui.terminal.output.output import Output
    from pettui.terminal.output.sgr import Palette


class ChannelDriver(CellDriver):
    """Draws one app on one client's terminal, and acts on nothing of the server's machine."""

    def attach(
        self, output: Output, palette: Palette, size: tuple[int, int], *, erases: bool = False
    ) -> None:
        """Go on, on a client's terminal, with what was drawn for nobody so far."""
        is_same = (*size, palette) == (self._buffer.width, self._buffer.height, self._palette)
        self._output, self._palette, self._erases = output, palette, erases
        self.start_application_mode()
        if is_same:
            self._buffer.erases = erases
            self.caught_up()
            return
        self._buffer = ScreenBuffer(*size, palette, erases=erases)
        if size == self._size:
            self._app.call_later(self._draw_anew)
        else:
            self._tell_size(size)

    def _draw_anew(self) -> None:
        self._app.screen.refresh()

    def note(self, text: str) -> None:
        """Lay a line over the first row of whatever is shown; "" takes it away."""
        self._buffer.note(text, self._palette.note)
        self._send(None)

    def open_url(self, url: str, new_tab: bool = True) -> None:  # noqa: ARG002
        """Give the client the address to open; the server has no browser for it."""
        self._app.copy_to_clipboard(url)

    def deliver_binary(self, binary: BinaryIO | TextIO, **_options: Any) -> None:
        """Deliver nothing: a file would land on the server."""
        binary.close()
