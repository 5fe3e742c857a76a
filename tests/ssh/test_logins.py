"""Logins: many are delayed, of too many the oldest are dropped; and those with keys."""

from __future__ import annotations

import asyncio
import re
import socket
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh import logins as logins_module
from pettui.ssh.admission import network_of
from pettui.ssh.asyncssh_internals import USERAUTH_REQUEST
from pettui.ssh.logins import FAILURES_MAXIMUM, Logins
from tests.ssh.conftest import KEY, OTHER, KeyFile, Running, line, new_key, serve

if TYPE_CHECKING:
    from pathlib import Path


HOME, OFFICE = "192.0.2.1", "198.51.100.7"


class FakeConnection:
    """A connection that notes when it may proceed."""

    def __init__(self, name: str, network: str, proceeded: list[str]) -> None:
        self.name, self.network, self._proceeded = name, network, proceeded

    def proceed(self) -> None:
        self._proceeded.append(self.name)


async def test_a_few_logins_proceed_and_of_too_many_the_oldest_of_the_busiest_network_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logins_module, "CONCURRENT", 2)
    monkeypatch.setattr(logins_module, "LOGINS_MAXIMUM", 4)
    logins, proceeded = Logins(), []

    def begin(name: str, network: str = HOME) -> tuple[Any, Any]:
        login: Any = FakeConnection(name, network, proceeded)
        return login, logins.begin(login)

    first, *_ = [begin(name)[0] for name in "abc"]
    begin("d", OFFICE)
    assert proceeded == ["a", "b"]
    logins.end(first)
    logins.end(first)
    assert proceeded == ["a", "b", "d"], "it is of the network with the fewest"
    dropped = [surplus and surplus.name for _, surplus in map(begin, "ef")]
    assert dropped == [None, "b"]
    assert len(logins) == 4
    logins.close()


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


# With keys of the authorized keys file


async def test_on_a_connection_that_outlives_its_key_no_further_session_opens(
    tmp_path: Path,
) -> None:
    keys = KeyFile(tmp_path / "keys", line(KEY), line(OTHER))
    async with serve(keys.keys) as running, await running.connect(client_keys=[KEY]) as connection:
        screen = await running.open(connection)
        await screen.wait_for("DEMO", "Mitzi", " shown")
        keys.write(line(OTHER))
        with pytest.raises(asyncssh.ChannelOpenError, match="may no longer log in"):
            await running.open(connection)
        await screen.move_down()
        assert running.events("refused")[0]["fingerprint"] == KEY.get_fingerprint()
        connection.abort()


async def test_another_key_cannot_log_in(locked: Running) -> None:
    with pytest.raises(asyncssh.PermissionDenied):
        await locked.connect(client_keys=[OTHER])
    with pytest.raises(asyncssh.PermissionDenied):
        await locked.connect(client_keys=[], password="x")
    await locked.wait_until(lambda: len(locked.events("login refused")) == 2)
    unknown, without = locked.events("login refused")
    assert unknown["time"]
    assert (unknown["address"], unknown["user"]) == ("127.0.0.1", "demo")
    assert unknown["client"].startswith("SSH-2.0-AsyncSSH")
    assert unknown["fingerprint"] == OTHER.get_fingerprint()
    assert [unknown["reason"], without["reason"]] == ["unknown key", "no key"]


async def test_an_address_of_ipv4_on_a_socket_for_both_families_is_that_address(
    tmp_path: Path,
) -> None:
    """Such a one is what systemd passes on for ``ListenStream=2222``."""
    keys = KeyFile(tmp_path / "keys", f'from="127.0.0.1" {line(KEY)}').keys
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as both:
        async with serve(keys, per_address=1) as running:
            await running.server.listen([both])
            port = both.getsockname()[1]
            login: dict[str, Any] = {"client_keys": [KEY], "port": port}
            async with running.opened(login) as screen, running.opened(login) as second:
                assert await second.end() == 1
                assert b"1 sessions from your address" in second.errors
                await screen.wait_for("DEMO")
            assert running.events("begin")[0]["address"] == "127.0.0.1"


class Guessing(asyncssh.SSHClient):
    """A client that tries passwords, whatever the server offers."""

    def __init__(self, user: str) -> None:
        self.user = user

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self.connection = conn

    def public_key_auth_requested(self) -> None:
        string = asyncssh.packet.String
        words = (self.user, "ssh-connection", "password")
        request = (*map(string, words), b"\0", string("secret-password"))
        self.connection.try_next_auth = lambda **_: None  # a refusal does not make it give up
        for _ in range(FAILURES_MAXIMUM):
            self.connection.send_packet(USERAUTH_REQUEST, *request)


async def guess(running: Running, user: str) -> None:
    """Try passwords for a user until the server ends the connection."""
    with pytest.raises(asyncssh.Error):
        await running.connect(client_factory=lambda: Guessing(user), client_keys=[])
    await running.wait_until(lambda: bool(running.events("dropped")))


async def test_passwords_are_refused_counted_and_not_in_the_log(locked: Running) -> None:
    user = 'r\u00f6\u00f6t","reason":"' + "x" * 900
    await guess(locked, user)
    refused = locked.events("login refused")
    assert {event["reason"] for event in refused} == {"no such method"}
    assert {event["method"] for event in refused} == {"password"}
    assert {event["user"] for event in refused} == {user[:80]}
    assert locked.events("dropped")[0]["reason"] == "too many failures"
    text = locked.log.getvalue()
    assert "secret-password" not in text
    assert not re.search(r"[^ -~\n]", text)


async def test_clients_that_are_no_ssh_are_in_the_log(running: Running) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(b"GET / HTTP/1.1\r\n\r\n" + b"x" * 10_000)
    await reader.read()
    writer.close()
    with pytest.raises(asyncssh.Error):
        await running.connect(kex_algs=["diffie-hellman-group16-sha512"])
    await running.wait_until(lambda: len(running.events("dropped")) == 2)
    reasons = [event["reason"] for event in running.events("dropped")]
    assert reasons == ["no login: ProtocolNotSupported", "no login: KeyExchangeFailed"]
    assert {event["address"] for event in running.events("dropped")} == {"127.0.0.1"}


async def test_a_connection_can_try_only_a_few_keys(
    locked: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.ssh.logins.LONGEST_DELAY", 0.0)
    with pytest.raises(asyncssh.PermissionDenied, match="too many"):
        await locked.connect(client_keys=[new_key() for _ in range(13)])
    assert locked.events("dropped")[0]["reason"] == "too many failures"
