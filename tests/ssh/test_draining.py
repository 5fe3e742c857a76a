"""A server that drains: who is inside goes on for a while, and is told; nobody else comes in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.ssh.admission import DRAINING
from pettui.ssh.options import SshOptions
from pettui.ssh.session import BUSY_MAXIMUM, DRAINED, TOLD, TimeLimits
from tests.ssh.conftest import serve

if TYPE_CHECKING:
    from tests.ssh.conftest import PassTime, Running

HALF_AN_HOUR = 1800.0


def drain(running: Running, seconds: float = HALF_AN_HOUR) -> None:
    """Do what the parent does."""
    running.link.admission.drain()
    running.server.drain(seconds)


async def test_who_is_inside_is_told_at_once_and_before_the_end(pass_time: PassTime) -> None:
    async with serve(idle_timeout=0) as running, running.session() as screen:
        drain(running)
        await screen.wait_for("The server restarts: finish and log in again;", "ends in 30 min.")
        pass_time(TOLD)
        screen.press("j")
        await screen.wait_for("DEMO", "▌    59")
        await screen.wait_until(lambda: "The server restarts" not in screen.text)
        pass_time(HALF_AN_HOUR - TOLD - 60)
        screen.press("j")
        await screen.wait_for("The server restarts: this session ends in ", " s. Log in again")
        pass_time(60)
        assert await screen.end() == 0
        assert DRAINED.encode() in screen.errors
        await running.wait_until(lambda: running.events("end"))
        assert running.events("end")[0]["reason"] == "drained"


async def test_a_newcomer_reads_that_there_are_no_new_sessions(running: Running) -> None:
    async with running.session() as inside:
        drain(running)
        async with running.opened() as screen:
            assert await screen.end() == 1
        assert DRAINING.encode() in screen.errors
        inside.press("q")
        assert await inside.end() == 0


async def test_who_waits_is_sent_away() -> None:
    async with serve(max_sessions=1) as running, running.session(), running.opened() as waiting:
        await waiting.wait_for("you are 1st; ")
        drain(running)
        assert await waiting.end() == 0
        assert DRAINING.encode() in waiting.errors
        await running.wait_until(lambda: running.events("left"))
        assert running.events("left")[0]["reason"] == "drained"


async def test_a_drain_may_be_said_again_with_another_time(running: Running) -> None:
    async with running.session() as screen:
        drain(running)
        await screen.wait_for("ends in 30 min.")
        drain(running, 0.0)
        assert await screen.end() == 0


async def test_a_request_that_is_under_way_is_not_cut_off(running: Running) -> None:
    async with running.session() as screen:
        screen.press(":")
        await screen.wait_for("Commands")
        screen.press("answers", "\r")
        await screen.wait_for("staged: slow 3 s")
        screen.press("a")
        await screen.wait_for("Add an animal")
        screen.press("Rex", "\t", "3", "\r")
        [session] = running.state.sessions.values()
        await running.wait_until(lambda: session.terminal.app.is_busy)
        drain(running, 0.0)
        await screen.wait_for("The server restarts: this session ends in 0 s.", "61 Rex")
        assert await screen.end() == 0


LIMITS = SshOptions(idle_timeout=0, notice=60)


def limits(until: float) -> TimeLimits:
    found = TimeLimits(LIMITS)
    found.touch(0.0)
    found.drain(0.0, until)
    return found


def test_what_is_busy_for_ever_ends_nevertheless() -> None:
    draining = limits(100.0)
    assert draining.reason(100.0) == ("drained", DRAINED)
    assert draining.reason(100.0, is_busy=True) is None
    assert draining.reason(100.0 + BUSY_MAXIMUM, is_busy=True) == ("drained", DRAINED)
