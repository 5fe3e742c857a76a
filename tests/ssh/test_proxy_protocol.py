"""The PROXY protocol: whose address counts, and which headers are refused."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv6Address
from struct import pack
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh import proxy_protocol
from pettui.ssh.proxy_protocol import LINE_MAXIMUM, SIGNATURE, read_header
from pettui.system.addresses import networks
from tests.ssh.conftest import KEY, KeyFile, line, serve
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import asyncssh

    from tests.ssh.conftest import PassTime, Running

TRUSTED = networks(["127.0.0.1"])
FOUR = IPv4Address("192.0.2.7").packed + IPv4Address("10.0.0.1").packed + pack("!HH", 50_000, 22)
SIX = IPv6Address("2001:db8::7").packed + IPv6Address("::1").packed + pack("!HH", 50_000, 22)
V1 = b"PROXY TCP4 192.0.2.7 10.0.0.1 50000 22\r\n"


def binary(content: bytes, command: int = 0x21, family: int = 0x11) -> bytes:
    return SIGNATURE + pack("!BBH", command, family, len(content)) + content


V2 = binary(FOUR)


@pytest.mark.parametrize(
    ("header", "client"),
    [
        (V1, ("192.0.2.7", 50_000)),
        (b"PROXY TCP6 2001:DB8::7 ::1 1 22\r\n", ("2001:db8::7", 1)),
        (b"PROXY TCP6 ::ffff:192.0.2.7 ::1 1 22\r\n", ("192.0.2.7", 1)),
        (b"PROXY UNKNOWN\r\n", None),
        (b"PROXY UNKNOWN ".ljust(LINE_MAXIMUM - 2, b"x") + b"\r\n", None),
        (V2, ("192.0.2.7", 50_000)),
        (binary(SIX, family=0x21), ("2001:db8::7", 50_000)),
        (binary(b"", command=0x20, family=0), None),
        (binary(b"", family=0), None),
        (binary(FOUR + bytes(4_096 - 16 - 12)), ("192.0.2.7", 50_000)),
    ],
    ids=lambda value: None if isinstance(value, bytes) else str(value),
)
def test_a_header_names_the_client_wherever_it_is_cut(
    header: bytes, client: tuple[str, int] | None
) -> None:
    assert read_header(header + b"SSH-2.0-") == (client, b"SSH-2.0-")
    assert all(read_header(header[:size]) is None for size in range(len(header)))


@pytest.mark.parametrize(
    "received",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 50000\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 70000 22\r\n",
        b"PROXY TCP4 2001:db8::7 ::1 1 22\r\n",
        b"PROXY TCP4 192.0.2.07 10.0.0.1 1 22\r\n",
        b"PROXY TCP4 192.0.2.7 10.0.0.1 1 22\n".ljust(LINE_MAXIMUM, b"x"),
        b"PROXY UNKNOWN ".ljust(LINE_MAXIMUM - 1, b"x") + b"\r\n",
        binary(FOUR, command=0x11),
        binary(FOUR, family=0x12),
        binary(FOUR[:-1]),
        binary(FOUR, family=0x21),
        SIGNATURE + pack("!BBH", 0x21, 0x11, 4_081),
    ],
)
def test_what_is_no_header_is_refused_at_once(received: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        read_header(received)


@asynccontextmanager
async def sent(running: Running, *parts: bytes) -> AsyncIterator[asyncio.StreamReader]:
    """Connect as a proxy does, send bytes, each part on its own, and read what the server sends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    for part in parts:
        writer.write(part)
        await asyncio.sleep(0)
    yield reader
    writer.transport.abort()


async def answer_to(running: Running, *parts: bytes) -> bytes:
    """Return what the server sends until it ends the connection."""
    async with asyncio.timeout(PATIENCE), sent(running, *parts) as reader:
        return await reader.read()


async def test_an_address_that_is_not_trusted_needs_no_header_and_may_send_none() -> None:
    async with serve(trusted_proxies=networks(["192.0.2.0/24"])) as running:
        async with running.session() as screen:
            await screen.move_down()
        await answer_to(running, V1)
        [dropped] = running.events("dropped")
        assert dropped["reason"] == "no login: ProtocolNotSupported"


class Behind:
    """A client's connection through a proxy, which names its address."""

    def __init__(self, running: Running, header: bytes, **login: Any) -> None:
        self._running, self._header, self._login = running, header, login

    async def create_connection(self, factory: Any, _host: str, _port: int) -> Any:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(
            asyncio.Protocol, "127.0.0.1", self._running.port
        )
        transport.write(self._header)
        protocol = factory()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        return transport, protocol

    def close(self) -> None:
        """Be closed with the connection."""

    async def wait_closed(self) -> None:
        """Be closed with the connection."""

    async def connect(self) -> asyncssh.SSHClientConnection:
        return await self._running.connect(tunnel=self, **self._login)


@pytest.mark.parametrize("header", [V1, V2], ids=["1", "2"])
async def test_the_address_of_the_header_is_that_of_the_user(header: bytes, tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys", f'from="192.0.2.7" {line(KEY)}').keys
    async with serve(keys, trusted_proxies=TRUSTED) as running:
        connection = await Behind(running, header, client_keys=[KEY]).connect()
        screen = await running.open(connection)
        await screen.wait_for("DEMO", "Mitzi", " shown")
        await screen.move_down()
        assert running.events("begin")[0]["address"] == "192.0.2.7"
        connection.abort()


async def test_sessions_are_counted_by_the_address_of_the_header() -> None:
    other = V1.replace(b"192.0.2.7", b"192.0.2.8")
    async with serve(trusted_proxies=TRUSTED, per_address=1) as running:
        connections = [await Behind(running, each).connect() for each in (V1, other, V1)]
        screens = [await running.open(each) for each in connections]
        await screens[0].wait_for("DEMO", "Mitzi")
        await screens[1].wait_for("DEMO", "Mitzi")
        assert await screens[2].end() == 1
        assert b"1 sessions from your address are open" in screens[2].errors
        for each in connections:
            each.abort()


@pytest.mark.parametrize("received", [b"SSH-2.0-OpenSSH_9.6\r\n", b"PROXY TCP4 nobody\r\n"])
async def test_a_trusted_proxy_must_send_a_header(received: bytes) -> None:
    reason = "no valid PROXY header"
    async with serve(trusted_proxies=TRUSTED) as running:
        assert not await answer_to(running, received)
        [dropped] = running.events("dropped")
        assert (dropped["address"], dropped["reason"]) == ("127.0.0.1", reason)
        assert running.state.is_empty


async def test_a_header_that_comes_too_late_is_not_read(pass_time: PassTime) -> None:
    async with serve(trusted_proxies=TRUSTED) as running, sent(running, V1[:-2]) as reader:
        await running.wait_until(lambda: running.state.without_header)
        assert not running.state.is_empty
        pass_time(proxy_protocol.HEADER_SECONDS)
        async with asyncio.timeout(PATIENCE):
            assert not await reader.read()
        assert running.events("dropped")[0]["reason"] == "the PROXY header came too late"
        assert not running.state.without_header


@pytest.mark.parametrize("header", [b"PROXY UNKNOWN\r\n", binary(b"", command=0x20, family=0)])
async def test_a_check_of_the_balancer_has_no_line_in_the_log(header: bytes) -> None:
    async with serve(trusted_proxies=TRUSTED) as running:
        assert not await answer_to(running, header)
        async with asyncio.timeout(PATIENCE), sent(running):  # nor one of TCP alone
            await running.wait_until(lambda: running.state.without_header)
        await running.wait_until(lambda: not running.state.without_header)
        assert running.log.getvalue() == ""


async def test_with_too_many_connections_without_a_header_the_oldest_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proxy_protocol, "WAITING_MAXIMUM", 1)
    async with serve(trusted_proxies=TRUSTED) as running, sent(running, b"P") as first:
        await running.wait_until(lambda: running.state.without_header)
        connection = await Behind(running, V1).connect()
        async with asyncio.timeout(PATIENCE):
            assert not await first.read()
        reason = "too many connections without a PROXY header"
        assert running.events("dropped")[0]["reason"] == reason
        connection.abort()
