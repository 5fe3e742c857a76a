"""First frames: where no app is ready, users see what another one drew, until theirs has started."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh.apps import app_pool
from pettui.tui.session import SystemClock
from tests.ssh.conftest import are_ready

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.ssh.conftest import Running, Serve

USUAL: dict[str, Any] = {"term_size": (80, 24)}  # what apps are prepared for
RESET = b"\x1b[?1049l"


@pytest.fixture(autouse=True)
def settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a first frame without a wait, and let no start be late."""
    monkeypatch.setattr(app_pool, "SETTLED", -1.0)
    monkeypatch.setattr(app_pool, "LONGEST_START", 3600.0)


@asynccontextmanager
async def with_frame(
    serve: Serve, wanted: dict[str, Any] = USUAL, **options: Any
) -> AsyncIterator[Running]:
    """Serve with a first frame for a terminal, and no prepared app."""
    async with serve(**options) as running:
        apps = running.state.apps
        for _ in range(2):  # the second visitor gets an app that was prepared for this terminal
            preparing = asyncio.create_task(apps.keep_ready())
            await running.wait_until(lambda: are_ready(apps))
            preparing.cancel()
            async with running.session(**wanted):
                pass
            await running.wait_until(lambda: not running.state.sessions)
            await apps.close()
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


async def test_animals_are_there_before_the_app_and_keys_pressed_then_count_in_order(
    serve: Serve,
) -> None:
    async with (
        with_frame(serve) as running, busy(running) as free, running.session(**USUAL) as screen,
    ):  # fmt: skip
        [session] = running.state.sessions.values()
        assert session.runner.app is None
        screen.press("j", "j", "k", "j", "\r")
        free()
        await screen.wait_until(lambda: "Blackjack" in screen.text and "Mitzi" not in screen.text)


async def test_the_screen_is_drawn_once_whatever_stands_behind_the_first_frame(
    serve: Serve,
) -> None:
    async with with_frame(serve) as running, running.session(**USUAL) as screen:
        screen.press("j")
        await screen.wait_for("▌    59")
        assert screen.written.count(b"\x1b[?1049h") == 1
        assert screen.written.count("Señor Orejas".encode()) <= 2  # its row, and that as current


async def test_an_app_behind_a_first_frame_looks_like_a_new_one(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"term_size": (100, 30), "env": {"LANG": "C.UTF-8", "COLORTERM": "truecolor"}}
    at = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
    monkeypatch.setattr(SystemClock, "now", lambda _: at)
    async with (
        with_frame(serve, options) as running, running.session(**options) as behind,
        serve() as fresh, fresh.session(**options) as new,
    ):  # fmt: skip
        first = behind.text
        for screen in (behind, new):
            screen.press("j")
            await screen.wait_until(lambda screen=screen: screen.text != first)
        await running.wait_until(lambda: behind.text.splitlines()[1:] == new.text.splitlines()[1:])


async def test_what_differs_from_the_first_frame_is_drawn(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
    async with with_frame(serve) as running, busy(running) as free:
        monkeypatch.setattr(SystemClock, "now", lambda _: at)
        async with running.session(**USUAL) as screen:
            free()
            await screen.wait_until(lambda: ":01:03" in screen.text.splitlines()[0])


async def test_a_resize_before_the_app_has_started_counts(serve: Serve) -> None:
    async with (
        with_frame(serve) as running, busy(running) as free, running.session(**USUAL) as screen,
    ):  # fmt: skip
        screen.resize(60, 20)
        [session] = running.state.sessions.values()
        await running.wait_until(lambda: session.terminal.size == (60, 20))
        screen.press("j")
        free()
        await screen.wait_for("▌    59", " shown")
        assert screen.written.count(RESET) == 1  # of the first frame's size


@pytest.mark.parametrize("leave", ["stop", "cut"])
async def test_who_leaves_before_the_app_has_started_leaves_nothing(
    serve: Serve, leave: str
) -> None:
    async with with_frame(serve) as running, busy(running):
        apps = len(running.state.factory.apps)
        async with running.session(**USUAL) as screen:
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


async def test_many_come_at_once_and_each_gets_an_app(serve: Serve) -> None:
    async def come() -> None:
        async with running.session(**USUAL) as screen:
            screen.press("j")
            await screen.wait_for("▌    59")

    async with with_frame(serve) as running:
        await asyncio.gather(*(come() for _ in range(8)))
        assert not running.bugs


async def test_keys_behind_those_that_start_the_demo_over_wait_for_the_new_app(
    serve: Serve,
) -> None:
    async with (
        with_frame(serve) as running, running.session(**USUAL) as screen, busy(running) as free,
    ):  # fmt: skip
        screen.press("\x1b[20~yjj")
        await screen.wait_until(lambda: screen.written.count(b"\x1b[?1049h") == 2)
        screen.press("k")
        free()
        await screen.wait_for("▌    59")
