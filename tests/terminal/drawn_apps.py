"""Small apps on a driver of cells, drawn on a terminal that pyte plays."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pyte

from pettui.system.capabilities import Colours, Glyphs
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.client_terminal import ClientTerminal
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.terminal.cell_app import CellApp

SIZE = (40, 10)


class PlayedTerminal:
    """An output that shows what it was sent, and takes no more while it is full."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.is_full = False
        self._screen = pyte.Screen(*SIZE)
        self._stream = pyte.Stream(self._screen)

    def write(self, text: str) -> None:
        self.written.append(text)
        self._stream.feed(text)

    def has_room(self) -> bool:
        return not self.is_full

    def scribble(self, text: str) -> None:
        """Show what another program wrote."""
        self._stream.feed(text)

    @property
    def cursor(self) -> tuple[int, int]:
        return self._screen.cursor.x, self._screen.cursor.y

    @property
    def has_cursor(self) -> bool:
        return not self._screen.cursor.hidden

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)


@asynccontextmanager
async def drawn(
    app: CellApp[Any], *, is_held: bool = False, before: str = "", shows_cursor: bool = False
) -> AsyncIterator[PlayedTerminal]:
    """Run an app on a terminal, and end it; if held, it draws nothing yet.

    Before it, another program wrote something.
    """
    terminal = PlayedTerminal()
    terminal.scribble(before)
    app.driver_class = partial(  # type: ignore[assignment]
        ChannelDriver,
        output=terminal,
        terminal=ClientTerminal("xterm", SIZE, Colours.TRUE, Glyphs.UNICODE),
        shows_cursor=shows_cursor,
    )
    running = asyncio.create_task(app.run_async(size=SIZE))
    await until(lambda: app.is_running and (is_held or terminal.text.strip()))
    yield terminal
    app.exit()
    await running
