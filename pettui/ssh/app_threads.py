"""AppThreads: the blocking calls of one app, in threads of its own.

asyncio has a few threads for a process, in which ``to_thread``, ``getaddrinfo``, Textual's workers
in threads, its DirectoryTree and its Markdown run: an app whose workers follow a log for ever would
stop those of everybody.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from contextvars import Context
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pettui.system.threads import settle

if TYPE_CHECKING:
    from collections.abc import Callable

AT_ONCE: Final = 32  # calls of one app
LONG_WAIT: Final = 10.0  # seconds that a call waits until that is logged


class AppThreads:
    """A thread for each call, up to a number of them; further calls wait in order.

    No thread is idle, and none keeps the process from ending. One that ends while calls wait takes
    the next.
    """

    def __init__(self, at_once: int, waits_long: Callable[[int], None]) -> None:
        """Start without a thread.

        Args:
            at_once: calls that may run.
            waits_long: is told how many wait, for each that has waited for long.
        """
        self._at_once = at_once
        self._waits_long = waits_long
        self._lock = threading.Lock()
        self._running = 0
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._outlive: Callable[[int], None] | None = None  # how many more do, if the app ended

    def submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Call a function in a thread, now or when it is its turn.

        Raises:
            RuntimeError: no thread can be started.
        """
        future: Future[Any] = Future()
        call = partial(function, *arguments)
        with self._lock:
            if self._running < self._at_once:
                self._start(future, call)
                return future
            self._waiting.append((future, call))
        # In a context of nobody's, which may outlive the app.
        asyncio.get_running_loop().call_later(LONG_WAIT, self._check, future, context=Context())
        return future

    def leave(self, outlive: Callable[[int], None]) -> None:
        """Cancel what waits, as the app has ended, and tell how many calls outlive it.

        Args:
            outlive: told by how many they change, now and at the end of each, in its thread.
        """
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
            self._outlive = outlive
            if self._running:
                outlive(self._running)
        for future, _ in waiting:
            future.cancel()

    def _start(self, future: Future[Any], call: Callable[[], Any]) -> None:
        thread = threading.Thread(
            target=self._run, args=(future, call), daemon=True, name="call of an app"
        )
        thread.start()
        self._running += 1
        if self._outlive is not None:
            self._outlive(1)

    def _run(self, future: Future[Any], call: Callable[[], Any]) -> None:
        settle(future, call)
        while True:
            del future, call  # what they refer to may be large
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    if self._outlive is not None:
                        self._outlive(-1)
                    return
                future, call = self._waiting.popleft()
            settle(future, call)

    def _check(self, future: Future[Any]) -> None:
        """Tell that a call still waits."""
        if not (future.running() or future.done()):
            self._waits_long(len(self._waiting))
