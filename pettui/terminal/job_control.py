"""Job control: stopping this program for the shell that started it (POSIX)."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable


def has_shell() -> bool:
    """Whether there is a shell to continue the program; without one it would stop for good."""
    return os.getpgrp() != os.getsid(0)


def watch(loop: AbstractEventLoop, stop: Callable[[], None], resume: Callable[[], None]) -> None:
    """Have the event loop call ``stop`` for SIGTSTP, and ``resume`` for SIGCONT."""
    loop.add_signal_handler(signal.SIGTSTP, stop)
    # Deferred, so that a signal that comes with it is handled first: ``kill %1`` sends both.
    loop.add_signal_handler(signal.SIGCONT, loop.call_soon, resume)


def stop_job(loop: AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Stop this process's whole job; return once the shell has continued it.

    One signal stops them all: the shell continues as soon as the processes that it knows have
    stopped, and its SIGCONT cancels stops that were sent before it, but none that come after.
    Without a shell the system would stop nothing either (POSIX, orphaned process groups).

    Args:
        loop: whose handler of SIGTSTP is replaced by the system's own meanwhile.
        stop: the handler.
    """
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(0, signal.SIGTSTP)
    loop.add_signal_handler(signal.SIGTSTP, stop)
