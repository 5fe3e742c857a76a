"""PriorityEventLoop: the keys of users who have an app go before the work for those who log in.

A login costs some milliseconds of cryptography, and an app that starts up to thirty. Many at once
would delay every key of everybody by all that. Here each connection has a priority, low until its
app has drawn, and so have sessions that start or end, and apps that start. Callbacks of a low
priority run one at a time, and only while there is nothing else to do; but on a busy machine a
third of the time is theirs.

The priority is found by context: callbacks, tasks and readers inherit it from where they began. The
time that callbacks and tasks take is counted there, too, so that libraries' tasks are not free.

It uses these private names of asyncio; without them nothing waits, and ``tests/ssh/
test_priority_loop.py`` fails:

- ``BaseEventLoop._call_soon``, ``_add_callback``, ``_run_once``, ``_ready``, ``_scheduled``
- ``BaseSelectorEventLoop._selector``, ``_process_events``
- ``Handle._context``, ``_run``
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from time import thread_time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from selectors import BaseSelector

LONGEST_WAIT: Final = 0.01  # seconds until callbacks of a low priority run although others are due
TURN: Final = 0.005  # seconds that they then take turns with others
LONGEST_TURN: Final = 0.02  # seconds that they have for themselves, after a long round of others


@dataclass(slots=True, eq=False)
class Priority:
    """The priority of a connection, a session or an app, which is shared by all its callbacks."""

    is_low: bool = True
    used: float = 0.0  # CPU seconds of its callbacks, without readers and timers

    def decrease(self) -> None:
        """Let callbacks wait for others from now on."""
        self.is_low = True

    def increase(self) -> None:
        """Let callbacks go before those of a low priority, with those that wait already."""
        if self.is_low:
            self.is_low = False
            loop = asyncio.get_running_loop()
            if isinstance(loop, PriorityEventLoop):
                loop.release(self)


_CURRENT: Final[ContextVar[Priority | None]] = ContextVar("priority", default=None)


def current_priority() -> Priority:
    """Return the priority of the current context, a new one if it has none yet."""
    priority = _CURRENT.get()
    if priority is None:
        priority = Priority(is_low=False)
        _CURRENT.set(priority)
    return priority


def begin_low_priority() -> Priority:
    """Start a low priority in the current context, and return it."""
    priority = Priority()
    _CURRENT.set(priority)
    return priority


def low_priority_context() -> tuple[Context, Priority]:
    """Return a copy of the current context that has a low priority of its own."""
    context = copy_context()
    return context, context.run(begin_low_priority)


def _priority_of(handle: asyncio.Handle) -> Priority | None:
    context: Context = handle._context  # type: ignore[attr-defined]  # noqa: SLF001
    return context.get(_CURRENT)


class CountedHandle(asyncio.Handle):
    """A callback, or a step of a task, whose time is counted."""

    __slots__ = ()

    def _run(self) -> None:
        priority = _priority_of(self)
        began = thread_time()
        super()._run()
        if priority is not None:
            priority.used += thread_time() - began


class PriorityEventLoop(asyncio.SelectorEventLoop):
    """A loop whose callbacks of a low priority wait for all others."""

    _ready: deque[asyncio.Handle]
    _scheduled: list[asyncio.TimerHandle]
    _selector: BaseSelector

    def __init__(self) -> None:
        super().__init__()
        self._low: deque[asyncio.Handle] = deque()
        self._low_readers: set[asyncio.Handle] = set()  # among them, found again until they run
        self._low_due: float | None = None  # when they run at the latest
        self._turn_end: float | None = None  # until when they take turns, once they do

    def release(self, priority: Priority) -> None:
        """Let the callbacks that wait with this priority wait no longer."""
        released = [handle for handle in self._low if _priority_of(handle) is priority]
        for handle in released:
            self._low.remove(handle)
            self._low_readers.discard(handle)
        self._ready.extend(released)

    def _call_soon(
        self, callback: Callable[..., object], args: tuple[Any, ...], context: Context | None
    ) -> asyncio.Handle:
        handle = CountedHandle(callback, args, self, context)
        priority = _priority_of(handle)
        (self._low if priority is not None and priority.is_low else self._ready).append(handle)
        return handle

    def _add_callback(self, handle: asyncio.Handle) -> None:
        """Add what the selector found; a reader is found again and again until it has run."""
        priority = _priority_of(handle)
        if priority is None or not priority.is_low:
            super()._add_callback(handle)  # type: ignore[misc]
        elif handle not in self._low_readers:
            self._low_readers.add(handle)
            self._low.append(handle)

    def _run_once(self) -> None:
        if self._low:
            self._consider_low()
        elif self._low_due is not None and self.time() >= (self._turn_end or 0.0):
            self._low_due = self._turn_end = None
        super()._run_once()  # type: ignore[misc]

    def _consider_low(self) -> None:
        """Let one callback of a low priority run if there is nothing else, or it waited long.

        Where the others took longer than a turn at once, several run, or they would fall behind.
        """
        if not self._ready:
            self._process_events(self._selector.select(0))  # type: ignore[attr-defined]
        now = self.time()
        if self._turn_end is not None and now >= self._turn_end:
            self._low_due, self._turn_end = now + LONGEST_WAIT, None
        if self._low_due is None:
            self._low_due = now + LONGEST_WAIT
        is_busy = self._ready or (self._scheduled and self._scheduled[0].when() <= now)
        late = now - self._low_due
        if late >= 0 and self._turn_end is None:
            self._turn_end = now + TURN
        if is_busy and late > TURN:
            self._run_low(min(late / 2, LONGEST_TURN))
        if self._low and (not is_busy or late >= 0):
            self._ready.append(self._next_low())
        if not is_busy:
            self._low_due = self._turn_end = None

    def _next_low(self) -> asyncio.Handle:
        handle = self._low.popleft()
        self._low_readers.discard(handle)
        return handle

    def _run_low(self, seconds: float) -> None:
        """Run callbacks of a low priority for so long."""
        until = self.time() + seconds
        while self._low and self.time() < until:
            handle = self._next_low()
            if not handle.cancelled():
                handle._run()  # noqa: SLF001
