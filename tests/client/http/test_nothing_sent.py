"""Failures before anything of an add was sent: ``maybe_sent`` is False, and the entry waits on."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from pettui.models import NewPet
from pettui.outbox import Entry, EntryState
from pettui.outbox.outcome import outcome
from pettui.settings import Limits
from tests.client.certificates import Authority
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import HostileServer, http, raw, stall

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pettui.client import PetClientError
    from tests.client.conftest import ClientOf
    from tests.client.hostile.server import Step

TINY = NewPet(name="Tiny", category_id=3)
LIMITS = Limits(tries=0, connect=1, silence=0.3)
WAITING = Entry("00000000000000000001-00000000", "Tiny", 3, None, EntryState.SENDING, 0.0)

# What a proxy says to CONNECT.
REFUSALS: dict[str, Step] = {
    "200 and then nothing": raw(b"HTTP/1.1 200 OK\r\n\r\n"),
    "403": http(403, "<p>no</p>", content_type="text/html"),
    "407": http(407, "", [("Proxy-Authenticate", "Basic realm=x")]),
    "302": http(302, "", [("Location", "http://login.example/")]),
    "429": http(429, "", [("Retry-After", "7")]),
    "503": http(503, "", [("Retry-After", "1")]),
    "101": raw(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    "no HTTP": raw(b"SSH-2.0-proxy\r\n\r\n"),
    "nothing for ever": stall(),
    "half an answer for ever": stall(b"HTTP/1.1 200 O"),
    "no TLS behind it": raw(b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 Bad\r\n\r\n"),
    "no TLS for ever": stall(b"HTTP/1.1 200 OK\r\n\r\n"),
}


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def is_waiting(error: PetClientError) -> bool:
    """Whether the outbox would keep the entry for another attempt."""
    return outcome(WAITING, error).entry.state is EntryState.WAITING


@pytest.mark.parametrize(
    ("name", "scheme"), [*((each, "http") for each in REFUSALS), ("407", "https")]
)
async def test_an_add_that_no_proxy_let_through_was_not_sent(
    name: str, scheme: str, client_of: ClientOf, authority: Authority
) -> None:
    tls = authority.server() if scheme == "https" else None
    async with HostileServer(REFUSALS[name], tls=tls) as proxy:
        client = client_of(
            "https://127.0.0.1:1/v1", LIMITS, proxy=proxy.origin, ca_file=authority.ca_file
        )
        error = await failure_of(client.create_pet(TINY))
        assert [request.method for request in proxy.seen] == ["CONNECT"]
    assert not error.maybe_sent, error
    assert is_waiting(error)


@asynccontextmanager
async def full_backlog() -> AsyncIterator[str]:
    """A port whose queue is full: no connection is accepted."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(address)
        try:
            yield f"http://127.0.0.1:{address[1]}/v1"
        finally:
            for each in waiting:
                each.close()


@asynccontextmanager
async def served(step: Step, tls: object = None) -> AsyncIterator[str]:
    async with HostileServer(step, tls=tls) as server:  # type: ignore[arg-type]
        yield f"https://127.0.0.1:{server.port}/v1"


@asynccontextmanager
async def unreachable(address: str) -> AsyncIterator[str]:
    yield address


@asynccontextmanager
async def served_plainly() -> AsyncIterator[str]:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


UNREACHED = {
    "no such name": lambda _: unreachable("http://no-such-name.invalid/v1"),
    "nobody takes the connection": lambda _: full_backlog(),
    "the certificate is of nobody": lambda authority: served(http(201, "{}"), authority.server()),
    "a server without TLS": lambda _: served_plainly(),
    "what listens says nothing to TLS": lambda _: served(stall()),
}


@pytest.mark.parametrize("name", UNREACHED)
async def test_an_add_that_reached_nobody_was_not_sent(
    name: str, client_of: ClientOf, authority: Authority
) -> None:
    async with UNREACHED[name](authority) as address:
        error = await failure_of(client_of(address, LIMITS).create_pet(TINY))
    assert not error.maybe_sent, error
    assert is_waiting(error)


async def test_a_ca_file_that_is_gone_sends_nothing(client_of: ClientOf, tmp_path: Path) -> None:
    client = client_of("https://127.0.0.1:9/v1", LIMITS, ca_file=tmp_path / "gone.pem")
    assert not (await failure_of(client.create_pet(TINY))).maybe_sent


@pytest.mark.parametrize("step", [stall(), http(500, "")])
async def test_an_add_that_a_service_may_have_read_may_have_been_sent(
    step: Step, client_of: ClientOf
) -> None:
    async with HostileServer(step) as server:
        error = await failure_of(client_of(server, LIMITS).create_pet(TINY))
    assert error.maybe_sent
    assert not is_waiting(error)
