"""Bugs of pettui's own in the background: reported, while the work goes on."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

logger = logging.getLogger(__name__)


class Faults:
    """The faults of one outbox, each kind once, so that none fills a disk with reports."""

    def __init__(
        self,
        report: Callable[[Exception], None] | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Start without a fault.

        Args:
            report: called with the first fault of each kind; by default it is logged.
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
        """Return the line of a fault, after reporting one of a new kind."""
        line = f"a bug of pettui's own while {doing} ({type(error).__name__})"
        if line not in self._lines:
            self._lines[line] = None
            self._report(error)
            self._changed()
        return line


def keep_running(
    doing: str,
    run: Callable[[], Coroutine[None, None, None]],
    faults: Faults,
    delay: float,
) -> asyncio.Task[None]:
    """Return a task that runs until ``stopped``; after an exception of any kind it starts again.

    Args:
        doing: what it does, for the line of a fault.
        run: what is started.
        faults: where each exception is reported.
        delay: seconds before it is started again.
    """
    return asyncio.create_task(_kept_running(doing, run, faults, delay), name=f"outbox: {doing}")


async def stopped(task: asyncio.Task[None] | None) -> None:
    """Cancel a task, and wait for its end."""
    if task is not None:
        task.cancel()
        await asyncio.wait([task])


async def _kept_running(
    doing: str, run: Callable[[], Coroutine[None, None, None]], faults: Faults, delay: float
) -> None:
    while True:
        try:
            await run()
        except Exception as error:  # noqa: BLE001 - whatever it is, the rest goes on
            faults.report(doing, error)
        else:
            return
        await asyncio.sleep(delay)


def _log(error: Exception) -> None:
    logger.error("a fault in the outbox", exc_info=error)
