"""What is changed in asyncssh: its private names, key exchanges, floods of packets."""

from __future__ import annotations

import asyncio
import math
import re
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest
from asyncssh import kex_dh

from pettui.ssh import asyncssh_internals, connection, fair_loop
from pettui.ssh.asyncssh_internals import SessionChannel
from pettui.ssh.connection import Connection
from pettui.ssh.fair_loop import MEMORY, SHARE
from pettui.ssh.session import SshSession
from tests.ssh.conftest import Running, Screen, serve
from tests.tui.test_private_names import private_names
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterable


DOCUMENTED = set(re.findall(r"``(?:SSH\w+\.)?(_\w+)``", asyncssh_internals.__doc__ or ""))


def names_of_asyncssh(classes: Iterable[type]) -> set[str]:
    theirs = {
        base for each in classes for base in each.__mro__ if base.__module__.startswith("asyncssh")
    }
    return set().union(*map(private_names, theirs))


def test_each_private_name_of_asyncssh_is_listed_in_one_module_and_exists() -> None:
    """This fails if asyncssh renames one, or if another one is used, even by accident."""
    theirs = names_of_asyncssh([SessionChannel, asyncssh.SSHServerConnection])
    assert private_names(asyncssh_internals) & theirs == DOCUMENTED


@pytest.mark.parametrize("ours", [Connection, SshSession], ids=lambda ours: ours.__name__)
def test_no_subclass_overrides_a_private_name_of_asyncssh_by_accident(ours: type) -> None:
    assert not private_names(ours) & names_of_asyncssh([ours])


# Exchanges of keys are quick, and a client that begins one after the other is ended


LONG = 0.2  # CPU seconds, longer than anything else that a client causes here


async def exchange_keys(running: Running, screen: Screen) -> None:
    """Begin an exchange of keys, as clients do once an hour, and wait for its end."""
    client: Any = screen.channel.get_connection()
    client._send_kexinit()
    client._kexinit_sent = True
    await running.wait_until(lambda: client._kex_complete or client.is_closed())


async def test_only_key_exchanges_that_cost_the_server_little_are_offered() -> None:
    async with serve() as running:
        with pytest.raises(asyncssh.KeyExchangeFailed) as failed:
            await running.connect(kex_algs=["diffie-hellman-group18-sha512"])
    [offered] = re.findall(r"received (\S+)", failed.value.reason)
    quick = ["mlkem768x25519-sha256", "curve25519-sha256", "curve25519-sha256@libssh.org"]
    assert [name for name in offered.split(",") if "-s" in name][: len(quick)] == quick
    assert set(offered.split(",")) - set(quick) == {"ext-info-s", "kex-strict-s-v00@openssh.com"}


async def test_a_client_that_exchanges_keys_again_and_again_is_ended(
    running: Running, screen: Screen
) -> None:
    async with running.session() as other:
        client = screen.channel.get_connection()
        await exchange_keys(running, screen)
        assert not client.is_closed()
        await exchange_keys(running, screen)
        async with asyncio.timeout(PATIENCE):
            await client.wait_closed()
        await running.wait_until(lambda: len(running.events("end")) == 1)
        assert [line["reason"] for line in running.events("dropped")] == ["too many key exchanges"]
        await other.move_down()
        assert not running.bugs


async def test_what_asyncssh_does_for_a_client_in_a_task_counts_as_its_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = kex_dh._KexECDH.start

    async def take_long(kex: Any) -> None:
        if kex._conn.is_server():
            until = time.thread_time() + LONG
            while time.thread_time() < until:
                pass
        await start(kex)

    async with serve() as running, running.session() as screen:
        monkeypatch.setattr(fair_loop, "MEMORY", math.inf)
        [connection] = running.state.connections
        before = connection.share.used(time.monotonic())
        monkeypatch.setattr(kex_dh._KexECDH, "start", take_long)
        await exchange_keys(running, screen)
        await screen.move_down()
        assert connection.share.used(time.monotonic()) - before >= LONG


KEX_INIT = 30  # SSH_MSG_KEX_ECDH_INIT (RFC 5656, 7.1)
CURVE, OTHER_CURVE = "curve25519-sha256", "curve25519-sha256@libssh.org"


@pytest.mark.parametrize(
    ("key_exchanges", "host_keys", "is_right"),
    [
        ([CURVE, OTHER_CURVE], ["ssh-ed25519", "rsa-sha2-256"], True),
        ([OTHER_CURVE, CURVE], ["ssh-ed25519"], False),  # though the server has it, too
        (["ecdh-sha2-nistp256", CURVE], ["ssh-ed25519"], False),
        ([CURVE, OTHER_CURVE], ["rsa-sha2-256", "ssh-ed25519"], False),
    ],
)
async def test_a_client_that_guesses_the_key_exchange_gets_in_whether_it_is_right_or_wrong(
    key_exchanges: list[str], host_keys: list[str], is_right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Dropbear's does, which by RFC 4253, 7.1 sends its packet again if it was wrong."""
    monkeypatch.setattr(connection, "KEY_EXCHANGES", [CURVE, OTHER_CURVE])
    usual_kex, usual_send = (
        asyncssh.connection.get_kex,
        asyncssh.connection.SSHConnection.send_packet,
    )
    guesses: dict[Any, Any] = {}

    def send(client: Any, kind: int, *data: bytes, **options: Any) -> None:
        if kind != asyncssh_internals.KEXINIT or client.is_server() or client in guesses:
            usual_send(client, kind, *data, **options)
            return
        payload = b"".join(data)
        offer = payload[:-5] + b"\x01" + payload[-4:]  # a guess follows
        client._client_kexinit = bytes([kind]) + offer
        usual_send(client, kind, offer)
        guesses[client] = guess = usual_kex(client, CURVE.encode())
        usual_send(client, KEX_INIT, guess._format_client_key()[:4], guess._client_pub)

    def kex(client: Any, name: bytes) -> Any:
        if client.is_server() or not is_right:
            return usual_kex(client, name)
        guess = guesses[client]
        monkeypatch.setattr(guess, "start", partial(asyncio.sleep, 0))
        return guess

    monkeypatch.setattr(asyncssh.connection.SSHConnection, "send_packet", send)
    monkeypatch.setattr(asyncssh.connection, "get_kex", kex)
    async with serve() as running:
        login = {"kex_algs": key_exchanges, "server_host_key_algs": host_keys}
        async with running.opened(login) as screen:
            await screen.wait_for("DEMO")
        assert len(guesses) == 1
        assert running.events("dropped") == []


# A flood of packets that cost little each is read slowly, and the others are served


SIZES = 6_000  # packets that the system takes at once
FEW = 2_000


async def test_a_key_of_another_user_does_not_wait_for_a_flood_of_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    processed = 0
    change = SshSession.terminal_size_changed

    def count(session: SshSession, *size: int) -> None:
        nonlocal processed
        processed += 1
        change(session, *size)

    monkeypatch.setattr(SshSession, "terminal_size_changed", count)
    async with serve() as running, running.session() as flooding:
        [connection] = running.state.connections
        connection.share.add(SHARE * MEMORY)  # nothing is free any more
        async with running.session() as other:
            for number in range(SIZES):
                flooding.channel.change_terminal_size(80 + number % 40, 24)
            await other.move_down()
            assert processed < FEW
            await running.wait_until(lambda: processed == SIZES)  # slowly, but none is lost
            flooding.press("q")
            assert await flooding.end() == 0
            assert not running.bugs
