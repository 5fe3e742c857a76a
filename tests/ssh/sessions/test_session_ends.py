"""The end of a session, also by an exception: its terminal is restored, and nothing remains."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest
from textual.widget import Widget

from pettui.ssh import session
from pettui.ssh.apps.app_pool import OpenApp
from pettui.ssh.fair_loop import Activity
from pettui.ssh.options import COUNTDOWN
from tests.exhaustive import only_whole
from tests.ssh.conftest import WatchedFactory, broken
from tests.ssh.sessions.test_ssh_session import RESTORED
from tests.terminal.recorded_answers import OTHERS, TERMINALS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ssh.conftest import PassTime, Running, Serve

BUG_LINE = b"a bug in pettui ended this session"


# Input


async def test_any_bytes_from_a_terminal_do_not_harm_a_session(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
        screen.press("a")
        await screen.wait_for("Add an animal")
        screen.press("<")
        for data in (
            *TERMINALS.values(), *OTHERS.values(),
            b"\x1b[97;1:3u", b"\x1b[1114112;1u", b"\x1b[55296u", b"\x1b[97:65:97;2:3;65u",
            b"\x1b[M\x23\xe4\xf0", b"\x1b[32;300;400M", b"\x1b[<64;400;400M", b"\x1b[<0;-1;4M",
        ):  # fmt: skip
            screen.channel.write(data)
        screen.press(">")
        await screen.wait_for("<>")
        assert not running.bugs


# Exceptions


class RaisingAtStart(WatchedFactory):
    def claim(self, *_arguments: object) -> Any:
        raise MemoryError


class RaisingAtEnd(WatchedFactory):
    async def close(self, app: Any) -> None:
        await super().close(app)
        raise OSError(28, "No space left on device")


async def test_an_app_that_cannot_be_created_is_reported_and_frees_its_slot(serve: Serve) -> None:
    async with serve(factory=RaisingAtStart, max_sessions=1) as running:
        for number in (1, 2):
            async with await running.connect() as connection:
                screen = await running.open(connection)
                assert await screen.end() == 1
                assert screen.errors.count(b"\n") == 1
                assert BUG_LINE in screen.errors
            assert len(running.bugs) == number
        await running.wait_until(lambda: not running.state.sessions)


async def test_a_session_whose_slot_cannot_be_looked_for_ends_with_a_message(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> None:
        raise OSError(9, "Bad file descriptor")

    async with serve() as running:
        monkeypatch.setattr(running.state.slots, "ask", broken)
        async with await running.connect() as connection:
            screen = await running.open(connection)
            assert await screen.end() == 1
            assert BUG_LINE in screen.errors
        assert [type(bug) for bug in running.bugs] == [OSError]


async def test_an_app_that_cannot_be_closed_is_reported_once_and_the_terminal_is_restored(
    serve: Serve,
) -> None:
    async with serve(factory=RaisingAtEnd, max_sessions=1) as running:
        async with running.session() as screen:
            screen.press("q")
            assert await screen.end() == 1
            assert screen.written.endswith(RESTORED)
            assert BUG_LINE in screen.errors
        assert [type(bug) for bug in running.bugs] == [OSError]
        async with running.session():
            pass


@pytest.mark.parametrize(
    ("target", "provoke"),
    [
        ("channel_driver.ChannelDriver.feed", lambda screen: screen.press("j")),
        ("tokenizer.Tokenizer.time_out", lambda screen: screen.press("\x1b")),
        ("channel_driver.ChannelDriver.resize", lambda screen: screen.resize(90, 20)),
        ("channel_driver.ChannelDriver.paint", lambda screen: screen.press("j")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_any_exception_is_reported_once_and_the_terminal_is_restored(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, target: str, provoke: Any
) -> None:
    async with serve() as running, running.session() as screen:
        with monkeypatch.context() as patched:
            patched.setattr(f"pettui.terminal.{target}", broken)
            provoke(screen)
            assert await screen.end() == 1
        assert screen.written.endswith(RESTORED)
        assert screen.errors.count(b"\n") == 1
        assert BUG_LINE in screen.errors
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
        assert [end["reason"] for end in running.events("end")] == ["crashed"]
        async with running.session() as other:
            other.press("j")
            await other.wait_for("▌    59")


async def test_a_bug_in_the_countdown_ends_the_session_with_a_message(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, pass_time: PassTime
) -> None:
    monkeypatch.setattr("pettui.ssh.session_limits.ceil", broken)
    async with serve(idle_timeout=900) as running, running.session() as screen:
        pass_time(900 - COUNTDOWN)
        assert await screen.end() == 1
        assert screen.written.endswith(RESTORED)
        assert BUG_LINE in screen.errors
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]


# One request per channel


@pytest.mark.parametrize("request_name", [b"shell", b"exec"])
async def test_a_channel_has_one_shell(serve: Serve, request_name: bytes) -> None:
    async with serve() as running, running.session() as screen:
        argument = b"" if request_name == b"shell" else b"\x00\x00\x00\x04sftp"
        channel: Any = screen.channel
        for _ in range(5):
            assert not await channel._make_request(request_name, argument)
        screen.press("j")
        await screen.wait_for("▌    59")
        assert len(running.state.sessions) == 1
        assert len(running.events("begin")) == 1


# Many at once


class ScriptedApp:
    """What a session uses of an app, which a test can end."""

    channel_driver = None
    pending_events = 0

    def __init__(self) -> None:
        self.ended = asyncio.get_running_loop().create_future()
        self.is_ending = self.wants_restart = False
        self.bug: Exception | None = None

    def finish(self, *, restart: bool = False, bug: Exception | None = None) -> None:
        """End as an app does: it is ending first, and ends a few iterations of the loop later."""
        if not self.is_ending:
            self.is_ending, self.wants_restart, self.bug = True, restart, bug
            asyncio.get_running_loop().call_later(random.random() / 100, self._set_ended)

    def request_end(self) -> None:
        self.finish()

    def caught_up(self) -> None:
        pass

    def take_apart(self) -> bool:
        return True

    def _set_ended(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


class ScriptedApps:
    """A pool and a factory of apps that do nothing, which counts those that run."""

    def __init__(self) -> None:
        self.apps: list[ScriptedApp] = []
        self.prepared = self  # none, which close at once

    async def open(self, *_arguments: object) -> OpenApp:
        await asyncio.sleep(0)
        app: Any = ScriptedApp()
        self.apps.append(app)
        return OpenApp(app, app.ended, Activity())

    def restarts(self, app: ScriptedApp) -> bool:
        return app.wants_restart

    def farewell(self, _app: ScriptedApp) -> str:
        return ""

    @property
    def running(self) -> list[ScriptedApp]:
        return [app for app in self.apps if not app.ended.done()]

    async def close(self, *_app: object) -> None:
        await asyncio.sleep(0)


async def live(running: Running, apps: ScriptedApps, dice: random.Random) -> None:
    """Connect, and let random events happen until the client is gone."""
    connection = await running.connect()
    screen: Any = await running.open(connection)
    steps: list[Callable[[], object]] = [
        lambda: [app.finish(restart=True) for app in apps.running[-3:]],
        lambda: [app.finish() for app in apps.running[-1:]],
        lambda: [app.finish(bug=ValueError()) for app in apps.running[-1:]],
        lambda: screen.channel.is_closing() or screen.channel.write(b"j"),
        lambda: screen.channel.is_closing() or screen.channel.write(b"q"),
        lambda: screen.channel.is_closing() or screen.channel.write_eof(),
        lambda: screen.channel.is_closing() or screen.channel.send_signal("TERM"),
        lambda: screen.channel.is_closing() or screen.channel.change_terminal_size(90, 20),
        lambda: [session.end("idle", "bye") for session in running.state.sessions.values()],
        screen.channel.abort,
        connection.abort,
    ]
    for step in dice.choices(steps, weights=[6, 2, 1, 2, 1, 1, 1, 2, 1, 1, 3], k=dice.randrange(6)):
        step()
        await asyncio.sleep(dice.choice([0, 0, dice.random() / 100]))
    connection.abort()
    await connection.wait_closed()


@pytest.mark.parametrize("lives", [60, *only_whole(1000)])
@pytest.mark.parametrize("places", [40, 4], ids=["all enter", "some wait"])
async def test_many_random_sessions_leave_no_app_and_free_every_slot(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, lives: int, places: int
) -> None:
    monkeypatch.setattr(session, "SESSIONS", lives)  # all have lines
    dice = random.Random(9)
    apps = ScriptedApps()
    async with serve(max_sessions=places, per_address=40) as running:
        running.state.apps = running.state.factory = apps
        for _ in range(lives // 20):
            await asyncio.gather(*(live(running, apps, dice) for _ in range(20)))
        await running.wait_until(lambda: not running.state.connections)
        await running.wait_until(lambda: not running.state.sessions)
        assert not apps.running
        began, ended = (
            [event["session"] for event in running.events(kind)] for kind in ("begin", "end")
        )
        assert sorted(ended) == sorted({*began})
        assert len(began) > lives / (2 if places == 40 else 20)
        await running.wait_until(lambda: running.counts == (0, 0))
        assert len(running.state.logins) == 0
        assert {repr(bug) for bug in running.bugs} <= {repr(ValueError())}


async def test_what_a_cancelled_app_does_without_its_widgets_is_no_bug(serve: Serve) -> None:
    async with serve() as running, running.session():
        [(task, session)] = running.state.sessions.items()
        app = session.runner.app
        close_all = app._close_all

        async def close_too_early() -> None:
            await close_all()
            app.call_next(lambda: Widget().screen)

        app._close_all = close_too_early
        task.cancel()
        await running.wait_until(lambda: not running.state.sessions)
        assert app.bug is None
        assert not running.bugs
