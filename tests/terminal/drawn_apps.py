"""Small apps on a driver of cells, drawn on a terminal that pyte plays."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pyte

from pettui.settings import Colours
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.sgr import Palette

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pettui.terminal.cell_app import CellApp

PATIENCE = 20.0  # seconds; a loaded machine is no failure
SIZE = (40, 10)


class PlayedTerminal:
    """An output that shows what it was sent, and takes no more while it is full."""

    def __init__(self, size: tuple[int, int] = SIZE) -> None:
        self.written: list[str] = []
        self.is_full = False
        self._screen = pyte.Screen(*size)
        self._stream = pyte.Stream(self._screen)

    def write(self, text: str) -> None:
        self.written.append(text)
        self._stream.feed(text)

    def has_room(self) -> bool:
        return not self.is_full

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(PATIENCE):
            while not condition():  # noqa: ASYNC110 - of a screen, which tells nobody
                await asyncio.sleep(0.005)


@asynccontextmanager
async def drawn(
    app: CellApp[Any], size: tuple[int, int] = SIZE, *, is_held: bool = False
) -> AsyncIterator[PlayedTerminal]:
    """Run an app on a terminal of this size, and end it; if held, it draws nothing yet."""
    terminal = PlayedTerminal(size)
    palette = Palette(Colours.TRUE)
    app.driver_class = partial(ChannelDriver, output=terminal, palette=palette, erases=True)  # type: ignore[assignment]
    running = asyncio.create_task(app.run_async(size=size))
    await terminal.until(lambda: app.is_running and (is_held or terminal.text.strip()))
    yield terminal
    app.exit()
    await running
