"""Whether the system lets pettui start the threads that it needs, asked before anything begins."""

from __future__ import annotations

import threading

from pettui.configuration import ConfigurationError

APP_THREADS = 8  # keys, drawing, the outbox, the embedded store, late imports, reading answers
SERVICE_THREADS = 3  # two logs, the store's writer


def check_threads(count: int) -> None:
    """Make sure that so many threads can be started; none of them stays.

    Raises:
        ConfigurationError: they cannot, for the user's limit (RLIMIT_NPROC) or a container's.
    """
    is_known = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(count):
            thread = threading.Thread(target=is_known.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        room = f"{len(started)} of the {count} that are needed can be started"
        reason = f"{room}; raise the limit (ulimit -u, or the container's)"
        raise ConfigurationError("threads", reason) from None
    finally:
        is_known.set()
        for thread in started:
            thread.join()
