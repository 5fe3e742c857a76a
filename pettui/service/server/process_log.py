"""What the process itself has to say, on standard error: without waiting, and not too often."""

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
    """Hands records to a log, each as lines of ours."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log
        self.setFormatter(logging.Formatter("pettui: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        self._log.write(self.format(record) + "\n")


class Seldom(logging.Filter):
    """Lets a few records of one kind through in a minute, and then says how many it kept back.

    While a database can't be reached, each request has the same to say.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}  # when it began; how many

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
    """Let what the standard library's loggers are told go to a log, until the end of the block."""
    handler = LogHandler(log)
    handler.addFilter(Seldom())
    root = logging.getLogger()
    root.addHandler(handler)
    # uvicorn warns of every malformed request; what a client sends is no matter for our log.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    try:
        yield
    finally:
        root.removeHandler(handler)
