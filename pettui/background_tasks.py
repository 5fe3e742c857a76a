"""Background tasks: restarted after an exception, ended, and awake at the same moments."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

PAUSE: Final = 60.0  # seconds; a persistent bug is reported once a minute


async def keep_running(
    run: Callable[[], Coroutine[None, None, None]],
    report_bug: Callable[[Exception], object],
    pause: float = PAUSE,
) -> None:
    """Run a background task to its end, or until cancelled; restart it after any exception.

    Args:
        run: the task.
        report_bug: called with each exception.
        pause: seconds before it is restarted.
    """
    while True:
        try:
            await run()
        except Exception as error:  # noqa: BLE001 - whatever it is, the rest goes on
            report_bug(error)
        else:
            return
        await asyncio.sleep(pause)


async def stopped(task: asyncio.Task[None] | None) -> None:
    """Cancel a task, and wait for its end."""
    if task is not None:
        task.cancel()
        await asyncio.wait([task])


async def next_tick(interval: float) -> None:
    """Sleep until the clock's next multiple of an interval.

    All tasks with the same interval, or multiples of it, wake up at the same moment: waking an idle
    process costs more than what most of them do.

    Args:
        interval: in seconds.
    """
    now = asyncio.get_running_loop().time()
    await asyncio.sleep(interval - now % interval)
