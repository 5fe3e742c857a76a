"""LoopThreads: the threads of a loop, which keep the process from ending only for a moment."""

from __future__ import annotations

import asyncio
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
    """A thread for each call that blocks: looking up a host, or a file of the user's.

    Python's own pool waits at the end for each of its calls: for a name server that is not there
    half a minute and longer, for a network disk that hangs for ever. asyncio takes nothing but a
    ``ThreadPoolExecutor`` (``set_default_executor``), so this is one, which starts none of its own.
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
        """Call a function in a thread; raises RuntimeError where no thread can be started."""
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
        """Wait for the calls that are under way, for ``LAST_CALLS`` at most."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        deadline = time.monotonic() + LAST_CALLS
        for thread in tuple(self._calls):
            thread.join(max(deadline - time.monotonic(), 0))

    def _run(self, future: Future[Result], call: Callable[[], Result]) -> None:
        try:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
                    future.set_exception(error)
        finally:
            self._calls.discard(threading.current_thread())


def use_loop_threads() -> None:
    """Have the running loop make its blocking calls in threads that its end need not wait for."""
    asyncio.get_running_loop().set_default_executor(LoopThreads())
