"""Threads: whether the system has enough of them, and those of an event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Final

from pettui.configuration.errors import ConfigurationError
from pettui.system.threads import LoopThreads

APP_THREADS: Final = 8  # keys, drawing, outbox, embedded store, late imports, reading responses
SERVICE_THREADS: Final = 3  # two logs, the store's writer


def check_threads(count: int) -> None:
    """Make sure that so many threads can be started; they end at once.

    Raises:
        ConfigurationError: the user's limit (RLIMIT_NPROC) or a container's is too low.
    """
    is_known = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(count):
            thread = threading.Thread(target=is_known.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        reason = (
            f"only {len(started)} of {count} can be started; raise the limit (ulimit -u, or the "
            "container's)"
        )
        raise ConfigurationError("threads", reason) from None
    finally:
        is_known.set()
        for thread in started:
            thread.join()


def use_loop_threads() -> None:
    """Let the running loop make its blocking calls in LoopThreads."""
    asyncio.get_running_loop().set_default_executor(LoopThreads())
