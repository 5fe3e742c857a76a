"""Background tasks of a process: they wake up together, and are restarted after an exception."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

PAUSE: Final = 60.0  # seconds; a persistent bug is reported once a minute


async def keep_running(
    run: Callable[[], Coroutine[None, None, None]],
    report_bug: Callable[[BaseException], None],
    pause: float = PAUSE,
) -> None:
    """Run a background task until cancelled; restart it after any exception.

    Args:
        run: the task.
        report_bug: called with each exception.
        pause: seconds before it is restarted.
    """
    while True:
        try:
            await run()
        except Exception as error:  # noqa: BLE001 - a bug must not end the sessions
            report_bug(error)
        await asyncio.sleep(pause)


async def next_tick(interval: float) -> None:
    """Sleep until the clock's next multiple of an interval.

    All tasks with the same interval, or multiples of it, wake up at the same moment: waking an idle
    process costs more than what most of them do.

    Args:
        interval: in seconds.
    """
    now = asyncio.get_running_loop().time()
    await asyncio.sleep(interval - now % interval)
