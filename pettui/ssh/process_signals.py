"""The signals between the supervisor and the workers."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

# macOS has no real-time signals: there, processes are not replaced, and the three are 0.
CAN_REPLACE: Final = hasattr(signal, "SIGRTMIN")
_NUMBERS: Final = [signal.SIGRTMIN + n for n in range(3)] if CAN_REPLACE else [0, 0, 0]
REPLACE: Final = _NUMBERS[0]  # from an empty worker, which no longer accepts connections
READY: Final = _NUMBERS[1]  # from a worker that accepts connections
CONTINUE: Final = _NUMBERS[2]  # to a worker whose successor could not be started
FROM_WORKERS: Final = (signal.SIGCHLD, *((REPLACE, READY) if CAN_REPLACE else ()))
# Handled by the supervisor alone, although a terminal sends them to each process.
IGNORED_BY_WORKERS: Final = (signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)
WATCHED: Final = (
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, *FROM_WORKERS, *IGNORED_BY_WORKERS,
)  # fmt: skip


class ReceivedSignal(NamedTuple):
    """A signal, and the process that sent it; 0 if that is unknown, as on macOS."""

    number: int
    sender: int
    is_of_terminal: bool = False  # sent by the system, since a key was pressed or it was closed

    @property
    def exit_code(self) -> int | None:
        """What a server ends with that got this signal; None if it does not end."""
        if self.number in (signal.SIGTERM, signal.SIGINT):
            return 0
        if self.number == signal.SIGQUIT or (self.number == signal.SIGHUP and self.is_of_terminal):
            return 128 + self.number
        return None


def wait_for_signal(numbers: Iterable[int], seconds: float | None = None) -> ReceivedSignal | None:
    """Wait for one of several blocked signals, for ever or so long; return it, or None.

    A timer ends the wait, since Python's ``sigtimedwait`` may return a signal that nobody has sent:
    whatever is in its memory, after SIGSTOP and SIGCONT, if the time is over by then.
    """
    signal.setitimer(signal.ITIMER_REAL, 0.0 if seconds is None else max(seconds, 0.001))
    try:
        while (received := _next_signal({*numbers, signal.SIGALRM})) is None:
            if seconds is not None:
                return None
        return received
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _next_signal(numbers: set[int]) -> ReceivedSignal | None:
    """Return the next of several signals; None for that of the timer."""
    if hasattr(signal, "sigwaitinfo"):
        info = signal.sigwaitinfo(numbers)
        is_of_system = info.si_code > 0  # no process has sent it
        if info.si_signo == signal.SIGALRM and is_of_system:
            return None
        return ReceivedSignal(info.si_signo, info.si_pid, is_of_system)
    number = signal.sigwait(numbers)
    return None if number == signal.SIGALRM else ReceivedSignal(number, 0)


def signal_supervisor(supervisor: int, number: int) -> None:
    """Send a signal to the supervisor of this worker.

    Once that has ended, the parent is another process: init, to which such signals mean a lot.
    """
    if os.getppid() == supervisor:
        send_signal(supervisor, number)


def send_signal(process: int, number: int) -> None:
    """Send a signal to a process, if it still exists."""
    with suppress(ProcessLookupError):
        os.kill(process, number)


def send_signals(processes: Iterable[int], number: int) -> None:
    """Send a signal to all of these processes that still exist."""
    for process in processes:
        send_signal(process, number)
