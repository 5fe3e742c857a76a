"""Background tasks: restarted after an exception, ended, and awake at the same moments.

What raises in them is a bug of pettui's own: it is reported, while the work goes on.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

logger = logging.getLogger(__name__)

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


class Timer:
    """One thing that is to be done later; of several starts the last one counts."""

    __slots__ = ("_fail", "_handle")

    def __init__(self, fail: Callable[[Exception], object] | None = None) -> None:
        """Begin stopped; ``fail`` gets what is raised, or else the loop."""
        self._handle: asyncio.TimerHandle | None = None
        self._fail = fail

    @property
    def is_running(self) -> bool:
        """Whether it was started, and has not been done yet."""
        return self._handle is not None

    def start(self, seconds: float, call: Callable[[], object]) -> None:
        """Call something in so many seconds."""
        self.stop()
        self._handle = asyncio.get_running_loop().call_later(seconds, self._run, call)

    def _run(self, call: Callable[[], object]) -> None:
        self._handle = None
        try:
            call()
        except Exception as error:
            if self._fail is None:
                raise
            self._fail(error)

    def stop(self) -> None:
        """Call nothing."""
        if self._handle is not None:
            self._handle.cancel()  # what it refers to may be freed
            self._handle = None


class Bugs:
    """The bugs met in one task's work, each kind once, so that none fills a disk with reports."""

    def __init__(
        self,
        report: Callable[[Exception], None] | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Start without a bug.

        Args:
            report: called with the first bug of each kind; by default it is logged.
            changed: called when the lines change.
        """
        self._report = report or _log
        self._changed = changed
        self._lines: dict[str, None] = {}

    @property
    def lines(self) -> tuple[str, ...]:
        """One line a kind, in order; no text of an exception, which may hold the key."""
        return tuple(self._lines)

    def report(self, doing: str, error: Exception) -> str:
        """Return the line of a bug, after reporting one of a new kind."""
        line = f"a bug of pettui's own while {doing} ({type(error).__name__})"
        if line not in self._lines:
            self._lines[line] = None
            self._report(error)
            self._changed()
        return line


def _log(error: Exception) -> None:
    logger.error("a bug in the background", exc_info=error)
