"""What signals do to the app, while it runs and in what is left of the program after it (POSIX)."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.tui.app import PetApp

# What asks the app to end, or would end it, by name: Windows has fewer.
SIGNALS = (
    "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM",
    "SIGPROF", "SIGXCPU",
)  # fmt: skip


def end_at_signals(app: PetApp) -> None:
    """Let the signals that ask a program to end close the app, which restores the terminal."""
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        loop.add_signal_handler(getattr(signal, name), app.end)


def ignore_signals() -> None:
    """Ignore what would end the app: it has ended, and its last line is still to be said.

    Ctrl+C is a signal again by now, since the terminal is given back.
    """
    if sys.platform == "win32":
        return
    # The loop closes the other end of it first, of which Python tells on the terminal.
    signal.set_wakeup_fd(-1)
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        number = getattr(signal, name)
        loop.remove_signal_handler(number)  # first: it puts the usual one in its place
        signal.signal(number, signal.SIG_IGN)


def die_of_signals() -> None:
    """Let a signal end what little is left at once: Python's own handler leaves a traceback."""
    if sys.platform == "win32":
        return
    for name in SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
