"""Logins: many are delayed, and of too many the oldest are dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.ssh import logins as logins_module
from pettui.ssh.admission import network_of
from pettui.ssh.logins import Logins
from tests.ssh_reader import until

if TYPE_CHECKING:
    from pettui.ssh.logins import Login

HOME, OFFICE = "192.0.2.1", "198.51.100.7"


class RecordedLogins:
    """Logins by name, with what happened to them."""

    def __init__(self) -> None:
        self.logins = Logins()
        self.proceeded: list[str] = []
        self.dropped: list[str] = []

    def begin(self, name: str, address: str = HOME) -> Login:
        return self.logins.begin(
            address, lambda: self.proceeded.append(name), lambda: self.dropped.append(name)
        )


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins_module, "CONCURRENT", 2)
    monkeypatch.setattr(logins_module, "LOGINS_MAXIMUM", 4)


async def test_a_few_logins_proceed_at_once_and_others_when_one_ends(few: None) -> None:
    recorded = RecordedLogins()
    first, *_ = [recorded.begin(name) for name in "abcd"]
    assert recorded.proceeded == ["a", "b"]
    recorded.logins.end(first)
    recorded.logins.end(first)
    assert recorded.proceeded == ["a", "b", "c"]
    assert len(recorded.logins) == 3
    recorded.logins.close()


async def test_the_next_login_is_of_the_address_with_the_fewest(few: None) -> None:
    recorded = RecordedLogins()
    first, *_ = [recorded.begin(name) for name in "abc"]
    recorded.begin("d", OFFICE)
    recorded.logins.end(first)
    assert recorded.proceeded == ["a", "b", "d"]
    recorded.logins.close()


async def test_a_slow_login_does_not_delay_others(
    few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins_module, "BUSY_SECONDS", 0.02)
    recorded = RecordedLogins()
    for name in "abcd":
        recorded.begin(name)
    await until(lambda: recorded.proceeded == ["a", "b", "c", "d"])
    assert recorded.dropped == []


async def test_the_network_with_the_most_logins_loses_its_oldest(few: None) -> None:
    recorded = RecordedLogins()
    recorded.begin("honest", OFFICE)
    for name in "abcde":
        recorded.begin(name)
    assert recorded.dropped == ["a", "b"]
    assert len(recorded.logins) == 4
    recorded.logins.close()


async def test_an_ended_login_does_not_proceed(few: None) -> None:
    recorded = RecordedLogins()
    begun = [recorded.begin(name) for name in "abcd"]
    for login in reversed(begun):
        recorded.logins.end(login)
    assert recorded.proceeded == ["a", "b"]
    assert len(recorded.logins) == 0


def test_in_ipv6_a_network_counts_as_one_address() -> None:
    assert network_of("2001:db8:1:2::1") == network_of("2001:db8:1:2:ffff::9")
    assert network_of("2001:db8:1:3::1") != network_of("2001:db8:1:2::1")
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1")


def test_replies_to_failures_are_delayed_after_the_first_few() -> None:
    logins = Logins()
    delays = [logins.failed("192.0.2.1") for _ in range(12)]
    assert delays[:3] == [0, 0, 0]
    assert delays[3:] == sorted(delays[3:])
    assert 0 < delays[3] <= delays[-1] <= 4
    logins.succeeded("192.0.2.1")
    assert logins.failed("192.0.2.1") == 0
