"""Exchanges of keys: they are quick, and a client that begins one after the other is ended."""

from __future__ import annotations

import asyncio
import math
import re
import time
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest
from asyncssh import kex_dh

from pettui.ssh import asyncssh_internals, fair_loop
from tests.ssh_reader import PATIENCE

if TYPE_CHECKING:
    from tests.ssh.conftest import Running, Screen, Serve

LONG = 0.2  # CPU seconds, longer than anything else that a client causes here


async def exchange_keys(running: Running, screen: Screen) -> None:
    """Begin an exchange of keys, as clients do once an hour, and wait for its end."""
    client: Any = screen.channel.get_connection()
    client._send_kexinit()
    client._kexinit_sent = True
    await running.wait_until(lambda: client._kex_complete or client.is_closed())


async def test_only_key_exchanges_that_cost_the_server_little_are_offered(serve: Serve) -> None:
    async with serve() as running:
        with pytest.raises(asyncssh.KeyExchangeFailed) as failed:
            await running.connect(kex_algs=["diffie-hellman-group18-sha512"])
    [offered] = re.findall(r"received (\S+)", failed.value.reason)
    quick = ["mlkem768x25519-sha256", "curve25519-sha256", "curve25519-sha256@libssh.org"]
    assert [name for name in offered.split(",") if "-s" in name][: len(quick)] == quick
    assert set(offered.split(",")) - set(quick) == {"ext-info-s", "kex-strict-s-v00@openssh.com"}


async def test_a_client_that_exchanges_keys_again_and_again_is_ended(serve: Serve) -> None:
    async with serve() as running, running.session() as screen, running.session() as other:
        client = screen.channel.get_connection()
        await exchange_keys(running, screen)
        assert not client.is_closed()
        await exchange_keys(running, screen)
        async with asyncio.timeout(PATIENCE):
            await client.wait_closed()
        await running.wait_until(lambda: len(running.events("end")) == 1)
        assert [line["reason"] for line in running.events("dropped")] == ["too many key exchanges"]
        other.press("j")
        await other.wait_for("▌    59")
        assert not running.bugs


async def test_a_client_may_exchange_keys_again_after_a_while(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asyncssh_internals, "KEY_EXCHANGE_PAUSE", 0.0)
    async with serve() as running, running.session() as screen:
        for _ in range(3):
            await exchange_keys(running, screen)
        screen.press("j")
        await screen.wait_for("▌    59")


async def test_what_asyncssh_does_for_a_client_in_a_task_counts_as_its_share(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
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
        screen.press("j")
        await screen.wait_for("▌    59")
        assert connection.share.used(time.monotonic()) - before >= LONG
