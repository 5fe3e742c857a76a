"""What signals do while the app runs, and after it has ended (POSIX)."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.tui.app import PetApp

# By name, since Windows has fewer.
SIGNALS = (
    "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM",
    "SIGPROF", "SIGXCPU",
)  # fmt: skip


def end_at_signals(app: PetApp) -> None:
    """Close the app at signals that end a program, so that it restores the terminal."""
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        loop.add_signal_handler(getattr(signal, name), app.end)


def ignore_signals() -> None:
    """Ignore these signals while the last line is written after the app has ended.

    Ctrl+C is a signal again by then, since the terminal is restored.
    """
    if sys.platform == "win32":
        return
    # The loop closes the other end first, and Python would warn about that on the terminal.
    signal.set_wakeup_fd(-1)
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        number = getattr(signal, name)
        loop.remove_signal_handler(number)  # first, since it restores the default handler
        signal.signal(number, signal.SIG_IGN)


def die_of_signals() -> None:
    """Let signals end the process at once; Python's own handler would print a traceback."""
    if sys.platform == "win32":
        return
    for name in SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
