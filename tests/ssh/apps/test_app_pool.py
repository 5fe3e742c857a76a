"""The apps that run before a user logs in, and the first frames that others left."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pettui.composition import served_apps as ssh_apps
from pettui.ssh.apps import app_pool, served_app
from pettui.ssh.apps.app_pool import REMEMBERED, USUAL, FirstFrames, RecentTerminals, Starts
from pettui.system.capabilities import Colours, Glyphs
from pettui.terminal.channel_driver import FirstFrame
from pettui.terminal.client_terminal import UNKNOWN_SIZE, ClientTerminal
from pettui.terminal.driver import LEAVE_SCREEN
from pettui.terminal.screen_buffer import ScreenBuffer
from pettui.terminal.sgr import Palette
from pettui.tui.session.session import SystemClock
from tests.exhaustive import exhaustive
from tests.ssh.conftest import READY, broken, forget_cancelled_timers, serve, serving
from tests.ssh.counter import UP, CounterFactory, ServedCounter, user

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pettui.composition.served_apps import ServedPetApp
    from tests.ssh.conftest import Running, Screen

NOON = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
TRUE_COLOURS = {"env": {"LANG": "C.UTF-8", "COLORTERM": "truecolor"}}


@asynccontextmanager
async def warmed() -> AsyncIterator[Running]:
    async with serve() as running:
        await get_ready(running)
        yield running


async def get_ready(running: Running) -> None:
    """Prepare all apps, until they have drawn their animals."""
    await running.prepare_apps()
    prepared = tuple(running.state.apps._prepared)
    await running.wait_until(lambda: all(one.is_drawn for one in prepared))
    assert all("Mitzi" in one.driver.first_frame().output for one in prepared)


def app_of(running: Running) -> ServedPetApp:
    [session] = running.state.sessions.values()
    return session.terminal.app


async def test_a_user_gets_a_prepared_app() -> None:
    async with warmed() as running, running.session() as screen:
        assert running.state.apps.ready == READY - 1
        await screen.move_down()


@pytest.mark.parametrize(
    "options",
    [
        {"term_size": (61, 15), "term_type": "screen"},
        {"term_size": (80, 24), "env": {"LANG": "C"}},
        *exhaustive({"term_size": (80, 24), **TRUE_COLOURS}),
    ],
    ids=["few colours", "ASCII", "more colours"],
)
async def test_a_prepared_app_looks_like_a_new_one_on_every_terminal(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SystemClock, "now", lambda _: NOON)
    async with warmed() as running, await running.connect() as connection:
        warm = await running.open(connection, **options)
        await running.state.apps.close()
        new = await running.open(connection, **options)
        for screen in (warm, new):
            await screen.wait_for("Mitzi", " shown")
        await running.wait_until(lambda: picture(warm) == picture(new))
        connection.abort()


def picture(screen: Screen) -> list[Any]:
    """Return the cells of a screen without its first row, which shows how long a response took."""
    terminal = screen.terminal
    cells = terminal.buffer
    return [[seen(cells[y][x]) for x in range(terminal.columns)] for y in range(1, terminal.lines)]


def seen(cell: Any) -> Any:
    """Return what can be seen of a cell: of a blank, its background."""
    return (" ", cell.bg) if cell.data == " " and not cell.reverse else cell


async def test_what_one_user_adds_is_in_no_other_app() -> None:
    async with warmed() as running:
        async with running.session() as first, running.session() as second:
            first.press("a")
            await first.wait_for("Add an animal")
            first.press("Secret", "\t", "3", "\r")
            await first.wait_for("added this session: 1")
            assert "Secret" not in second.text
        async with running.session() as third:
            assert "Secret" not in third.text
            assert "added this session" not in third.text


@pytest.mark.usefixtures("_no_collection")
async def test_a_prepared_app_is_freed_after_its_session_without_a_collection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Behind the first frame that the first leaves to others.
    monkeypatch.setattr(served_app, "LATER", 3600.0)
    async with warmed() as running:
        apps = [weakref.ref(app) for app in running.state.factory.apps]
        for _ in apps:
            async with running.session(term_size=UNKNOWN_SIZE) as screen:
                screen.press("q")
                await screen.end()
        await running.wait_until(lambda: not running.state.connections)
        await forget_cancelled_timers()
        await running.wait_until(lambda: not any(app() for app in apps))


async def test_unclaimed_apps_are_closed_with_the_server() -> None:
    async with warmed() as running:
        apps = running.state.factory.apps
        await running.server.close()
        assert not any(app.is_running for app in apps)
        assert running.state.apps.ready == 0


async def test_an_app_that_is_being_replaced_is_closed_with_the_server() -> None:
    async with warmed() as running:
        apps = running.state.apps
        first, *_ = apps._prepared
        closed = asyncio.Event()
        first.app.opened.callback(closed.set)
        for _ in range(2):  # a prepared app keeps its characters
            apps._recent.add(replace(USUAL, glyphs=Glyphs.ASCII))
        replacing = asyncio.create_task(apps.keep_ready())
        await running.wait_until(lambda: first.app.is_ending)
        replacing.cancel()
    assert closed.is_set()


async def test_an_app_that_is_being_closed_is_given_to_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What an app has to finish first, such as keys, may take a while."""
    async with warmed() as running:
        apps = running.state.apps
        first, *others = apps._prepared
        asked, may_end = asyncio.Event(), asyncio.Event()

        async def end_later() -> None:
            asked.set()
            await may_end.wait()
            first.app.exit()
            await asyncio.wait({first.task})

        monkeypatch.setattr(app_pool.PreparedApp, "end", lambda _: end_later())
        for _ in range(2):
            apps._recent.add(replace(USUAL, glyphs=Glyphs.ASCII))
        replacing = asyncio.create_task(apps.keep_ready())
        await asked.wait()
        async with running.session() as screen:
            assert app_of(running) in [one.app for one in others]
            may_end.set()
            await running.wait_until(lambda: first not in apps._prepared)
            await screen.move_down()
        assert not replacing.done()
        replacing.cancel()
        await asyncio.wait({replacing})
        monkeypatch.undo()
        assert running.bugs == []


async def test_a_prepared_app_that_crashed_is_not_claimed() -> None:
    async with warmed() as running:
        [first, *_] = running.state.factory.apps
        first.call_later(broken)
        await running.wait_until(lambda: not first.is_running)
        starting = asyncio.create_task(running.state.apps.keep_ready())
        await running.wait_until(lambda: bool(running.bugs))
        starting.cancel()
        async with running.session():
            assert app_of(running) is not first
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]


async def test_a_first_frame_is_removed_if_there_can_be_no_app_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with warmed() as running:
        for _ in range(READY):  # the first of them leaves a first frame to the others
            async with running.session(term_size=UNKNOWN_SIZE):
                pass
        monkeypatch.setattr(running.state.factory, "claim", broken)
        async with running.opened(term_size=UNKNOWN_SIZE) as screen:
            assert await screen.end() == 1
        assert screen.written.index(LEAVE_SCREEN.encode()) > screen.written.index(b"Mitzi")


async def test_an_old_list_of_a_ready_app_is_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssh_apps, "FRESH", timedelta(seconds=-1))
    async with warmed() as running:
        [*before] = [app.screen.listing for app in running.state.factory.apps]
        async with running.session():
            app = app_of(running)
            await running.wait_until(lambda: app.screen.listing not in before)


async def test_prepared_apps_are_drawn_for_the_terminals_of_the_latest_users() -> None:
    async with warmed() as running:
        apps = running.state.apps
        before = set(running.state.factory.apps)
        for _ in range(2):
            apps._recent.add(terminal(61))
        fitting = asyncio.create_task(apps.keep_ready())
        await running.wait_until(lambda: {one.terminal.size[0] for one in apps._prepared} == {61})
        fitting.cancel()
        async with running.session(term_size=(61, 30)):
            assert app_of(running) in before


async def test_all_who_come_at_once_with_a_new_size_see_what_one_app_draws_for_them() -> None:
    async with (
        warmed() as running,
        busy(running) as free,  # no other app may start, nor be drawn for another terminal
        running.session() as first,
        running.session() as second,
    ):
        free()
        for screen in (first, second):
            await screen.move_down()
            assert screen.written.count(b"\x1b[?1049h") == 1


async def test_a_frame_that_is_not_drawn_in_time_is_shown_to_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with warmed() as running:
        monkeypatch.setattr(app_pool, "LONGEST_START", 3600.0)  # of others' turns
        async with busy(running):
            monkeypatch.setattr(app_pool, "LONGEST_START", 0.0)
            async with running.session(term_size=(61, 15)), running.session(term_size=(61, 15)):
                pass  # both see the animals


async def test_who_waits_for_a_frame_that_cannot_be_drawn_is_told_of_a_bug(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with warmed() as running:
        monkeypatch.setattr(running.state.factory, "fit", broken, raising=False)
        async with running.opened(term_size=(61, 15)) as screen:
            assert await screen.end() == 1
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]


async def test_as_many_apps_are_ready_however_many_sessions_there_are() -> None:
    async with warmed() as running, running.session(), running.session():
        await get_ready(running)


# Where no app is ready, users see what another one drew, until theirs has started


RESET = b"\x1b[?1049l"


@asynccontextmanager
async def with_frame(**wanted: Any) -> AsyncIterator[Running]:
    """Serve with a first frame for a terminal, and no prepared app; no start is late."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(app_pool, "LONGEST_START", 3600.0)
        async with serve() as running:
            for _ in range(2):  # the second visitor gets an app that was prepared for this terminal
                await get_ready(running)
                async with running.session(**wanted):
                    pass
                await running.wait_until(lambda: not running.state.sessions)
                await running.state.apps.close()
            yield running


@asynccontextmanager
async def busy(running: Running) -> AsyncIterator[Callable[[], None]]:
    """Let no app start until what this yields is called."""
    turns = [await running.state.apps.starts.turn() for _ in range(app_pool.AT_ONCE)]

    def free() -> None:
        for end in turns:
            end()

    yield free
    free()


async def test_animals_are_there_before_the_app_and_keys_pressed_then_count_in_order() -> None:
    async with with_frame() as running, busy(running) as free, running.session() as screen:
        [session] = running.state.sessions.values()
        assert session.terminal.app is None
        screen.press("j", "j", "k", "j", "\r")
        screen.resize(110, 30)
        await running.wait_until(
            lambda: session.described().size == (110, 30)
        )  # which is behind them
        free()
        await screen.wait_until(lambda: "Blackjack" in screen.text and "Mitzi" not in screen.text)


async def test_the_screen_is_drawn_once_whatever_stands_behind_the_first_frame() -> None:
    async with with_frame() as running, running.session() as screen:
        await screen.move_down()
        assert screen.written.count(b"\x1b[?1049h") == 1
        assert screen.written.count("Señor Orejas".encode()) <= 2  # its row, and that as current


async def test_an_app_behind_a_frame_looks_like_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    async with with_frame(**TRUE_COLOURS) as running, serve() as fresh:
        monkeypatch.setattr(SystemClock, "now", lambda _: NOON)
        async with running.session(**TRUE_COLOURS) as behind, fresh.session(**TRUE_COLOURS) as new:
            for screen in (behind, new):
                await screen.move_down()
                await screen.wait_until(
                    lambda screen=screen: ":01:03" in screen.text.splitlines()[0]
                )
            await running.wait_until(lambda: picture(behind) == picture(new))


async def test_a_resize_before_the_app_has_started_counts() -> None:
    async with with_frame() as running, busy(running) as free, running.session() as screen:
        screen.resize(60, 20)
        [session] = running.state.sessions.values()
        await running.wait_until(lambda: session.described().size == (60, 20))
        screen.press("j")
        free()
        await screen.wait_for("▌    59", " shown")
        assert screen.written.count(RESET) == 1  # of the first frame's size


@pytest.mark.parametrize("leave", ["stop", "cut"])
async def test_who_leaves_before_the_app_has_started_leaves_nothing(leave: str) -> None:
    async with with_frame() as running, busy(running):
        apps = len(running.state.factory.apps)
        async with running.session() as screen:
            if leave == "stop":
                [session] = running.state.sessions.values()
                session.end("stopped", "the server is stopping")
                await screen.end()
                assert screen.written.endswith(b"\x1b[?25h")
                assert RESET in screen.written
                assert b"the server is stopping" in screen.errors
        await running.wait_until(lambda: not running.state.sessions)
        await running.wait_until(lambda: running.counts == (0, 0))
        assert len(running.state.factory.apps) <= apps
        assert not running.bugs


async def test_many_come_at_once_and_each_gets_an_app() -> None:
    async def come() -> None:
        async with running.session() as screen:
            await screen.move_down()

    async with with_frame() as running:
        await asyncio.gather(*(come() for _ in range(8)))
        assert not running.bugs


async def test_keys_behind_those_that_start_the_demo_over_wait_for_the_new_app() -> None:
    async with with_frame() as running, running.session() as screen, busy(running) as free:
        screen.press("\x1b[20~yjj")
        await screen.wait_until(lambda: screen.written.count(b"\x1b[?1049h") == 2)
        screen.press("k")
        free()
        await screen.wait_for("▌    59")


# Apps start in order of arrival, a few at a time


async def has_turn(task: asyncio.Task[object]) -> bool:
    for _ in range(5):
        await asyncio.sleep(0)
    return task.done()


async def test_a_turn_that_is_over_lets_one_follow_even_if_it_ends_twice() -> None:
    all_starts = Starts()
    ends = [await all_starts.turn() for _ in range(app_pool.AT_ONCE)]
    following = [asyncio.create_task(all_starts.turn()) for _ in range(2)]
    assert [await has_turn(each) for each in following] == [False, False]
    ends[0]()
    ends[0]()
    assert [await has_turn(each) for each in following] == [True, False]
    following[1].cancel()


async def test_who_waits_is_counted_until_the_turn_or_the_end() -> None:
    all_starts = Starts()
    ends = [await all_starts.turn() for _ in range(app_pool.AT_ONCE)]
    assert all_starts.waiting == 0
    gone, next_one = [asyncio.create_task(all_starts.turn()) for _ in range(2)]
    await has_turn(gone)
    assert all_starts.waiting == 2
    gone.cancel()
    ends[0]()
    assert await has_turn(next_one)
    assert all_starts.waiting == 0


async def test_a_long_start_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_pool, "LONGEST_START", 0.0)
    all_starts = Starts()
    for _ in range(3 * app_pool.AT_ONCE):
        await all_starts.turn()


# Apps are for the terminals that the next users probably have


def terminal(columns: int, kind: str = "xterm-256color") -> ClientTerminal:
    return ClientTerminal(kind, (columns, 30), Colours.MANY, Glyphs.UNICODE)


def recent_of(*columns: int) -> RecentTerminals:
    recent = RecentTerminals()
    for each in columns:
        recent.add(terminal(each))
    return recent


def test_apps_are_shared_out_as_the_users_terminals_are() -> None:
    recent = recent_of(100, 120, 100, 100, 120, 100)
    ready: list[ClientTerminal] = []
    for _ in range(6):
        ready.append(recent.next(ready))
    assert sorted(each.size[0] for each in ready) == [100] * 4 + [120] * 2


def test_terminals_that_draw_alike_share_their_apps() -> None:
    recent = recent_of(100, 120)
    recent.add(terminal(100, "alacritty"))
    assert recent.next([terminal(100)]).size == (120, 30)


@pytest.mark.parametrize(
    ("columns", "next_one", "outdated"),
    [
        ([], USUAL, set()),
        ([100, 101, 102], None, set()),  # while all differ
        ([100, *[120] * REMEMBERED], "120", {100, 80}),
    ],
)
def test_apps_are_for_the_terminals_of_the_latest_users_alone(
    columns: list[int], next_one: ClientTerminal | str | None, outdated: set[int]
) -> None:
    recent = recent_of(*columns)
    found = recent.next([])
    assert next_one in (None, found, str(found.size[0]))
    assert {each for each in (80, 100, 120) if recent.is_outdated(terminal(each))} == outdated


# First frames


def frame() -> FirstFrame:
    return FirstFrame(ScreenBuffer(10, 2, Palette(Colours.MANY)), "output", "reset")


def test_the_first_frame_that_was_not_used_for_longest_is_dropped() -> None:
    frames = FirstFrames()
    for columns in range(app_pool.FRAMES_MAXIMUM):
        frames.keep(terminal(columns), frame())
    assert frames.find(terminal(0)) is not None
    frames.keep(terminal(500), frame())
    assert frames.find(terminal(0)) is not None
    assert frames.find(terminal(1)) is None
    assert not frames.is_fresh(terminal(1))


def test_an_old_first_frame_is_shown_but_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = FirstFrames()
    frames.keep(terminal(80), frame())
    assert frames.is_fresh(terminal(80))
    monkeypatch.setattr(app_pool, "FRESH", -1.0)
    assert not frames.is_fresh(terminal(80))
    assert frames.find(terminal(80)) is not None


class Unclaimable(CounterFactory):
    def claim(self, user: Any, terminal: Any, prepared: Any) -> ServedCounter:
        if not self.closed:
            raise ZeroDivisionError
        return super().claim(user, terminal, prepared)


async def test_a_prepared_app_that_cannot_be_claimed_ends_and_is_closed() -> None:
    factory = Unclaimable()
    async with serving(factory, ready_apps=1) as running:
        starting = asyncio.create_task(running.state.apps.keep_ready())
        await running.wait_until(lambda: running.state.apps.ready == 1)
        async with running.opened() as screen:
            assert await screen.end() == 1
        await running.wait_until(lambda: factory.closed == factory.made[:1])
        starting.cancel()
        async with user(running) as screen:
            screen.press(UP)
            await screen.wait_for("1 times")
