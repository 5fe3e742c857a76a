"""What the list's table does with keys."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from textual.message_pump import MessagePump

from tests.tui.driving import open_app

if TYPE_CHECKING:
    import pytest
    from textual.message import Message

MESSAGES_MAXIMUM = 5  # of a move of the cursor; as keys go from widget to widget it is 13


async def test_a_move_of_the_cursor_takes_few_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    dispatched: Counter[tuple[str, str]] = Counter()
    dispatch = MessagePump._dispatch_message

    async def counted(pump: MessagePump, message: Message) -> None:
        dispatched[type(pump).__name__, type(message).__name__] += 1
        await dispatch(pump, message)

    async with open_app() as driver:
        await driver.press("j")
        monkeypatch.setattr(MessagePump, "_dispatch_message", counted)
        driver.type("j")
        await driver.until(lambda: driver.screen.table.cursor == 2)
        await driver.until(lambda: driver.app.session.key_queue.is_idle)
        monkeypatch.undo()
        assert dispatched["PetTable", "Key"] == 0
        assert dispatched["PetListScreen", "Key"] == 0
        assert dispatched.total() <= MESSAGES_MAXIMUM


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
