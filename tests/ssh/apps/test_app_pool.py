"""The apps that run before a user logs in, and the first frames that others left."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh.apps import app_pool, served_app
from pettui.ssh.apps.app_pool import USUAL
from pettui.system.capabilities import Glyphs
from pettui.terminal.client_terminal import UNKNOWN_SIZE
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


async def test_keys_behind_those_that_start_the_demo_over_wait_for_the_new_app() -> None:
    async with with_frame() as running, running.session() as screen, busy(running) as free:
        screen.press("\x1b[20~yjj")
        await screen.wait_until(lambda: screen.written.count(b"\x1b[?1049h") == 2)
        screen.press("k")
        free()
        await screen.wait_for("▌    59")


# Apps start in order of arrival, a few at a time


# Apps are for the terminals that the next users probably have


# First frames


async def test_prepared_apps_are_drawn_for_the_terminals_of_the_latest_users() -> None:
    async with warmed() as running:
        apps = running.state.apps
        before = set(running.state.factory.apps)
        for _ in range(2):
            apps._recent.add(replace(USUAL, size=(61, 30)))
        fitting = asyncio.create_task(apps.keep_ready())
        await running.wait_until(lambda: {one.terminal.size[0] for one in apps._prepared} == {61})
        fitting.cancel()
        async with running.session(term_size=(61, 30)):
            assert app_of(running) in before


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
