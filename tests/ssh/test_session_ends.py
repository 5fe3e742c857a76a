"""The end of a session, also by an exception: its terminal is restored, and nothing remains."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from rich.text import Text
from textual.app import ScreenStackError
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.widget import MountError

from pettui.ssh import session
from pettui.ssh.apps.any_app import AnyApp, served
from pettui.ssh.options import COUNTDOWN
from tests.exhaustive import only_whole
from tests.ssh.conftest import broken, serve, serving
from tests.ssh.counter import BUG, LEAVE, UP, Counter, CounterFactory, ServedCounter
from tests.ssh.test_session import RESTORED
from tests.terminal.recorded_answers import OTHERS, TERMINALS
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ssh.conftest import PassTime, Running, Screen

BUG_LINE = b"a bug in pettui ended this session"
HOSTILE = "Rex\x1b]0;mine\x07\x1b]52;c;eA==\x07\x9b2J\nx"


# Input


async def test_any_bytes_of_a_terminal_harm_no_session(running: Running, screen: Screen) -> None:
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


# Last lines


class HostileFactory(CounterFactory):
    """Its apps have a draft with this name."""

    def farewell(self, _app: ServedCounter) -> str:
        return f"a draft could not be saved: {HOSTILE}"


class Panicking(Counter):
    def action_count(self) -> None:
        self.panic(Text(HOSTILE), HOSTILE)

    def action_fail(self) -> None:
        self.exit(message=Text(HOSTILE))


def controls(written: bytes) -> set[str]:
    return {each for each in written.decode().replace("\r\n", "") if not each.isprintable()}


async def test_no_control_of_a_farewell_reaches_the_terminal() -> None:
    async with serving(HostileFactory(), name="counter") as running, running.opened() as screen:
        await screen.wait_for("0 times")
        screen.press(LEAVE)
        await screen.end()
        assert screen.errors.startswith(b"counter: a draft could not be saved: Rex")
        assert screen.errors.count(b"\n") == 1
        assert controls(screen.errors) == set()


@pytest.mark.parametrize("key", [UP, BUG], ids=["panic", "exit"])
async def test_no_control_of_what_an_app_says_last_reaches_the_terminal(key: str) -> None:
    async with serving(AnyApp(Panicking)) as running, running.opened() as screen:
        await screen.wait_for("0 times")
        screen.press(key)
        await screen.end()
        assert screen.errors.startswith(b"Rex")
        assert controls(screen.errors) == set()


# What widgets raise of a screen that is taken away


class Late(Counter):
    """Goes on mounting once it is told to."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.went_on = False
        self.may_go_on = asyncio.Event()

    async def on_mount(self) -> None:
        await self.may_go_on.wait()
        self.went_on = True
        raise self.error


class LateFactory(CounterFactory):
    def __init__(self, error: Exception) -> None:
        super().__init__(can_prepare=False)
        self.error = error

    def claim(self, *_arguments: Any) -> Any:
        self.made.append(served(Late)(self.error))
        return self.made[-1]

    def farewell(self, _app: Any) -> str:
        return ""


TAKEN_AWAY = [MountError, NoMatches, NoScreen, ScreenStackError]


@pytest.mark.parametrize("kind", [*TAKEN_AWAY, OSError])
async def test_a_session_that_is_resized_while_it_starts_and_then_cut_ends_without_a_bug(
    kind: type[Exception],
) -> None:
    error = kind("x")
    factory = LateFactory(error)
    async with serving(factory) as running:
        async with running.opened() as screen:
            await running.wait_until(lambda: factory.made and factory.made[0].is_running)
            screen.resize(90, 20)
        app: Any = factory.made[0]
        await running.wait_until(lambda: app.is_ending)
        app.may_go_on.set()
        await running.wait_until(lambda: not running.state.sessions)
        assert app.went_on
        assert running.bugs == ([] if kind in TAKEN_AWAY else [error])


# Exceptions


@pytest.mark.parametrize(("of", "name"), [("slots", "ask"), ("factory", "claim")])
async def test_a_session_that_cannot_begin_is_reported_and_frees_its_slot(
    monkeypatch: pytest.MonkeyPatch, of: str, name: str
) -> None:
    async with serve(max_sessions=1) as running:
        monkeypatch.setattr(getattr(running.state, of), name, broken)
        for number in (1, 2):
            async with running.opened() as screen:
                assert await screen.end() == 1
                assert screen.errors.count(b"\n") == 1
                assert BUG_LINE in screen.errors
            assert len(running.bugs) == number
        await running.wait_until(lambda: not running.state.sessions)


@pytest.mark.parametrize(
    ("target", "provoke"),
    [
        ("terminal.channel_driver.ChannelDriver.feed", lambda screen, _: screen.press("j")),
        ("terminal.tokenizer.Tokenizer.time_out", lambda screen, _: screen.press("\x1b")),
        ("terminal.channel_driver.ChannelDriver.resize", lambda screen, _: screen.resize(90, 20)),
        ("terminal.channel_driver.ChannelDriver.paint", lambda screen, _: screen.press("j")),
        ("ssh.session.ceil", lambda _, pass_time: pass_time(900 - COUNTDOWN)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_any_exception_is_reported_once_and_the_terminal_is_restored(
    monkeypatch: pytest.MonkeyPatch, pass_time: PassTime, target: str, provoke: Any
) -> None:
    async with serve(idle_timeout=900) as running, running.session() as screen:
        with monkeypatch.context() as patched:
            patched.setattr(f"pettui.{target}", broken)
            provoke(screen, pass_time)
            assert await screen.end() == 1
        assert screen.written.endswith(RESTORED)
        assert screen.errors.count(b"\n") == 1
        assert BUG_LINE in screen.errors
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
        assert [end["reason"] for end in running.events("end")] == ["crashed"]
        async with running.session() as other:
            await other.move_down()


# One request per channel


@pytest.mark.parametrize("name", [b"shell", b"exec"])
async def test_a_channel_has_one_shell(running: Running, screen: Screen, name: bytes) -> None:
    argument = b"" if name == b"shell" else b"\x00\x00\x00\x04sftp"
    channel: Any = screen.channel
    for _ in range(5):
        assert not await channel._make_request(name, argument)
    await screen.move_down()
    assert len(running.state.sessions) == 1
    assert len(running.events("begin")) == 1


# Many at once


class Restarting(CounterFactory):
    """Starts those apps over that have counted."""

    def restarts(self, app: ServedCounter) -> bool:
        return app.count > 0


async def live(running: Running, dice: random.Random) -> None:
    """Connect, and let random events happen until the client is gone."""
    connection = await running.connect()
    screen = await running.open(connection)
    channel = screen.channel
    steps: list[Callable[[], object]] = [
        lambda: channel.write(dice.choice([UP + LEAVE, LEAVE, BUG]).encode()),
        channel.write_eof,
        lambda: channel.send_signal("TERM"),
        lambda: channel.change_terminal_size(90, 20),
        lambda: [one.end("idle", "bye") for one in [*running.state.sessions.values()][-1:]],
        channel.abort,
        connection.abort,
    ]
    if dice.random() < 0.4:
        await until(lambda: "times" in screen.text or channel.is_closing())
    for step in dice.choices(steps, weights=[9, 1, 1, 2, 1, 1, 3], k=dice.randrange(6)):
        with suppress(OSError):  # it is closing
            step()
        await asyncio.sleep(dice.choice([0, 0, dice.random() / 100]))
    connection.abort()
    await connection.wait_closed()


@pytest.mark.parametrize("lives", [20, *only_whole(300)])
@pytest.mark.parametrize("places", [40, 4], ids=["all enter", "some wait"])
async def test_many_random_sessions_leave_no_app_and_free_every_slot(
    monkeypatch: pytest.MonkeyPatch, lives: int, places: int
) -> None:
    monkeypatch.setattr(session, "SESSIONS", lives)  # all have lines
    dice, apps = random.Random(9), Restarting()
    async with serving(apps, max_sessions=places, per_address=40, ready_apps=0) as running:
        for _ in range(lives // 20):
            await asyncio.gather(*(live(running, dice) for _ in range(20)))
        await running.wait_until(lambda: not running.state.connections)
        await running.wait_until(lambda: not running.state.sessions)
        assert {*apps.made} == {*apps.closed}
        await running.wait_until(lambda: not any(map(vars, apps.made)))  # dismantled
        began, ended = (
            [event["session"] for event in running.events(kind)] for kind in ("begin", "end")
        )
        assert sorted(ended) == sorted({*began})
        assert len(began) > lives / (2 if places == 40 else 20)
        await running.wait_until(lambda: running.counts == (0, 0))
        assert len(running.state.logins) == 0
        assert {type(bug) for bug in running.bugs} <= {ZeroDivisionError}


@pytest.mark.parametrize("error", [MountError, asyncio.CancelledError])
async def test_an_app_whose_widgets_cannot_be_closed_closes_what_else_it_has(
    running: Running, error: type[BaseException]
) -> None:
    """Such as what sends its outbox, which would be forgotten while it waits."""

    def names() -> set[str]:
        return {task.get_name() for task in asyncio.all_tasks()}

    async def close_none(*_screens: object) -> None:
        raise error

    async with running.session():
        [(task, session)] = running.state.sessions.items()
        assert "outbox: sending" in names()
        session.terminal.app._prune = close_none
        task.cancel()
        await running.wait_until(lambda: not running.state.sessions)
        await running.wait_until(lambda: "app shutdown" not in names())
        assert "outbox: sending" not in names()
