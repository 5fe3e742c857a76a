"""Standard output for scripts: all bytes exactly, or an error."""

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
    """The reader of standard output has ended, as ``head`` does."""


def check_output() -> None:
    """Make sure that there is a standard output, before anything is sent.

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
        ClosedPipeError: there is no reader any more.
        ConfigurationError: it cannot be written; its disk is full, for example.
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
        reason = f"cannot be written: {(error.strerror or 'failed').lower()}"
        raise ConfigurationError(SETTING, reason) from None


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let ctrl+c interrupt a blocked write; asyncio's handler would wait for its end."""
    usual = signal.getsignal(signal.SIGINT)
    if not callable(usual):  # ignored, as the parent process wanted
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
