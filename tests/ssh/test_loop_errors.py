"""LoopErrors: errors of the event loop are logged or reported once a minute."""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.ssh.conftest import Serve


async def test_a_shortage_is_logged_once_a_minute(serve: Serve) -> None:
    async with serve() as running:
        loop = asyncio.get_running_loop()
        for _ in range(1000):
            error = OSError(errno.EMFILE, "Too many open files")
            loop.call_exception_handler({"message": "socket.accept()", "exception": error})
        assert [event["reason"] for event in running.events("shortage")] == ["Too many open files"]
        assert not running.bugs


async def test_an_error_in_a_callback_is_reported_once_a_minute(serve: Serve) -> None:
    async with serve() as running:
        loop = asyncio.get_running_loop()
        for _ in range(10):
            loop.call_soon(lambda: 1 // 0)
        await running.wait_until(lambda: bool(running.bugs))
        await asyncio.sleep(0)
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
