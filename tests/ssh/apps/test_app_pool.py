"""AppPool: apps that run before a user logs in."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pettui.cli import ssh_apps
from pettui.ssh.apps import app_pool, served_app
from pettui.ssh.client_terminal import UNKNOWN_SIZE
from pettui.terminal.driver import LEAVE_SCREEN
from pettui.tui.session import SystemClock
from tests.exhaustive import exhaustive
from tests.ssh.conftest import READY, are_ready, broken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.cli.ssh_apps import ServedPetApp
    from tests.ssh.conftest import Running, Screen, Serve

TRUE_COLOURS = {"env": {"LANG": "C.UTF-8", "COLORTERM": "truecolor"}}


@asynccontextmanager
async def warmed(serve: Serve) -> AsyncIterator[Running]:
    """Serve with all prepared apps ready."""
    async with serve() as running:
        starting = asyncio.create_task(running.state.apps.keep_ready())
        await running.wait_until(lambda: are_ready(running.state.apps))
        starting.cancel()
        yield running


def app_of(running: Running) -> ServedPetApp:
    """Return the app of the only session."""
    [session] = running.state.sessions.values()
    return session.runner.app


async def test_a_user_gets_a_prepared_app(serve: Serve) -> None:
    async with warmed(serve) as running, running.session() as screen:
        assert running.state.apps.ready == READY - 1
        screen.press("j")
        await screen.wait_for("▌    59")
        screen.press("q")
        assert await screen.end() == 0


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
    serve: Serve, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
    monkeypatch.setattr(SystemClock, "now", lambda _: at)
    async with warmed(serve) as running, await running.connect() as connection:
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


async def test_what_one_user_adds_is_in_no_other_app(serve: Serve) -> None:
    async with warmed(serve) as running:
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
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_pool, "SETTLED", -1.0)  # the first leaves others a first frame,
    monkeypatch.setattr(served_app, "LATER", 3600.0)  # behind which all is drawn later
    async with warmed(serve) as running:
        apps = [weakref.ref(app) for app in running.state.factory.apps]
        for _ in apps:
            async with running.session(term_size=UNKNOWN_SIZE) as screen:
                screen.press("q")
                await screen.end()
        await running.wait_until(lambda: not running.state.connections)
        loop = asyncio.get_running_loop()
        for _ in range(1000):  # asyncio drops cancelled timers when there are many
            loop.call_later(60, int).cancel()
        await running.wait_until(lambda: not any(app() for app in apps))


async def test_unclaimed_apps_are_closed_with_the_server(serve: Serve) -> None:
    async with warmed(serve) as running:
        apps = running.state.factory.apps
        await running.server.close()
        assert not any(app.is_running for app in apps)
        assert running.state.apps.ready == 0


async def test_a_prepared_app_that_crashed_is_not_claimed(serve: Serve) -> None:
    async with warmed(serve) as running:
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
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_pool, "SETTLED", -1.0)
    async with warmed(serve) as running:
        for _ in range(READY):  # the first of them leaves a first frame to the others
            async with running.session(term_size=UNKNOWN_SIZE):
                pass
        monkeypatch.setattr(running.state.factory, "claim", broken)
        async with await running.connect() as connection:
            screen = await running.open(connection, term_size=UNKNOWN_SIZE)
            assert await screen.end() == 1
        assert screen.written.index(LEAVE_SCREEN.encode()) > screen.written.index(b"Mitzi")


async def test_an_old_list_of_a_prepared_app_is_loaded_again(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_apps, "FRESH", timedelta(seconds=-1))
    async with warmed(serve) as running:
        [*before] = [app.screen.listing for app in running.state.factory.apps]
        async with running.session():
            app = app_of(running)
            await running.wait_until(lambda: app.screen.listing not in before)


async def test_as_many_apps_are_ready_however_many_sessions_there_are(serve: Serve) -> None:
    async with warmed(serve) as running, running.session(), running.session():
        starting = asyncio.create_task(running.state.apps.keep_ready())
        await running.wait_until(lambda: running.state.apps.ready == READY)
        starting.cancel()
