"""Tasks that run in the background: restarted, and woken together."""

from __future__ import annotations

import asyncio

import pytest

from pettui.system.background_tasks import keep_running, next_tick


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


async def test_tasks_with_the_same_interval_wake_up_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, now = asyncio.get_running_loop(), 10.0
    monkeypatch.setattr(loop, "time", lambda: now)
    tasks = []

    async def run_all() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    for now in (10.2, 10.4):  # noqa: B007 - the loop's clock
        tasks.append(asyncio.create_task(next_tick(0.5)))
        await run_all()
    for now, woken in ((10.49, False), (10.5, True)):
        await run_all()
        assert [task.done() for task in tasks] == [woken, woken], now
