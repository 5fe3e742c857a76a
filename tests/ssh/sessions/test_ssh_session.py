"""SshSession: one channel with one app, and its end."""

from __future__ import annotations

import asyncio
import gc
import re
import weakref
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest
from textual import events
from textual.geometry import Size

from pettui.ssh.apps.served_app import ServedApp
from pettui.ssh.options import COUNTDOWN
from tests.exhaustive import exhaustive

if TYPE_CHECKING:
    from tests.ssh.conftest import PassTime, Running, Serve

BYTES_MAXIMUM = 400  # for a move of the cursor
RESTORED = b"\x1b[?1049l\x1b[?25h"


async def test_what_is_typed_before_the_first_frame_waits_for_the_app(serve: Serve) -> None:
    async with serve() as running, await running.connect() as connection:
        screen = await running.open(connection)
        screen.press("a", "Rex")
        await screen.wait_for("Add an animal", "Rex")


async def test_of_several_resizes_at_once_the_last_one_counts(serve: Serve) -> None:
    """Otherwise each resize would cause another one, forever."""
    async with serve() as running, running.session() as screen:
        [session] = running.state.sessions.values()
        layouts: list[object] = []
        app = session.runner.app
        app.screen.screen_layout_refresh_signal.subscribe(app, layouts.append, immediate=True)
        for size in ((90, 20), (100, 30), (80, 24), (100, 30)):
            app.screen.post_message(events.Resize(Size(*size), Size(*size)))
            app.screen.call_later(lambda: None)  # otherwise the next one would replace it
        screen.press("j")
        await screen.wait_for("▌    59")
        before = len(layouts)
        screen.press("j")
        await screen.wait_for("▌    58")
        assert len(layouts) - before < 5


async def test_a_resize_is_drawn(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
        screen.channel.change_terminal_size(60, 20)
        await screen.wait_until(lambda: screen.written.count(b"\x1b[2J") > 1)
        screen.channel.change_terminal_size(0, 4_294_967_295)
        await screen.wait_until(lambda: screen.written.count(b"\x1b[2J") > 2)


@pytest.mark.parametrize("key", ["a", *exhaustive("\x1b[20~", "q", "\x1b")])
async def test_any_other_key_leaves_the_demo_as_it_is(serve: Serve, key: str) -> None:
    """The key has no other effect: the next one is for the list."""
    async with serve() as running, running.session() as screen:
        screen.press("a", "Castor\t3\r")
        await screen.wait_for("61 Castor")
        screen.press("\x1b")
        await screen.wait_for("added this session: 1")
        screen.press("\x1b[20~")
        await screen.wait_for("Start the demo over?")
        screen.press(key)
        await screen.wait_until(lambda: "Start the demo over?" not in screen.text)
        await screen.wait_for("Castor", " shown")
        assert screen.written.count(b"\x1b[?1049h") == 1
        screen.press("a")
        await screen.wait_for("Add an animal")


async def test_f9_is_the_outbox_in_the_form(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
        screen.press("a", "\x1b[20~")
        await screen.wait_for("Outbox", "esc Back")
        assert "Start the demo over?" not in screen.text


async def test_esc_dismisses_the_notice_of_the_demo(serve: Serve) -> None:
    """It stays away for the session, and the key that starts over still works."""
    async with serve() as running, running.session() as screen:
        await screen.wait_for("A demo, for you alone")
        screen.press("\x1b")
        await screen.wait_until(lambda: "for you alone" not in screen.text)
        screen.press("r", "\r")
        await screen.wait_for("confirmed")
        screen.press("\x1b")
        await screen.wait_for(" shown")
        assert "for you alone" not in screen.text
        screen.press("\x1b[20~")
        await screen.wait_for("Start the demo over?")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"command": "id"}, "commands are not supported"),
        ({"subsystem": "sftp"}, "file transfer is not supported"),
        ({"subsystem": "x"}, "subsystems are not supported"),
        ({"term_type": None, "term_size": (0, 0)}, "pettui: needs a terminal"),
        ({"term_type": "dumb"}, "cannot draw"),
    ],
    ids=["exec", "sftp", "subsystem", "no pty", "dumb"],
)
async def test_a_request_without_a_usable_terminal_is_refused_with_a_message(
    serve: Serve, options: dict[str, Any], line: str
) -> None:
    async with serve() as running, await running.connect() as connection:
        screen = await running.open(connection, **options)
        assert await screen.end() == 1
        assert line in screen.errors.decode()
        assert screen.errors.count(b"\n") == 1
        assert screen.written == b""


async def test_a_client_without_a_slot_gets_a_message(serve: Serve) -> None:
    async with serve(max_sessions=1, max_queue=0) as running, running.session():
        async with await running.connect() as connection:
            screen = await running.open(connection)
            assert await screen.end() == 1
        full = "the server is full; try again later"
        assert screen.errors == f"pettui: {full}\r\n".encode()
        assert [event["reason"] for event in running.events("refused")] == [full]


async def test_forwarding_is_refused(serve: Serve) -> None:
    async with serve() as running, await running.connect() as connection:
        with pytest.raises(asyncssh.ChannelOpenError, match="forwarding is not supported"):
            await connection.open_connection("127.0.0.1", running.port)
        with pytest.raises(asyncssh.ChannelOpenError, match="forwarding is not supported"):
            await connection.open_unix_connection("/run/x")
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.start_server(lambda *_: None, "127.0.0.1", 0)
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.start_unix_server(lambda: None, "/run/x")


async def test_an_idle_user_is_warned_before_the_session_ends(
    serve: Serve, pass_time: PassTime
) -> None:
    async with serve(idle_timeout=900) as running, running.session() as screen:
        pass_time(900 - COUNTDOWN)
        await screen.wait_for("session ends in")
        screen.press("j")
        await screen.wait_until(lambda: "session ends in" not in screen.text)
        pass_time(900)
        assert await screen.end() == 0
        assert b"session ended: no input for 15 minutes" in screen.errors
        assert screen.written.endswith(RESTORED)


async def test_a_stop_ends_sessions_and_refuses_new_ones(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
        closing = asyncio.create_task(running.server.close())
        assert await screen.end() == 0
        assert b"the server is stopping" in screen.errors
        with pytest.raises(OSError, match=r".*"):
            await running.connect()
        await closing


async def test_a_signal_and_the_end_of_input_end_the_session(serve: Serve) -> None:
    async with serve() as running:
        async with running.session() as screen:
            screen.channel.send_signal("TERM")
            await screen.end()
        async with running.session() as screen:
            screen.channel.write_eof()
            await screen.end()
        reasons = [event["reason"] for event in running.events("end")]
        assert reasons == ["signal", "cut"]


@pytest.mark.parametrize(
    ("environment", "sent"),
    [({"COLORTERM": "truecolor"}, b"8;2;"), ({}, b"8;5;"), ({"NO_COLOR": "1"}, b"")],
    ids=["true", "256", "none"],
)
async def test_colours_are_those_that_the_client_says_it_has(
    serve: Serve, environment: dict[str, str], sent: bytes
) -> None:
    async with serve() as running, running.session(env=environment) as screen:
        assert {*re.findall(rb"[34](8;[25];)", screen.written)} == ({sent} if sent else set())


async def test_the_log_says_who_connected_and_nothing_that_was_typed(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
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


async def test_a_flood_and_a_huge_paste_do_not_slow_down_others(serve: Serve) -> None:
    async with serve() as running, running.session() as flooding, running.session() as other:
        flooding.press("j" * 50_000)
        flooding.press("\x1b[200~" + "x" * 2_000_000)
        for row in (59, 58, 57):
            other.press("j")
            await other.wait_for(f"▌    {row}")


async def test_a_client_that_does_not_read_costs_bounded_memory_and_catches_up(
    serve: Serve,
) -> None:
    async with serve() as running, running.session() as screen:
        [session] = running.state.sessions.values()
        output = session.runner.output
        screen.channel.pause_reading()
        connection = screen.channel.get_connection()
        connection._transport.pause_reading()
        for _ in range(40):
            screen.press("j", "k", ":")
            await asyncio.sleep(0)
            screen.press("\x1b")
        assert output.backlog < 500_000
        connection._transport.resume_reading()
        screen.channel.resume_reading()
        await screen.wait_until(lambda: re.search(r" shown", screen.text) is not None)


@pytest.mark.parametrize(
    ("options", "bar"),
    [
        ({"env": {"LANG": "C.UTF-8", "COLORTERM": "truecolor"}}, "▌"),
        ({"term_type": "linux", "env": {"LANG": "C.UTF-8"}}, ">"),
    ],
    ids=["true colour", "linux"],
)
async def test_moving_the_cursor_costs_few_bytes(
    serve: Serve, options: dict[str, Any], bar: str
) -> None:
    async with serve() as running, running.session(**options) as screen:
        rows = [59, 58, 57, 56, 55, 54, 55, 56]
        sent = []
        for key, row in zip("jjjjjjkk", rows, strict=True):
            before = len(screen.written)
            screen.press(key)
            await screen.wait_for(f"{bar}    {row}")
            sent.append(len(screen.written) - before)
        assert max(sent[2:]) < BYTES_MAXIMUM  # the scroll bar is drawn one frame after the rows


async def forget_cancelled_timers() -> None:
    """Make asyncio drop cancelled timers, which it does when there are over a hundred."""
    loop = asyncio.get_running_loop()
    for _ in range(1000):
        loop.call_later(60, int).cancel()
    await asyncio.sleep(0)


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
async def test_ended_sessions_leave_nothing(serve: Serve) -> None:
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
