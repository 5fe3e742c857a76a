"""Wakeups: pipes through which one process of the server wakes another."""

from __future__ import annotations

import os
from contextlib import suppress


class Wakeups:
    """A pipe for each process, which all of them have."""

    def __init__(self, processes: int) -> None:
        """Create the pipes for this many processes, before they are forked."""
        self._pipes = [_pipe() for _ in range(processes)]

    def descriptor(self, process: int) -> int:
        """Return what is readable once a process was woken, until ``clear``."""
        return self._pipes[process][0]

    def wake(self, process: int) -> None:
        """Wake a process."""
        with suppress(BlockingIOError):  # the pipe is full: it is readable already
            os.write(self._pipes[process][1], b".")

    def clear(self, process: int) -> None:
        """Make a descriptor unreadable again."""
        with suppress(BlockingIOError):
            os.read(self._pipes[process][0], 4096)

    def close(self) -> None:
        """Close the pipes."""
        for end in (end for pipe in self._pipes for end in pipe):
            os.close(end)


def _pipe() -> tuple[int, int]:
    """Return the ends of a pipe that never blocks."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    return ends
