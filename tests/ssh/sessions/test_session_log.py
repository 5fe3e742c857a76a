"""SessionLog: the events of sessions."""

from __future__ import annotations

import io
import json

import pytest

from pettui.logs import PERIOD, EventLog
from pettui.ssh.apps.app_factory import User
from pettui.ssh.client_terminal import client_terminal
from pettui.ssh.session import SESSIONS, SessionLog
from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log() -> io.StringIO:
    return io.StringIO()


def lines(log: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def use_session(event_log: EventLog, address: str) -> None:
    session = SessionLog(event_log, User("ada", address))
    session.begin(client_terminal("xterm", (80, 24), {}))
    session.end(100, "quit")


def test_hundreds_of_sessions_of_an_address_are_some_lines_and_a_count(
    log: io.StringIO, clock: Clock
) -> None:
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


def test_a_session_that_began_with_a_line_ends_with_one(log: io.StringIO, clock: Clock) -> None:
    event_log = EventLog(log, clock)
    first = SessionLog(event_log, User("ada", "192.0.2.1"))
    first.begin(client_terminal("xterm", (80, 24), {}))
    for _ in range(SESSIONS):
        use_session(event_log, "192.0.2.1")
    first.end(100, "quit")
    events = [line["event"] for line in lines(log)]
    assert events.count("begin") == events.count("end") == SESSIONS
    assert events[-1] == "end"
