"""AppPool: opens the apps of a process, so that the first frame is shown at once.

If the factory can prepare apps without a user, some run before anyone logs in, for terminals like
those of the latest users, and all users see the same at first. So where none is ready for a user's
terminal, what another one drew is sent, and an app starts behind it, a few at a time. On a terminal
of another size or other colours than it was prepared for, an app is drawn once more.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final, cast

from pettui.ssh.app_tasks import cancel
from pettui.ssh.fair_loop import Activity, activity_context, current_activity
from pettui.system.capabilities import Colours, Glyphs
from pettui.terminal.client_terminal import UNKNOWN_SIZE, ClientTerminal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from pettui.ssh.apps.app_factory import AppFactory, User
    from pettui.ssh.apps.collecting import GcSchedule
    from pettui.ssh.apps.served_app import ServedApp, SharedResources
    from pettui.terminal.channel_driver import ChannelDriver, FirstFrame
    from pettui.terminal.driver import Output

AT_ONCE: Final = 3  # apps that start, since a start waits for frames in between
LONGEST_START: Final = 1.0  # seconds of a start, after which others no longer wait for it
PACE: Final = 0.05  # seconds between two looks whether users wait for a start
IDLE_MAXIMUM: Final = 2.0  # seconds to wait for a moment without input
AFTER_BUG: Final = 60.0  # seconds until the next start, after an app crashed that had no user
END_SECONDS: Final = 2.0  # for a prepared app to end before it is cancelled
FRAMES_MAXIMUM: Final = 16  # first frames, of different terminals
FRESH: Final = 600.0  # seconds until a frame is drawn again: it may tell a time, as a list does
REMEMBERED: Final = 20  # users, whose terminals the next ones probably have
USUAL: Final = ClientTerminal("xterm-256color", UNKNOWN_SIZE, Colours.MANY, Glyphs.UNICODE)


@dataclass(frozen=True, slots=True)
class AppRequest:
    """What a session asks for: an app of its user, on its terminal."""

    user: User
    terminal: Callable[[], ClientTerminal]  # returns what to draw on, as it is at that time
    output: Output  # of that terminal
    on_presented: Callable[[], None]  # called once they see the app's first screen


@dataclass(frozen=True, slots=True)
class OpenApp:
    """An app on a user's terminal."""

    app: ServedApp[Any]
    ended: Awaitable[None]  # runs the app, unless it is running already
    activity: Activity  # the session's, unless it was running already
    is_behind: bool = False  # the user saw a first frame before; keys wait for the app's screen


class AppPool:
    """The apps of a process, of which some wait for their users."""

    def __init__(
        self,
        shared: SharedResources,
        factory: AppFactory[Any],
        gc_schedule: GcSchedule,
        report_bug: Callable[[BaseException], None],
        number: int,
    ) -> None:
        """Start without apps; ``keep_ready`` starts those that are prepared.

        Args:
            shared: by all apps of the process.
            factory: creates the apps.
            gc_schedule: knows when there is no input.
            report_bug: called with the bug of an app that crashed without a user.
            number: how many apps should be ready.
        """
        self._shared = shared
        self._factory = factory
        self._gc_schedule = gc_schedule
        self._report_bug = report_bug
        self._number = number
        self._prepared: list[PreparedApp] = []
        self._wanted = asyncio.Event()  # another prepared app
        self._recent = RecentTerminals()
        self._frames = FirstFrames()
        self._drawing: dict[tuple[object, ...], asyncio.Task[None]] = {}  # those, by look
        self.starts = Starts()  # of apps whose users see the first frame, and of prepared ones

    # With users

    async def open(self, request: AppRequest) -> OpenApp:
        """Return a user's app; if none is ready, show the first frame until it may start."""
        self._gc_schedule.typed()
        current = request.terminal()
        self._recent.add(current)
        prepared = self._best(current)
        if prepared is not None and prepared.terminal.look != current.look:
            await self._draw_first_frame(current)
            prepared = self._best(current := request.terminal())
        frame = self._frames.find(current)
        if prepared is not None and (frame is None or prepared.terminal.look == current.look):
            return self._claim(prepared, request)
        if frame is not None:
            return await self._open_behind(frame, request)
        app = self._new(request, current)
        app.begin(request.on_presented)
        return OpenApp(app, app.run_on_channel(current.size), current_activity())

    async def _draw_first_frame(self, terminal: ClientTerminal) -> None:
        """Have a prepared app draw the first frame of a terminal, for all who come with it now."""
        if self._frames.find(terminal) is not None:
            return
        drawing = self._drawing.get(terminal.look)
        if drawing is None:
            drawing = asyncio.create_task(self._fit_one(terminal), name="first frame")
            self._drawing[terminal.look] = drawing
            drawing.add_done_callback(lambda _: self._drawing.pop(terminal.look))
        await asyncio.shield(drawing)

    async def _fit_one(self, terminal: ClientTerminal) -> None:
        prepared = self._best(terminal)
        if prepared is None or not await self._fit(prepared, terminal):
            return
        if prepared.is_drawn:  # or, on a busy machine, all others would see a part for long
            self._frames.keep(terminal, prepared.driver.first_frame())

    async def _fit(
        self, prepared: PreparedApp, terminal: ClientTerminal, shown: FirstFrame | None = None
    ) -> bool:
        """Draw a prepared app for another terminal, which may show a first frame already.

        Return whether it can be attached to that now.
        """
        prepared.terminal, prepared.is_fitted = terminal, False
        try:
            self._factory.fit(prepared.app, terminal)
            prepared.driver.fit(terminal, shown)
            await prepared.drawn()
        finally:
            prepared.is_fitted = True
        return self._can_claim(prepared)

    async def _open_behind(self, frame: FirstFrame, request: AppRequest) -> OpenApp:
        """Return a user's app, which starts behind the first frame of this terminal."""
        before = request.terminal()
        request.output.write(frame.output)
        try:
            end_turn = await self.starts.turn()
            prepared = self._best(before)
            if prepared is not None and await self._fit(prepared, before, frame):
                end_turn()
                return self._claim(prepared, request, frame)
            now = request.terminal()
            is_same = now.look == before.look
            if not is_same:
                request.output.write(frame.reset)
            app = self._new(request, now, frame if is_same else None)
        except BaseException:  # the user may leave meanwhile
            request.output.write(frame.reset)  # twice does no harm
            raise

        def presented() -> None:
            end_turn()
            request.on_presented()

        app.begin(presented, is_behind=is_same)
        return OpenApp(app, app.run_on_channel(now.size), current_activity(), is_behind=True)

    def _new(
        self, request: AppRequest, terminal: ClientTerminal, shown: FirstFrame | None = None
    ) -> ServedApp[Any]:
        app: ServedApp[Any] = self._factory.claim(request.user, terminal, None)
        app.draw_on(self._shared, terminal, request.output, shown)
        return app

    def _claim(
        self, prepared: PreparedApp, request: AppRequest, shown: FirstFrame | None = None
    ) -> OpenApp:
        terminal = request.terminal()
        is_alike = prepared.terminal.look == terminal.look
        if is_alike and prepared.is_drawn and not self._frames.is_fresh(terminal):
            self._frames.keep(terminal, prepared.driver.first_frame())
        prepared.activity.share = current_activity().share
        try:
            app = self._factory.claim(request.user, terminal, prepared.app)
            prepared.driver.attach(terminal, request.output, shown)
        except Exception:
            prepared.app.exit()  # then it is removed
            raise
        self._remove(prepared)

        def presented() -> None:
            prepared.activity.begin()
            request.on_presented()

        app.begin(presented)
        if app.is_drawn and is_alike:
            app.presented()
        return OpenApp(app, prepared.task, prepared.activity)

    def _best(self, terminal: ClientTerminal) -> PreparedApp | None:
        """Return the app that suits a terminal best; None if none can be attached to it."""
        fitting = [one for one in self._prepared if one.fits(terminal)]
        return max(fitting, key=lambda one: one.terminal.look == terminal.look, default=None)

    # Without users

    @property
    def ready(self) -> int:
        """How many apps can be opened at once."""
        return sum(one.fits(one.terminal) for one in self._prepared)

    async def keep_ready(self) -> None:
        """Start apps while there are too few, when nobody types; until cancelled."""
        self._wanted.set()  # an exception, or a cancellation, may have left too few
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while len(self._prepared) < self._number:
                await self._start()
            await self._remove_ended()
            await self._replace_outdated()

    async def _start(self) -> None:
        await self._gc_schedule.wait(IDLE_MAXIMUM)
        while self.starts.waiting:  # noqa: ASYNC110 - users who came together go first
            await asyncio.sleep(PACE)
        end_turn = await self.starts.turn()
        try:
            prepared = self._prepare()
            await prepared.drawn()
            if self._can_claim(prepared):
                prepared.driver.first_frame()  # now, so that its user need not wait for it
        finally:
            end_turn()

    def _can_claim(self, prepared: PreparedApp) -> bool:
        return prepared in self._prepared and prepared.fits(prepared.terminal)

    def _prepare(self) -> PreparedApp:
        terminal = self._recent.next(one.terminal for one in self._prepared)
        app = self._factory.prepare(terminal)
        app.draw_on(self._shared, terminal)
        prepared = PreparedApp.start(app, terminal)
        prepared.task.add_done_callback(lambda _: self._wanted.set())
        self._prepared.append(prepared)
        return prepared

    def _remove(self, prepared: PreparedApp) -> None:
        """Remove one that has a user now; another one is started in its place."""
        self._prepared.remove(prepared)
        self._wanted.set()

    async def _remove_ended(self) -> None:
        """Remove apps that have ended without a user."""
        for one in [one for one in self._prepared if one.task.done()]:
            one.is_closing = True
            await self._factory.close(one.app)
            if one in self._prepared:
                self._prepared.remove(one)
            if one.app.bug is not None:
                self._report_bug(one.app.bug)
            self._gc_schedule.app_ended(one.app)
            await asyncio.sleep(AFTER_BUG)
            self._wanted.set()

    async def _replace_outdated(self) -> None:
        """Fit or replace an app, if any, that no latest user could have seen as it is."""
        outdated = [one for one in self._prepared if self._recent.is_outdated(one.terminal)]
        if not outdated or len(self._prepared) < self._number:
            return
        await self._gc_schedule.wait(IDLE_MAXIMUM)
        one = outdated[0]
        if one not in self._prepared:
            return
        wanted = self._recent.next(each.terminal for each in self._prepared if each is not one)
        if one.fits(wanted):
            await self._fit(one, wanted, self._frames.find(wanted))
            self._wanted.set()
        else:
            await self._close(one)  # or ``close`` does it, if this is cancelled
            if one in self._prepared:
                self._remove(one)

    async def close(self) -> None:
        """End the apps that have no users."""
        apps, self._prepared = self._prepared, []
        await asyncio.gather(*(self._close(one) for one in apps))

    async def _close(self, prepared: PreparedApp) -> None:
        """Close one, which nobody gets from now on."""
        prepared.is_closing = True
        await prepared.end()
        await self._factory.close(prepared.app)
        self._gc_schedule.app_ended(prepared.app)


@dataclass(slots=True, eq=False)
class PreparedApp:
    """An app that gives way to all others until it has a user."""

    app: ServedApp[Any]
    terminal: ClientTerminal  # that it is drawn for
    task: asyncio.Task[None]
    activity: Activity
    is_fitted: bool = True  # to its terminal
    is_closing: bool = False
    redrawn: asyncio.Future[None] | None = None  # done once it is drawn for that

    @classmethod
    def start(cls, app: ServedApp[Any], terminal: ClientTerminal) -> PreparedApp:
        """Run an app."""
        context, activity = activity_context()
        running = app.run_on_channel(terminal.size)
        task = asyncio.create_task(running, name="prepared app", context=context)
        return cls(app, terminal, task, activity)

    def fits(self, terminal: ClientTerminal) -> bool:
        """Whether it can be attached to this terminal."""
        if self.is_closing or not self.is_fitted or self.task.done() or self.app.is_ending:
            return False
        driver = self.app.channel_driver
        is_there = driver is not None and driver.is_drawing
        return is_there and self.terminal.characters == terminal.characters

    @property
    def driver(self) -> ChannelDriver:
        """The driver of an app that fits."""
        return cast("ChannelDriver", self.app.channel_driver)

    async def drawn(self) -> None:
        """Wait until it is drawn, has ended, or takes too long."""
        self.redrawn = self.app.redrawn()
        drawn: set[asyncio.Future[None]] = {self.redrawn, self.task}
        await asyncio.wait(drawn, timeout=LONGEST_START, return_when=asyncio.FIRST_COMPLETED)

    @property
    def is_drawn(self) -> bool:
        """Whether it is drawn completely, as far as can be told."""
        return self.redrawn is not None and self.redrawn.done()

    async def end(self) -> None:
        """End it, or cancel it if it does not end in time."""
        if not self.app.is_ending:
            self.app.end_for_server()
        _, late = await asyncio.wait({self.task}, timeout=END_SECONDS)
        for task in late:
            cancel(task)
            await asyncio.wait({task})


class RecentTerminals:
    """The terminals of the latest users."""

    def __init__(self) -> None:
        """Start with no user."""
        self._terminals: deque[ClientTerminal] = deque(maxlen=REMEMBERED)

    def add(self, terminal: ClientTerminal) -> None:
        """Remember the terminal of another user."""
        self._terminals.append(terminal)

    def next(self, ready: Iterable[ClientTerminal]) -> ClientTerminal:
        """Return the terminal that lacks apps most, where these have one each."""
        shares = Counter(each.look for each in self._terminals)
        have = Counter(each.look for each in ready)
        latest_first = reversed(self._terminals)
        return min(
            latest_first, key=lambda each: have[each.look] / shares[each.look], default=USUAL
        )

    def is_outdated(self, terminal: ClientTerminal) -> bool:
        """Whether none of them is like this one, but some are like each other."""
        shares = Counter(each.look for each in self._terminals)
        return terminal.look not in shares and max(shares.values(), default=0) > 1


class FirstFrames:
    """The first frames for the terminals of the latest users."""

    def __init__(self) -> None:
        """Start without any."""
        # With the time at which each was kept; the latest used last.
        self._frames: dict[tuple[object, ...], tuple[FirstFrame, float]] = {}

    def find(self, terminal: ClientTerminal) -> FirstFrame | None:
        """Return the frame for a terminal, if there is one."""
        found = self._frames.pop(terminal.look, None)
        if found is None:
            return None
        self._frames[terminal.look] = found
        return found[0]

    def is_fresh(self, terminal: ClientTerminal) -> bool:
        """Whether there is a frame for a terminal that need not be drawn again soon."""
        _, kept_at = self._frames.get(terminal.look, (None, -inf))
        return time.monotonic() - kept_at < FRESH

    def keep(self, terminal: ClientTerminal, frame: FirstFrame) -> None:
        """Keep the frame for a terminal; the one that was not used for longest is dropped."""
        self._frames.pop(terminal.look, None)
        self._frames[terminal.look] = frame, time.monotonic()
        if len(self._frames) > FRAMES_MAXIMUM:
            del self._frames[next(iter(self._frames))]


class Starts:
    """Lets apps start in order of arrival, a few at a time.

    All at once would be ready at the same late moment; one after the other, most are ready sooner.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._free = asyncio.Semaphore(AT_ONCE)
        self.waiting = 0  # for a turn

    async def turn(self) -> Callable[[], None]:
        """Wait for a turn; return what ends it, which may be called again."""
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        is_over = False

        def end() -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                late.cancel()
                self._free.release()

        late = asyncio.get_running_loop().call_later(LONGEST_START, end)
        return end
