"""LoopThreads: blocking calls of an event loop; none holds up another one, or the end."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

LAST_CALLS: Final = 0.5  # seconds that calls get at the end, so that a choice is still written


class LoopThreads(ThreadPoolExecutor):
    """Runs each blocking call, such as a host lookup or a file of the user's, in its own thread.

    Python's own pool waits for all of its calls when the process ends: half a minute for a name
    server that does not answer, for ever for a network disk that hangs. asyncio accepts only a
    ``ThreadPoolExecutor`` (``set_default_executor``), so this is one that starts no pool.
    """

    def __init__(self) -> None:
        super().__init__(1)
        self._calls: set[threading.Thread] = set()

    def submit(
        self,
        function: Callable[Arguments, Result],
        /,
        *positional: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Future[Result]:
        """Call a function in a thread. Raises RuntimeError if no thread can be started."""
        future: Future[Result] = Future()
        call = partial(function, *positional, **named)
        thread = threading.Thread(
            target=self._run, args=(future, call), daemon=True, name="blocking call"
        )
        self._calls.add(thread)
        try:
            thread.start()
        except BaseException:
            self._calls.discard(thread)
            raise
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for running calls, for ``LAST_CALLS`` at most."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        deadline = time.monotonic() + LAST_CALLS
        for thread in tuple(self._calls):
            thread.join(max(deadline - time.monotonic(), 0))

    def _run(self, future: Future[Result], call: Callable[[], Result]) -> None:
        try:
            settle(future, call)
        finally:
            self._calls.discard(threading.current_thread())


def settle(future: Future[Result], call: Callable[[], Result]) -> None:
    """Call something, unless its future was cancelled, and give that the result or the error."""
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            future.set_exception(error)
