"""FairEventLoop: whatever a client costs counts in one place, and who used least goes first.

The loop finds the client by context: callbacks, tasks and timers inherit it from where they began.
Their CPU time counts in the client's share, and so does what its connection reads (see
``ServerConnection``). Who is over an eighth of the process is not read for a while.

Callbacks wait in the loop in the order of their shares, not of their arrival: those of a user who
types now and then go before those of a client that floods the server, however many of these there
are. What nobody waits for gives way to all: a login costs some milliseconds of cryptography, and an
app that starts up to thirty, so many at once would delay every key of everybody. All who have no
app yet, and all apps that end, are one client together. On a busy machine a quarter of the time is
theirs.

Who floods the server over many connections has one share all the same: those clients of an address
that used over a sixteenth since they are inside count as one. Others of that address, such as those
who type in the same shop, count alone.

What no client caused, such as a request that all of them share, has no share and does not wait.

Blocking calls run in threads: those of an app in its own (see ``app_threads``), all others in one
each. Where no app is active, as in a login, they are the server's.

What ends an app ends that app, by the context of the callback (see ``app_tasks``): asyncio would
end the loop, and so all sessions.

``Handle._run`` of asyncio is private, without which nothing runs, and so is
``BaseEventLoop._run_once``, without which one app ends all; ``tests/ssh/test_fair_loop.py`` and
``tests/peers/test_ssh_apart.py`` say so.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from math import exp, log
from time import monotonic, thread_time
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, Final, cast
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from textual._context import active_app

from pettui.ssh.app_tasks import EXITS, AppTask
from pettui.system.threads import LoopThreads, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import FrameType

SHARE: Final = 0.125  # of the time, that one client may use
APART: Final = SHARE / 2  # up to which clients of one address count alone
MEMORY: Final = 1.0  # seconds in which what a client used shrinks to a third
PAUSE_MAXIMUM: Final = 2.0  # seconds that somebody waits whose app alone was busy
RESERVED: Final = 0.25  # of the time, for what gives way
TURN: Final = 0.002  # seconds until the loop looks whether anything else came
BURST: Final = 0.01  # CPU seconds of what gives way that may be kept for later
DEBT: Final = 0.02  # CPU seconds that it had beyond that, and that are remembered


class AddressShare:
    """What those clients of one address used lately that used much: the sum of theirs."""

    __slots__ = ("__weakref__", "_at", "_used")

    def __init__(self) -> None:
        """Start with nothing used."""
        self._used = 0.0
        self._at = 0.0  # when it was that much

    def used(self, now: float) -> float:
        """Return what counts now."""
        return self._used * exp((self._at - now) / MEMORY)

    def add(self, seconds: float, now: float) -> None:
        """Count CPU seconds; fewer than none of a client that is within its part again."""
        self._used, self._at = max(self.used(now) + seconds, 0.0), now


class Share:
    """The CPU seconds that one client used lately: the longer ago, the less they count."""

    __slots__ = ("_at", "_inside", "_is_together", "_used", "address", "waiting")

    def __init__(self) -> None:
        """Start with nothing used."""
        self._used = self._inside = 0.0  # in all, and by those who give way no longer
        self._at = monotonic()  # when it was that much
        self._is_together = False  # with others of its address
        self.address: AddressShare | None = None  # once that is known
        self.waiting: deque[asyncio.Handle] = deque()  # callbacks in order of arrival

    def used(self, now: float) -> float:
        """Return what counts now, by the clock of ``monotonic``."""
        return self._used * exp((self._at - now) / MEMORY)

    def counted(self, now: float) -> float:
        """Return the same, with what others of its address used if it is not apart from them."""
        used = self.used(now)
        if self.address is None:
            return used
        self._join_or_leave(self._inside * exp((self._at - now) / MEMORY), now)
        return max(used, self.address.used(now)) if self._is_together else used

    def _join_or_leave(self, inside: float, now: float) -> None:
        is_together = inside > APART * MEMORY
        if is_together != self._is_together and self.address is not None:
            self._is_together = is_together
            self.address.add(inside if is_together else -inside, now)

    def add(self, seconds: float, *, gives_way: bool = False) -> None:
        """Count CPU seconds, of what gives way to others or not."""
        now = monotonic()
        fading = exp((self._at - now) / MEMORY)
        own = 0.0 if gives_way else seconds
        if self._is_together and self.address is not None:
            self.address.add(own, now)
        self._used = self._used * fading + seconds
        self._inside, self._at = self._inside * fading + own, now
        self._join_or_leave(self._inside, now)

    def pause(self) -> float:
        """Return how many seconds to wait with what the client sends, 0 within its share."""
        excess = self.counted(monotonic()) / (SHARE * MEMORY)
        return min(MEMORY * log(excess), PAUSE_MAXIMUM) if excess > 1 else 0.0


@dataclass(slots=True, eq=False)
class Activity:
    """A connection, a session or an app, with all its callbacks."""

    share: Share = field(default_factory=Share)  # of the client that it is for
    gives_way: bool = True  # since no user waits for it

    def give_way(self) -> None:
        """Let all others go first from now on."""
        self.gives_way = True

    def begin(self) -> None:
        """Give way no longer, nor what waits already: a user is there."""
        if self.gives_way:
            self.gives_way = False
            loop = asyncio.get_running_loop()
            if isinstance(loop, FairEventLoop):
                loop.release(self)


_CURRENT: Final[ContextVar[Activity | None]] = ContextVar("activity", default=None)


def current_activity() -> Activity:
    """Return the activity of the current context, a new one if it has none yet."""
    activity = _CURRENT.get()
    if activity is None:
        activity = Activity(gives_way=False)
        _CURRENT.set(activity)
    return activity


def begin_activity() -> Activity:
    """Begin an activity in the current context, which gives way to others; return it."""
    before = _CURRENT.get()
    activity = Activity(before.share if before is not None else Share())
    _CURRENT.set(activity)
    return activity


def activity_context() -> tuple[Context, Activity]:
    """Return a copy of the current context in which an activity began, of the same client."""
    context = copy_context()
    return context, context.run(begin_activity)


class _Due:
    """A timer's callback, which may be cancelled while it waits for its turn."""

    __slots__ = ("arguments", "callback", "timer")

    def __init__(self, callback: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self.callback = callback
        self.arguments = arguments
        self.timer: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        timer, self.timer = self.timer, None  # which refers to this
        if timer is not None and not timer.cancelled():
            self.callback(*self.arguments)


def _context_of(error: BaseException) -> Context:
    """Return the context of the callback that raised an error."""
    context = Context()
    for frame, _ in walk_tb(error.__traceback__):
        if frame.f_code is asyncio.Handle._run.__code__:  # noqa: SLF001
            context = frame.f_locals["self"]._context  # noqa: SLF001
    return context


def running_callback(frame: FrameType | None) -> asyncio.Handle | None:
    """Return the callback of a loop that a frame is part of."""
    while frame is not None:
        if frame.f_code is asyncio.Handle._run.__code__:  # noqa: SLF001
            return cast("asyncio.Handle | None", frame.f_locals["self"])  # None at its end
        frame = frame.f_back
    return None


def is_of_client() -> bool:
    """Whether a client, or its app, caused what runs now."""
    return _CURRENT.get() is not None or active_app.get(None) is not None


def _run(handle: asyncio.Handle) -> None:
    if not handle.cancelled():
        handle._run()  # noqa: SLF001
    # From Python 3.12 on, the traceback of a cancelled task has this frame, whose handle has a
    # context, and that an app.
    del handle


class FairEventLoop(asyncio.SelectorEventLoop):
    """A loop that runs the callbacks of clients in the order of their shares."""

    def __init__(self) -> None:
        super().__init__()
        self._active: dict[Share, None] = {}  # with callbacks
        self._giving_way: deque[tuple[Activity, asyncio.Handle]] = deque()
        self._reserve = BURST  # CPU seconds for those; negative where they had more …
        self._reserve_at = monotonic()  # … at this time
        self._is_turn_due = False
        self._nobody = Context()
        self.set_default_executor(LoopThreads())
        self.threads_at_once = AT_ONCE  # of an app
        self.waits_long: Callable[[Any, int], None] = lambda _app, _calls: None
        self._threads: WeakKeyDictionary[Any, AppThreads] = WeakKeyDictionary()  # by app
        self._addresses: WeakValueDictionary[str, AddressShare] = WeakValueDictionary()

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Call something in a thread: an executor's, the active app's, or one of its own."""
        if executor is None and (app := active_app.get(None)) is not None:
            executor = self.threads_of(app)
        return super().run_in_executor(executor, func, *args)

    def threads_of(self, app: Any) -> AppThreads:
        """Return the threads of an app."""
        threads = self._threads.get(app)
        if threads is None:
            waits_long = partial(self._wait_long, ref(app))
            threads = self._threads[app] = AppThreads(self.threads_at_once, waits_long)
        return threads

    def address_share(self, network: str) -> AddressShare:
        """Return what all clients of an address have, as long as there are any."""
        share = self._addresses.get(network)
        if share is None:
            share = self._addresses[network] = AddressShare()
        return share

    def leave_threads(self, app: Any, outlive: Callable[[int], None]) -> None:
        """Leave the threads of an app that has ended; see ``AppThreads.leave``."""
        threads = self._threads.get(app)
        if threads is not None:
            threads.leave(outlive)

    def _wait_long(self, app: ref[Any], calls: int) -> None:
        self.waits_long(app(), calls)

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Call something when it is its client's turn."""
        if context is None:
            context = copy_context()
        activity = context.get(_CURRENT)
        if activity is None:
            return super().call_soon(callback, *args, context=context)
        handle = asyncio.Handle(callback, args, self, context)
        self._add(activity, handle)
        return handle

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call something at a time, or when it is its client's turn then."""
        if context is None:
            context = copy_context()
        activity = context.get(_CURRENT)
        if activity is None:
            return super().call_at(when, callback, *args, context=context)
        due = _Due(callback, args)
        due.timer = super().call_at(when, partial(self.call_soon, due, context=context))
        return due.timer

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, Any], *, context: Context | None = None, **options: Any
    ) -> asyncio.Task[Any]:
        """Schedule a coroutine; one of an app ends at most the app."""
        app = active_app.get(None) if context is None else context.get(active_app)
        return AppTask(coro, app, loop=self, context=context, **options)

    def _run_once(self) -> None:
        try:
            super()._run_once()  # type: ignore[misc]
        except EXITS as error:
            app: Any = _context_of(error).get(active_app)
            if app is not None:
                app.end_with(error)
            else:
                self.call_exception_handler({"message": "not of an app", "exception": error})

    def release(self, activity: Activity) -> None:
        """Let the callbacks of an activity give way no longer."""
        released = [handle for one, handle in self._giving_way if one is activity]
        if released:
            self._giving_way = deque(one for one in self._giving_way if one[0] is not activity)
        for handle in released:
            self._add(activity, handle)

    def _add(self, activity: Activity, handle: asyncio.Handle) -> None:
        if activity.gives_way:
            self._giving_way.append((activity, handle))
        else:
            activity.share.waiting.append(handle)
            self._active[activity.share] = None
        if not self._is_turn_due:
            self._is_turn_due = True
            super().call_soon(self._take_turn, context=self._nobody)

    def _take_turn(self) -> None:
        """Run callbacks of the client that used least, then perhaps some that give way."""
        until = (began := self.time()) + TURN
        try:
            if self._active:
                at = monotonic()
                self._run_share(min(self._active, key=lambda one: one.counted(at)), until)
                # A callback may take far longer than a turn: what is kept is a part of that, too.
                until = max(until, (now := self.time()) + (now - began) * RESERVED / (1 - RESERVED))
            while self._giving_way and (not self._active or self._may_give_way()):
                self._run_giving_way()
                if self.time() >= until:
                    break
        finally:
            self._is_turn_due = bool(self._active or self._giving_way)
            if self._is_turn_due:
                super().call_soon(self._take_another, context=self._nobody)

    def _may_give_way(self) -> bool:
        """Whether a part of the time is kept for what gives way, although others wait."""
        now = monotonic()
        self._reserve = min(self._reserve + (now - self._reserve_at) * RESERVED, BURST)
        self._reserve_at = now
        return self._reserve > 0

    def _take_another(self) -> None:
        """Take a turn once what the loop finds now, input and timers, is in the queues."""
        super().call_soon(self._take_turn, context=self._nobody)

    def _run_share(self, share: Share, until: float) -> None:
        """Run a client's callbacks until a time, or until none is left."""
        began = thread_time()
        waiting = share.waiting
        while waiting:
            _run(waiting.popleft())
            if self.time() >= until:
                break
        share.add(thread_time() - began)
        if not waiting:
            self._active.pop(share, None)

    def _run_giving_way(self) -> None:
        """Run the next callback that gives way."""
        began = thread_time()
        activity, handle = self._giving_way.popleft()
        _run(handle)
        del handle  # as in ``_run``
        seconds = thread_time() - began
        self._reserve = max(self._reserve - seconds, -DEBT)
        activity.share.add(seconds, gives_way=True)


# AppThreads: the blocking calls of one app, in threads of its own.
#
# asyncio has a few threads for a process, in which ``to_thread``, ``getaddrinfo``, Textual's
# workers in threads, its DirectoryTree and its Markdown run: an app whose workers follow a log for
# ever would stop those of everybody.

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
