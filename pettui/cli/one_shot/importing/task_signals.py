"""Signals that end a program, for a command that must finish something first."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES: Final = ("SIGTERM", "SIGHUP")  # Windows has no second one


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP cancel the running task, as ctrl+c does.

    The process dies of the signal after the block. A signal that the parent process ignored, as
    nohup does, stays ignored.
    """
    task = asyncio.current_task()
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    received: list[int] = []

    def cancel(number: int) -> None:
        received.append(number)
        if task is not None:
            task.cancel()

    numbers = [getattr(signal, name) for name in _NAMES]
    handled = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        loop.add_signal_handler(number, cancel, number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
        if received:
            os.kill(os.getpid(), received[0])
