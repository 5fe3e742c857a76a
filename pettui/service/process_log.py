"""The process log on standard error: without blocking, and not too often."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pettui.log_writer import Log

LINES: Final = 10  # of one kind in one period
PERIOD: Final = 60.0  # seconds
KINDS: Final = 100  # that are counted at once


class LogHandler(logging.Handler):
    """Writes records to a log."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log
        self.setFormatter(logging.Formatter("pettui: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        self._log.write(self.format(record) + "\n")


class RateLimit(logging.Filter):
    """Passes a few records of a kind in a minute, and then says how many it dropped.

    While a database can't be reached, every request logs the same.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}  # start of the period; count

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is to be written."""
        now, kind = self._clock(), (record.name, str(record.msg))
        began, count = self._kinds.get(kind, (now, 0))
        if now - began >= PERIOD:
            if count > LINES:
                record.msg = f"{record.msg} (and {count - LINES} more times since the last line)"
            began, count = now, 0
        if kind not in self._kinds and len(self._kinds) >= KINDS:
            self._kinds.clear()
        self._kinds[kind] = began, count + 1
        return count < LINES


@contextmanager
def process_log(log: Log) -> Iterator[None]:
    """Send the standard library's logging to a log, until the end of the block."""
    handler = LogHandler(log)
    handler.addFilter(RateLimit())
    root = logging.getLogger()
    root.addHandler(handler)
    # uvicorn warns of every malformed request; errors of clients are not logged here.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    try:
        yield
    finally:
        root.removeHandler(handler)
