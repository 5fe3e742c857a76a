"""Logins that are half done: many are slowed, by turns, and of far too many the oldest go."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pettui.ssh.admission import logins as logins_module
from pettui.ssh.admission.logins import Logins
from pettui.ssh.admission.networks import network_of

if TYPE_CHECKING:
    from pettui.ssh.admission.logins import Login

HOME, OFFICE = "192.0.2.1", "198.51.100.7"


class Door:
    """Logins, and what happened to them by name."""

    def __init__(self) -> None:
        self.logins = Logins()
        self.going: list[str] = []
        self.dropped: list[str] = []

    def knock(self, name: str, address: str = HOME) -> Login:
        return self.logins.begin(
            address, lambda: self.going.append(name), lambda: self.dropped.append(name)
        )


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins_module, "CONCURRENT", 2)
    monkeypatch.setattr(logins_module, "LOGINS_MAXIMUM", 4)


async def test_a_few_go_on_at_once_and_the_next_when_one_is_done(few: None) -> None:
    door = Door()
    first, *_ = [door.knock(name) for name in "abcd"]
    assert door.going == ["a", "b"]
    door.logins.end(first)
    door.logins.end(first)
    assert door.going == ["a", "b", "c"]
    assert len(door.logins) == 3
    door.logins.close()


async def test_the_next_is_of_an_address_with_few(few: None) -> None:
    door = Door()
    first, *_ = [door.knock(name) for name in "abc"]
    door.knock("d", OFFICE)
    door.logins.end(first)
    assert door.going == ["a", "b", "d"]
    door.logins.close()


async def test_a_login_that_takes_its_time_holds_up_nobody(
    few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins_module, "BUSY_SECONDS", 0.02)
    door = Door()
    for name in "abcd":
        door.knock(name)
    async with asyncio.timeout(60):
        while door.going != ["a", "b", "c", "d"]:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)
    assert door.dropped == []


async def test_of_too_many_the_oldest_goes(few: None) -> None:
    door = Door()
    for name in "abcdef":
        door.knock(name)
    assert door.dropped == ["a", "b"]
    assert len(door.logins) == 4
    door.logins.close()


async def test_whoever_opens_many_loses_their_own(few: None) -> None:
    door = Door()
    door.knock("honest", OFFICE)
    for name in "abcde":
        door.knock(name)
    assert door.dropped == ["a", "b"]
    door.logins.close()


async def test_what_has_ended_goes_on_no_more(few: None) -> None:
    door = Door()
    held = [door.knock(name) for name in "abcd"]
    for login in reversed(held):
        door.logins.end(login)
    assert door.going == ["a", "b"]
    assert len(door.logins) == 0


def test_in_ipv6_a_network_counts_as_one_address() -> None:
    assert network_of("2001:db8:1:2::1") == network_of("2001:db8:1:2:ffff::9")
    assert network_of("2001:db8:1:3::1") != network_of("2001:db8:1:2::1")
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1")


def test_failures_are_slowed_after_the_first_few() -> None:
    logins = Logins()
    delays = [logins.failed("192.0.2.1") for _ in range(12)]
    assert delays[:3] == [0, 0, 0]
    assert delays[3:] == sorted(delays[3:])
    assert 0 < delays[3] <= delays[-1] <= 4
    logins.succeeded("192.0.2.1")
    assert logins.failed("192.0.2.1") == 0
