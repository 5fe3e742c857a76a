"""Standard output as scripts need it: exact bytes, all of them, or the reason why not."""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pettui.configuration import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTING = "standard output"


class ClosedPipeError(Exception):
    """Whoever read standard output wants no more, as ``head`` does."""


def check_output() -> None:
    """Make sure that there is a standard output, before anything is asked for or added.

    Raises:
        ConfigurationError: it was closed before the start.
    """
    if sys.stdout is None:
        raise ConfigurationError(SETTING, "is closed")


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def write_output(content: bytes) -> None:
    """Write all of the bytes, whatever the locale, also to a pipe that does not block.

    Raises:
        ClosedPipeError: nobody reads any more.
        ConfigurationError: it takes no more: the disk behind it is full, say.
    """
    descriptor = sys.stdout.fileno()
    rest = memoryview(content)
    try:
        with _interruptible():
            while rest:
                try:
                    rest = rest[os.write(descriptor, rest) :]
                except BlockingIOError:
                    select.select([], [descriptor], [])
    except BrokenPipeError:
        raise ClosedPipeError from None
    except OSError as error:
        reason = f"takes no more: {(error.strerror or 'failed').lower()}"
        raise ConfigurationError(SETTING, reason) from None


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let ctrl+c end a write that nobody reads; asyncio's own handler would wait for its end."""
    usual = signal.getsignal(signal.SIGINT)
    if not callable(usual):  # it is ignored, as whoever started this process wanted
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
