"""keep_running: background tasks of a process of the SSH server."""

from __future__ import annotations

import asyncio

import pytest

from pettui.ssh.background_tasks import keep_running


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("no more threads"), KeyError(1)])
async def test_a_background_task_that_raises_is_reported_and_restarted(
    error: Exception,
) -> None:
    reported: list[BaseException] = []
    errors = [error, error]
    runs_on = asyncio.Event()

    async def run() -> None:
        if errors:
            raise errors.pop()
        runs_on.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(keep_running(run, reported.append, pause=0))
    async with asyncio.timeout(60):
        await runs_on.wait()
    assert reported == [error, error]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
