"""SshSession: one channel with one app, its events, and what it copies."""

from __future__ import annotations

import asyncio
import base64
import gc
import io
import json
import re
import weakref
from datetime import datetime, time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import asyncssh
import pytest

from pettui.ssh.apps.app_factory import User
from pettui.ssh.apps.served_app import ServedApp
from pettui.ssh.options import COUNTDOWN
from pettui.ssh.session import SESSIONS, SessionLog
from pettui.system.logs import PERIOD, EventLog
from pettui.terminal.client_terminal import client_terminal
from tests.clock import Clock
from tests.ssh.conftest import forget_cancelled_timers, serve

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ssh.conftest import PassTime, Running, Screen


RESTORED = b"\x1b[?1049l\x1b[?25h"


async def test_what_is_typed_before_the_first_frame_waits_for_the_app(running: Running) -> None:
    async with running.opened() as screen:
        screen.press("a", "Rex")
        await screen.wait_for("Add an animal", "Rex")


@pytest.mark.parametrize(
    ("keys", "there"),
    [
        ("j", "▌    59"),
        ("aRex", "Rex"),
        ("?", "F1 Help"),
        (":copy", "Copy JSON"),
        ("/sen", "Señor"),
    ],
    ids=["list", "form", "help", "palette", "find"],
)
async def test_ctrl_l_draws_everything_again_everywhere(
    keys: str, there: str, screen: Screen
) -> None:
    screen.press(keys)
    await screen.wait_for(there)
    screen.terminal.reset()
    assert not screen.text.strip()
    screen.press("\x0c")
    await screen.wait_for(there)


async def test_the_terminal_s_cursor_is_at_the_row_under_the_cursor_and_hidden(
    screen: Screen,
) -> None:
    """What reads or magnifies the screen follows it."""
    lines = screen.text.split("\n")
    assert "▌    60" in lines[screen.terminal.cursor.y]
    await screen.move_down()
    await screen.wait_until(lambda: "▌    59" in screen.text.split("\n")[screen.terminal.cursor.y])
    assert (screen.terminal.cursor.x, screen.terminal.cursor.hidden) == (0, True)
    screen.press("o")
    await screen.wait_for("Outbox")
    screen.press("\x1b", "aRex")
    await screen.wait_for("Add an animal", "Rex")
    await screen.wait_until(lambda: "Rex" in screen.text.split("\n")[screen.terminal.cursor.y])


@pytest.mark.parametrize("is_prepared", [False, True], ids=["new", "prepared"])
async def test_the_terminal_s_cursor_is_seen_if_the_server_s_settings_say_so(
    is_prepared: bool,
) -> None:
    async with serve(show_cursor=True) as running:
        if is_prepared:
            await running.prepare_apps()
        async with running.session() as screen:
            assert not screen.terminal.cursor.hidden


ZONES = ("Asia/Tokyo", "America/New_York")


@pytest.mark.parametrize("is_prepared", [False, True], ids=["new", "prepared"])
async def test_times_are_each_user_s_own_where_the_client_sends_a_zone(
    running: Running, is_prepared: bool
) -> None:
    if is_prepared:
        await running.prepare_apps()
    for zone in ZONES:
        before = datetime.now(ZoneInfo(zone)).replace(microsecond=0)
        async with running.opened(env={"TZ": zone}) as screen:
            await screen.wait_until(lambda: re.search(r"as of [0-9:]{8} \S \d", screen.text))
            told = re.search(r"as of ([0-9:]{8})", screen.text)
            at = datetime.combine(before, time.fromisoformat(told[1]), before.tzinfo)
            off = abs((at - before).total_seconds()) % 86_400
            assert min(off, 86_400 - off) < 1800
            assert session_of(running).clock.now().utcoffset() == before.utcoffset()


@pytest.mark.parametrize("zone", [{}, {"TZ": "CET-1CEST"}], ids=["none", "unknown"])
async def test_the_server_s_zone_is_named_where_the_client_sends_none_that_is_known(
    running: Running, zone: dict[str, str]
) -> None:
    name = datetime.now().astimezone().tzname()
    async with running.opened(env=zone) as screen:
        await screen.wait_until(lambda: re.search(rf"as of [0-9:]{{8}} {name}", screen.text))


def session_of(running: Running) -> Any:
    [session] = running.state.sessions.values()
    return session.terminal.app.session


async def test_a_resize_is_drawn(screen: Screen) -> None:
    screen.channel.change_terminal_size(60, 20)
    await screen.wait_until(lambda: screen.written.count(b"\x1b[2J") > 1)
    screen.channel.change_terminal_size(0, 4_294_967_295)
    await screen.wait_until(lambda: screen.written.count(b"\x1b[2J") > 2)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"command": "id"}, "commands are not supported"),
        ({"subsystem": "sftp"}, "file transfer and other subsystems are not supported"),
        ({"term_type": None, "term_size": (0, 0)}, "pettui: needs a terminal"),
        ({"term_type": "dumb"}, "cannot draw"),
    ],
    ids=["exec", "sftp", "no pty", "dumb"],
)
async def test_a_request_without_a_usable_terminal_is_refused_with_a_message(
    running: Running, options: dict[str, Any], line: str
) -> None:
    async with running.opened(**options) as screen:
        assert await screen.end() == 1
        assert line in screen.errors.decode()
        assert screen.errors.count(b"\n") == 1
        assert screen.written == b""


async def test_forwarding_is_refused(running: Running) -> None:
    async with await running.connect() as connection:
        with pytest.raises(asyncssh.ChannelOpenError, match="forwarding is not supported"):
            await connection.open_connection("127.0.0.1", running.port)
        with pytest.raises(asyncssh.ChannelOpenError, match="forwarding is not supported"):
            await connection.open_unix_connection("/run/x")
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.start_server(lambda *_: None, "127.0.0.1", 0)
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.start_unix_server(lambda: None, "/run/x")


async def test_an_idle_user_is_warned_before_the_session_ends(pass_time: PassTime) -> None:
    async with serve(idle_timeout=900) as running, running.session() as screen:
        pass_time(900 - COUNTDOWN)
        await screen.wait_for("session ends in")
        screen.press("q")  # it would leave
        await screen.wait_until(lambda: "session ends in" not in screen.text)
        await screen.move_down()
        pass_time(900)
        assert await screen.end() == 0
        assert b"session ended: no input for 15 minutes" in screen.errors
        assert screen.written.endswith(RESTORED)


@pytest.mark.parametrize(
    ("environment", "sent"),
    [({"COLORTERM": "truecolor"}, {b"8;2;"}), ({"NO_COLOR": "1"}, set())],
    ids=["true", "none"],
)
async def test_colours_are_those_that_the_client_says_it_has(
    running: Running, environment: dict[str, str], sent: set[bytes]
) -> None:
    async with running.session(env=environment) as screen:
        assert {*re.findall(rb"[34](8;[25];)", screen.written)} == sent


async def test_the_log_says_who_connected_and_nothing_that_was_typed(
    running: Running, screen: Screen
) -> None:
    screen.press("a", "Castor")
    await screen.wait_for("Castor")
    screen.press("\x11")
    await screen.end()
    await running.wait_until(lambda: bool(running.events("end")))
    [begin], [end] = running.events("begin"), running.events("end")
    assert (begin["user"], begin["address"]) == ("demo", "127.0.0.1")
    assert (begin["term"], begin["columns"], begin["rows"]) == ("xterm-256color", 100, 30)
    assert (end["reason"], end["bytes"]) == ("quit", len(screen.written))
    assert "Castor" not in running.log.getvalue()


async def come_and_go(running: Running, way: str, apps: list[weakref.ref[Any]]) -> None:
    connection = await running.connect()
    screen = await running.open(connection)
    if way != "at once":
        await screen.wait_for("DEMO", "Mitzi")
    apps += [weakref.ref(app) for app in running.state.factory.apps]
    if way == "quit":
        screen.press("q")
        await screen.end()
    connection.abort()
    await connection.wait_closed()


@pytest.mark.usefixtures("_no_collection")
async def test_ended_sessions_leave_nothing() -> None:
    apps: list[weakref.ref[Any]] = []
    async with serve() as running:
        for _ in range(2):
            for way in ("quit", "cut", "at once"):
                await come_and_go(running, way, apps)
        await running.wait_until(lambda: not running.state.sessions)
        await running.wait_until(lambda: not running.state.connections)
        await forget_cancelled_timers()
        assert len(apps) >= 2
        # Without a collection: of those that were cancelled at once an empty shell may be left.
        await running.wait_until(lambda: not any(map(vars, running.state.factory.apps)))
        gc.collect()
        # By type(): isinstance asks a proxy for its object, which may be gone.
        assert not [each for each in gc.get_objects() if issubclass(type(each), ServedApp)]
        names = [task.get_name() for task in asyncio.all_tasks()]
        assert len(names) <= 4, names  # this test, and what watches over all sessions


# The events of sessions


def lines(log: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def use_session(event_log: EventLog, address: str) -> None:
    session = SessionLog(event_log, User("ada", address))
    session.begin(client_terminal("xterm", (80, 24), {}))
    session.end(100, "quit")


def test_hundreds_of_sessions_of_an_address_are_some_lines_and_a_count() -> None:
    log, clock = io.StringIO(), Clock()
    event_log = EventLog(log, clock)
    for _ in range(500):
        use_session(event_log, "192.0.2.1")
    use_session(event_log, "192.0.2.2")
    events = [(line["event"], line["address"]) for line in lines(log)]
    assert events[:-2] == [("begin", "192.0.2.1"), ("end", "192.0.2.1")] * SESSIONS
    assert events[-2:] == [("begin", "192.0.2.2"), ("end", "192.0.2.2")]
    clock.now += PERIOD
    use_session(event_log, "192.0.2.1")
    counted, *others = lines(log)[len(events) :]
    assert (counted["event"], counted["address"]) == ("begin", "192.0.2.1")
    assert counted["more"] == 500 - SESSIONS
    assert [line["event"] for line in others] == ["begin", "end"]


# A copy goes to the clipboard of the client's terminal (OSC 52)


COPY = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")
TINY = '{"id":42,"name":"Tiny 🐹","categoryId":7,"status":"available"}'


def copies(screen: Screen) -> list[str]:
    return [base64.b64decode(copy).decode() for copy in COPY.findall(screen.written)]


async def test_copies_do_not_accumulate_for_a_client_that_stops_reading(running: Running) -> None:
    async with running.opened(window=4 * 1024) as screen:
        await screen.wait_for(" shown")
        [session] = running.state.sessions.values()
        screen.channel.pause_reading()
        screen.press("#", "4", "2", "\r", *"yY" * 100)
        terminal = session.terminal
        await running.wait_until(lambda: terminal.backlog > 0)
        await running.wait_until(lambda: not terminal._buffer and not terminal.app.pending_events)
        assert terminal.backlog < 1024
        screen.channel.resume_reading()
        await screen.wait_until(lambda: copies(screen)[-1:] == [TINY])
        assert len(copies(screen)) < 200


async def test_an_export_is_copied_and_no_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with serve() as running, running.session() as screen:
        screen.press("e")
        await screen.wait_for("Copy as")
        screen.press("\x15", *"pets.jsonl", "\r")
        await screen.wait_for("rows as JSON Lines, if this terminal allows it")
        [copied] = copies(screen)
        assert TINY in copied.splitlines()
        assert names_in(tmp_path) == []


def names_in(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]
