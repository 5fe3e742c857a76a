"""What libraries and our own modules tell the standard library's loggers, as lines of the log.

asyncio has a line to say for each answer that it cannot send any more: whoever asks for thousands
and hangs up would fill the disk with them, between lines that are JSON.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.ssh.event_log import EventLog


class EventHandler(logging.Handler):
    """Hands records to the log of events, each as one."""

    def __init__(self, event_log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._event_log = event_log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        level = record.levelname.lower()
        self._event_log.write(
            "warning", level=level, logger=record.name, reason=record.getMessage()
        )


@contextmanager
def logged_warnings(event_log: EventLog) -> Iterator[None]:
    """Let what loggers are told go to the log of events, until the end of the block."""
    handler = EventHandler(event_log)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
