"""A key that moves the cursor is done without a message, and overtakes nothing that came before."""

from __future__ import annotations

import asyncio

from tests.tui.driving import open_app


async def test_earlier_messages_to_the_screen_come_first() -> None:
    goes_on = asyncio.Event()
    cursors: list[int] = []
    async with open_app() as driver:
        table = driver.screen.table

        async def look_at_cursor() -> None:
            await goes_on.wait()
            cursors.append(table.cursor)

        driver.screen.call_later(look_at_cursor)
        driver.type("down")
        await driver.until(lambda: not driver.app.session.key_queue.is_idle)
        assert table.cursor == 0
        goes_on.set()
        await driver.settled()
        assert cursors == [0]
        assert table.cursor == 1


async def test_keys_in_one_packet_are_done_in_order() -> None:
    async with open_app() as driver:
        await driver.press("down", "down", "end", "up", "home", "down")
        assert driver.screen.table.cursor == 1
