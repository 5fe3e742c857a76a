"""A pipe that nobody reads, and that is full."""

from __future__ import annotations

import os
from contextlib import suppress


def fill(descriptor: int) -> int:
    """Fill the pipe behind a descriptor of either end; returns how many bytes went in."""
    # A description of its own: the pipe stays a blocking one for everybody else.
    writing = os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK)
    filled = 0
    try:
        with suppress(BlockingIOError):
            while True:
                filled += os.write(writing, b"\n")
    finally:
        os.close(writing)
    return filled
