"""The signals that the first process of a server waits for, and those that it and workers send."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Final

WANTS_SUCCESSOR: Final = signal.SIGRTMIN  # from a worker that accepts nobody any more
IS_READY: Final = signal.SIGRTMIN + 1  # from a worker that accepts connections
GO_ON: Final = signal.SIGRTMIN + 2  # to a worker that got no successor
OF_WORKERS: Final = (signal.SIGCHLD, WANTS_SUCCESSOR, IS_READY)
# What the first process answers for all: a terminal sends them to each process.
LEFT_TO_FIRST: Final = (
    signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
)  # fmt: skip
WATCHED: Final = (signal.SIGTERM, signal.SIGINT, *OF_WORKERS, *LEFT_TO_FIRST)


def tell_supervisor(number: int) -> None:
    """Send a signal to the process that watches over this one."""
    os.kill(os.getppid(), number)


def tell(process: int, number: int) -> None:
    """Send a signal to a process, if it is still there."""
    with suppress(ProcessLookupError):
        os.kill(process, number)
