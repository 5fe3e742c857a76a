"""The signals between the supervisor and the workers."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Final

REPLACE: Final = signal.SIGRTMIN  # from an empty worker, which no longer accepts connections
READY: Final = signal.SIGRTMIN + 1  # from a worker that accepts connections
CONTINUE: Final = signal.SIGRTMIN + 2  # to a worker whose successor could not be started
FROM_WORKERS: Final = (signal.SIGCHLD, REPLACE, READY)
# Handled by the supervisor alone, although a terminal sends them to each process.
IGNORED_BY_WORKERS: Final = (
    signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
)  # fmt: skip
WATCHED: Final = (signal.SIGTERM, signal.SIGINT, *FROM_WORKERS, *IGNORED_BY_WORKERS)


def signal_supervisor(number: int) -> None:
    """Send a signal to the supervisor of this worker."""
    os.kill(os.getppid(), number)


def send_signal(process: int, number: int) -> None:
    """Send a signal to a process, if it still exists."""
    with suppress(ProcessLookupError):
        os.kill(process, number)
