"""The sizes that every screen has to work at, and resizing the terminal in a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Size

if TYPE_CHECKING:
    from tests.tui.driving import Driver

SIZES = ((40, 12), (56, 18), (80, 24), (79, 15), (100, 30), (200, 50))


async def resized(driver: Driver, size: tuple[int, int]) -> None:
    """Resize the terminal, and wait until the screen is drawn in its new size."""
    driver.app._driver._size = Size(*size)
    driver.app.post_message(events.Resize(Size(*size), Size(*size)))
    await driver.until(lambda: driver.app.screen._compositor.size == size)
    await driver.settled()
