"""Apps that have ended are taken apart, but not before all of them has ended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


async def test_an_app_that_still_shuts_down_is_taken_apart_afterwards(
    serve: Callable[..., Any],
) -> None:
    async with serve() as running, running.session():
        [(task, session)] = running.state.sessions.items()
        app = session.runner.app
        close_all, begins, may_end = app._close_all, asyncio.Event(), asyncio.Event()

        async def close_late() -> None:
            begins.set()
            await may_end.wait()
            await close_all()

        app._close_all = close_late
        session.end("cut")
        await running.wait_until(begins.is_set)
        task.cancel()  # it took too long
        await running.wait_until(lambda: not running.state.sessions)
        assert not app.take_apart()
        may_end.set()
        await running.wait_until(lambda: not vars(app))
        assert not running.bugs
