"""The queue of a full server, as its clients see it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh.waiting import is_leaving, waiting_line
from tests.ssh.conftest import serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.ssh.conftest import PassTime, Running, Screen

BEFORE, AFTER = b"\r\x1b[?7l", b"\x1b[?7h\x1b[J\r"  # the rest is cleared
CLEARED = BEFORE + AFTER
HOUR = 3600.0
LIMIT = HOUR / 2  # seconds of a session while others wait; tests move the clock


@asynccontextmanager
async def waiting(running: Running, position: str, **options: Any) -> AsyncIterator[Screen]:
    """Connect to a full server, and wait for the position."""
    async with running.opened(**options) as screen:
        await screen.wait_for(f"you are {position}; ")
        yield screen


@asynccontextmanager
async def full(**options: Any) -> AsyncIterator[tuple[Running, Screen]]:
    """Serve with one slot, which is taken."""
    async with serve(**{"max_sessions": 1, **options}) as running, running.session() as first:
        yield running, first


async def test_a_client_of_a_full_server_waits_moves_up_and_is_admitted() -> None:
    async with full() as (running, first):
        async with waiting(running, "1st") as second, waiting(running, "2nd") as third:
            assert second.written == BEFORE + b"you are 1st; press q to leave" + AFTER
            assert len(running.state.factory.apps) == 1  # of the first session
            first.press("q")
            await second.wait_for("DEMO", "Mitzi", " shown")
            assert b"1st; press q to leave" + AFTER + CLEARED in second.written
            await third.wait_for("you are 1st; ")
            second.press("q")
            await third.wait_for("DEMO", "Mitzi")
        await running.wait_until(lambda: not running.state.sessions)
        await running.wait_until(lambda: running.counts == (0, 0))
        assert len(running.events("queued")) == 2
        assert len(running.events("begin")) == 3


@pytest.mark.parametrize("key", ["q", "\x03"])
async def test_a_key_leaves_the_queue_and_clears_its_line(key: str) -> None:
    async with full() as (running, _):
        async with waiting(running, "1st") as screen:
            screen.press(key)
            assert await screen.end() == 0
            assert screen.written.endswith(b"leave" + AFTER + CLEARED)
            assert screen.errors == b""
        assert [event["reason"] for event in running.events("left")] == ["quit"]
        await running.wait_until(lambda: running.counts == (1, 0))


@pytest.mark.parametrize(
    ("typed", "leaves"),
    [
        (b"q", True), (b"qq", True), (b"\x03", True), (b"", False), (b"\x1bOq", False),
        (b"\x1b]11;rgb:q/q/q\x07", False), (b"\x1b[200~q\x1b[201~", False), (b"quick", False),
    ],
)  # fmt: skip
def test_replies_and_pasted_text_do_not_leave_the_queue(typed: bytes, leaves: bool) -> None:
    assert is_leaving(typed) is leaves


@pytest.mark.parametrize(
    ("disconnect", "reason"),
    [
        (lambda channel: channel.get_connection().abort(), "cut"),
        (lambda channel: channel.write_eof(), "cut"),
        (lambda channel: channel.send_signal("TERM"), "signal"),
    ],
    ids=["cut", "end of input", "signal"],
)
async def test_a_client_that_disconnects_while_waiting_frees_its_place(
    disconnect: Callable[[Any], None], reason: str
) -> None:
    async with full() as (running, first):
        async with waiting(running, "1st") as gone, waiting(running, "2nd") as next_one:
            disconnect(gone.channel)
            await next_one.wait_for("you are 1st; ")
            first.press("q")
            await next_one.wait_for("DEMO", "Mitzi")
        assert [event["reason"] for event in running.events("left")] == [reason]
        await running.wait_until(lambda: running.counts == (0, 0))


async def test_the_line_fits_the_terminal_even_after_a_resize() -> None:
    async with full() as (running, _), running.opened(term_size=(24, 10)) as screen:
        await screen.wait_for("you are 1st; q leaves")
        screen.channel.change_terminal_size(100, 10)
        await screen.wait_until(lambda: b"you are 1st; press q to leave" in screen.written)
        screen.channel.change_terminal_size(6, 10)
        await screen.wait_until(lambda: b"\r\x1b[?7l1st\x1b[?7h" in screen.written)


async def test_a_stop_is_announced_in_the_queue() -> None:
    async with full() as (running, _), waiting(running, "1st") as screen:
        await running.server.close()
        assert await screen.end() == 0
        assert screen.written.endswith(CLEARED)
        assert screen.errors == b"pettui: the server is stopping; please reconnect in a moment\r\n"


# Time limits


async def test_while_a_client_waits_a_session_over_its_limit_is_warned_and_ends(
    pass_time: PassTime,
) -> None:
    async with full(time_limit=LIMIT, notice=60.0) as (running, old):
        running.clock.now += HOUR
        async with waiting(running, "1st") as screen:
            await old.wait_for("Others are waiting: this session ends in")
            pass_time(60.0)
            assert await old.end() == 0
            line = b"pettui: session ended: the limit is 31 minutes while others wait\r\n"
            assert old.errors == line
            await screen.wait_for("DEMO", "Mitzi")
        assert running.events("end")[0]["reason"] == "time"


async def test_a_line_that_cannot_be_written_ends_one_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(position: int, seconds: float | None, width: int) -> str:
        if width == 90:
            raise ZeroDivisionError
        return waiting_line(position, seconds, width)

    async with full() as (running, first), waiting(running, "1st") as second:
        async with waiting(running, "2nd") as third:
            with monkeypatch.context() as patched:
                patched.setattr("pettui.ssh.waiting.waiting_line", broken)
                third.channel.change_terminal_size(90, 30)
                assert await third.end() == 1
            assert b"a bug in pettui ended this session" in third.errors
        first.press("q")
        await second.wait_for("DEMO", "Mitzi")
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
