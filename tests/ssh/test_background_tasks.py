"""What goes on as long as a process of the SSH server does."""

from __future__ import annotations

import asyncio

import pytest

from pettui.ssh.background_tasks import keep_running


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("no more threads"), KeyError(1)])
async def test_whatever_raises_in_the_background_is_told_and_started_again(
    error: Exception,
) -> None:
    told: list[BaseException] = []
    errors = [error, error]
    runs_on = asyncio.Event()

    async def run() -> None:
        if errors:
            raise errors.pop()
        runs_on.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(keep_running(run, told.append, pause=0))
    async with asyncio.timeout(60):
        await runs_on.wait()
    assert told == [error, error]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
