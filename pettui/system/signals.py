"""Signals that end a program which has something to finish, or to put back, before it ends."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object]

ENDING: Final = (
    signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
    signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU,
)  # fmt: skip


@contextmanager
def handled(handlers: Mapping[signal.Signals, Handler]) -> Iterator[None]:
    """Handle signals until the end of the block, then as before; only in the main thread.

    A hangup that the parent process ignores, as nohup does, stays ignored.
    """
    former = {
        number: signal.signal(number, handler)
        for number, handler in handlers.items()
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let ctrl+c interrupt a blocking call; asyncio's handler would wait for its end."""
    if not callable(signal.getsignal(signal.SIGINT)):  # ignored, as the parent process wanted
        yield
        return
    with handled({signal.SIGINT: signal.default_int_handler}):
        yield


@contextmanager
def cancelled_by_signals(task: asyncio.Task[Any] | None) -> Iterator[None]:
    """Let SIGTERM and SIGHUP cancel a task, as ctrl+c does.

    The process dies of the signal after the block. A signal that the parent process ignored, as
    nohup does, stays ignored.
    """
    received: list[int] = []

    def cancel(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        if task is not None:
            task.get_loop().call_soon_threadsafe(task.cancel)  # which wakes the loop

    ending = (signal.SIGTERM, signal.SIGHUP)
    usual = [number for number in ending if signal.getsignal(number) is signal.SIG_DFL]
    try:
        with handled(dict.fromkeys(usual, cancel)):
            yield
    finally:
        if received:
            os.kill(os.getpid(), received[0])


def end_at_signals(loop: asyncio.AbstractEventLoop, end: Callable[[int], object]) -> None:
    """Have a loop end an app at signals that end a program; the signal is passed on."""
    for number in ENDING:
        loop.add_signal_handler(number, end, number)


def ignore_signals(loop: asyncio.AbstractEventLoop) -> None:
    """Ignore these signals while the last line is written after an app has ended.

    Ctrl+C is a signal again by then, since the terminal is restored.
    """
    # The loop closes the other end first, and Python would warn about that on the terminal.
    signal.set_wakeup_fd(-1)
    for number in ENDING:
        loop.remove_signal_handler(number)  # first, since it restores the default handler
        signal.signal(number, signal.SIG_IGN)


def die_of_signals() -> None:
    """Let signals end the process at once; Python's own handler would print a traceback."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


def has_terminal() -> bool:
    """Whether there is a controlling terminal; after a hangup there is none (tty(4))."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    os.close(descriptor)
    return True


class Stoppable(Protocol):
    """A server that can be stopped, and reads its certificate again."""

    def stop(self, *, at_once: bool = False) -> None:
        """Stop soon, or at once."""
        ...

    def reload(self) -> None:
        """Read the certificate again."""
        ...


class ServiceSignals:
    """SIGTERM and SIGINT end a service, and SIGHUP has it read its certificate again.

    While it starts, SIGTERM exits with 0 and SIGINT interrupts. Afterwards both let the server end,
    and a further SIGINT ends it at once. A hangup ends what was started on a terminal that is gone.
    """

    def __init__(self) -> None:
        self._server: Stoppable | None = None
        self._is_reload_due = False  # a SIGHUP came before there was a server
        self._had_terminal = has_terminal()

    def hand_over(self, server: Stoppable) -> None:
        """From now on, signals stop a server and not the process."""
        self._server = server
        if self._is_reload_due:
            server.reload()

    @contextmanager
    def handled(self) -> Iterator[ServiceSignals]:
        """Handle signals until the end of the block; only in the main thread."""
        # asyncio would only note a first SIGINT, and its loop may be blocked for a long time.
        ending = dict.fromkeys((signal.SIGTERM, signal.SIGINT), self._end)
        with handled({**ending, signal.SIGHUP: self._hang_up}):
            yield self

    def _end(self, number: int, _frame: FrameType | None) -> None:
        if self._server is not None:
            self._server.stop(at_once=number == signal.SIGINT)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            sys.exit(0)

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        if self._had_terminal and not has_terminal():
            self._end(number, frame)
        elif self._server is not None:
            self._server.reload()
        else:
            self._is_reload_due = True
