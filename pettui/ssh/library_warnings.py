"""Warnings of the standard library's loggers, as events of the JSON log.

asyncio logs a line for each write to a connection that is gone: a client that requests thousands of
replies and disconnects would fill the disk with lines that are not JSON.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.ssh.event_log import EventLog


class EventHandler(logging.Handler):
    """Writes each record to the event log."""

    def __init__(self, event_log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._event_log = event_log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record as an event."""
        level = record.levelname.lower()
        self._event_log.write(
            "warning", level=level, logger=record.name, reason=record.getMessage()
        )


@contextmanager
def logged_warnings(event_log: EventLog) -> Iterator[None]:
    """Write warnings of all loggers to the event log during the block."""
    handler = EventHandler(event_log)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
