"""What the event loop of a process tells of by itself: once a minute, and never a flood."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from pettui.ssh.event_log import EventLog

PAUSE = 60.0  # seconds between two lines of one kind
SHORTAGES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class LoopErrors:
    """The exception handler of a loop: shortages to the log, bugs of ours to a report."""

    def __init__(self, event_log: EventLog, tell_of_bug: Callable[[BaseException], None]) -> None:
        self._event_log = event_log
        self._tell_of_bug = tell_of_bug
        self._told: dict[str, float] = {}  # by kind of error: when it was told last

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Tell of an error, unless one of its kind was told of in the last minute."""
        error = context.get("exception")
        if error is None:
            loop.default_exception_handler(context)
            return
        kind = f"{type(error).__name__} {getattr(error, 'errno', '')}"
        if loop.time() - self._told.get(kind, -PAUSE) < PAUSE:
            return
        self._told[kind] = loop.time()
        if isinstance(error, OSError) and error.errno in SHORTAGES:
            self._event_log.write("shortage", reason=error.strerror)
        elif isinstance(error, OSError):
            self._event_log.write("error", reason=str(error)[:200])
        else:
            self._tell_of_bug(error)
