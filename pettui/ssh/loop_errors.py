"""LoopErrors: logs or reports what the event loop passes to its exception handler."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from pettui.logs import EventLog

INTERVAL = 60.0  # seconds between two of one kind, which may occur in each iteration
SHORTAGES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class LoopErrors:
    """An event loop's exception handler: OS errors are logged, others are reported as bugs."""

    def __init__(self, event_log: EventLog, report_bug: Callable[[BaseException], None]) -> None:
        self._event_log = event_log
        self._report_bug = report_bug
        self._reported: dict[str, float] = {}  # when each kind was reported last

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log or report an error, unless there was one of its kind in the last minute."""
        error = context.get("exception")
        if error is None:
            loop.default_exception_handler(context)
            return
        kind = f"{type(error).__name__} {getattr(error, 'errno', '')}"
        if loop.time() - self._reported.get(kind, -INTERVAL) < INTERVAL:
            return
        self._reported[kind] = loop.time()
        if isinstance(error, OSError) and error.errno in SHORTAGES:
            self._event_log.write("shortage", reason=error.strerror)
        elif isinstance(error, OSError):
            self._event_log.write("error", reason=str(error)[:200])
        else:
            self._report_bug(error)
