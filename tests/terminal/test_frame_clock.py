"""A screen is drawn at once, and no oftener than its terminal is to be written to."""

from __future__ import annotations

import asyncio

from pettui.terminal.cell_app import PERIOD, FrameClock


class Drawings:
    """When a clock had something drawn, by the loop's time."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.clock = FrameClock(lambda: self.times.append(asyncio.get_running_loop().time()))

    async def come_to(self, count: int) -> None:
        async with asyncio.timeout(60):
            while len(self.times) < count:  # noqa: ASYNC110 - of a clock, which tells nobody
                await asyncio.sleep(0)


async def test_a_screen_is_drawn_after_the_callbacks_that_are_already_scheduled() -> None:
    drawings = Drawings()
    asyncio.get_running_loop().call_soon(drawings.clock.resume)
    drawings.clock.resume()
    assert drawings.times == []
    await asyncio.sleep(0)
    assert len(drawings.times) == 1


async def test_the_next_frame_comes_a_period_later() -> None:
    drawings = Drawings()
    for count in (1, 2):
        drawings.clock.resume()
        await drawings.come_to(count)
    first, second = drawings.times
    assert second - first >= PERIOD * 0.9  # the loop rounds to its clock's resolution


async def test_nothing_is_drawn_while_it_is_paused() -> None:
    drawings = Drawings()
    drawings.clock.resume()
    drawings.clock.pause()
    await asyncio.sleep(2 * PERIOD)
    assert drawings.times == []
    drawings.clock.resume()
    await drawings.come_to(1)
