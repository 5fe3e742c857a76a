"""https: whom the client trusts, and what it says about whom it does not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError
from pettui.models import NewPet
from tests.client.certificates import Authority
from tests.client.hostile.bodies import REX
from tests.client.hostile.checks import KEY, failure_of
from tests.client.hostile.server import http

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.client.conftest import ClientOf, Serve

PAGE = f"[{REX}]"
TINY = NewPet(name="Tiny", category_id=3)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


class Proxy:
    """An HTTP proxy that knows only CONNECT, and remembers the requests."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.carried = bytearray()
        self.answer = b"HTTP/1.1 200 Connected\r\n\r\n"
        self.talks: set[asyncio.Task[None]] = set()
        self.address = ""

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.talks.add(task)
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        host, port = self.heads[-1].split()[1].decode().split(":")
        writer.write(self.answer)
        if b" 200 " in self.answer:
            there, back = await asyncio.open_connection(host, int(port))
            await asyncio.gather(self.carry(reader, back), self.carry(there, writer))
        writer.close()
        await writer.wait_closed()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            self.carried += data
            writer.write(data)
        writer.close()


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    proxy = Proxy()
    server = await asyncio.start_server(proxy.talk, "127.0.0.1", 0)
    proxy.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield proxy
    server.close()
    await asyncio.gather(*proxy.talks)


async def test_a_ca_file_of_the_profile_is_trusted(
    authority: Authority, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, PAGE), http(201, REX), tls=authority.server())
    client = client_of(server, ca_file=authority.ca_file)
    assert (await client.list_pets()).pets
    assert (await client.create_pet(TINY)).pet


@pytest.mark.parametrize(
    ("options", "with_ca_file", "said"),
    [
        ({}, False, "unable to get local issuer certificate"),
        ({"days": -1}, True, "certificate has expired"),
        ({"host": "127.0.0.2"}, True, "ip address mismatch, certificate is not valid for"),
    ],
)
async def test_a_certificate_that_does_not_hold_is_reported(  # noqa: PLR0917
    options: dict[str, object],
    with_ca_file: bool,
    said: str,
    authority: Authority,
    serve: Serve,
    client_of: ClientOf,
) -> None:
    server = await serve(http(201, REX), tls=authority.server(**options))
    client = client_of(server, ca_file=authority.ca_file if with_ca_file else None)
    error = await failure_of(client.create_pet(TINY))
    assert str(error).startswith(f"cannot trust 127.0.0.1:{server.port}: {said}")
    assert not error.maybe_sent
    assert server.seen == []


@pytest.mark.parametrize("content", [None, b"", b"no certificate", b"\0\xff"])
async def test_a_ca_file_that_is_none_is_reported_by_its_name(
    content: bytes | None, tmp_path: Path, client_of: ClientOf
) -> None:
    ca_file = tmp_path / "ca.pem"
    if content is not None:
        ca_file.write_bytes(content)
    error = await failure_of(client_of("https://127.0.0.1:1/v1", ca_file=ca_file).list_pets())
    assert isinstance(error, NoAnswerError)
    assert f"the CA file {ca_file}: " in error.reason


async def test_a_ca_file_of_the_environment_is_not_used(
    authority: Authority, serve: Serve, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.ca_file))
    server = await serve(http(200, PAGE), tls=authority.server())
    assert "cannot trust" in str(await failure_of(client_of(server).list_pets()))


async def test_a_proxy_of_the_profile_carries_https_and_never_sees_the_key(
    authority: Authority, serve: Serve, client_of: ClientOf, proxy: Proxy
) -> None:
    server = await serve(http(200, PAGE), http(201, REX), tls=authority.server())
    client = client_of(server, ca_file=authority.ca_file, proxy=proxy.address)
    assert (await client.list_pets()).pets
    assert (await client.create_pet(TINY)).pet
    await client.aclose()
    assert len(proxy.heads) == 2
    assert all(head.startswith(b"CONNECT ") for head in proxy.heads)
    assert KEY.encode() not in b"".join(proxy.heads)
    assert KEY.encode() not in proxy.carried
    assert [request.header("authorization") for request in server.seen] == [[f"Bearer {KEY}"]] * 2


async def test_a_proxy_that_refuses_is_reported(
    authority: Authority, serve: Serve, client_of: ClientOf, proxy: Proxy
) -> None:
    proxy.answer = b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n"
    server = await serve(http(201, REX), tls=authority.server())
    client = client_of(server, ca_file=authority.ca_file, proxy=proxy.address)
    error = await failure_of(client.create_pet(TINY))
    assert str(error) == (
        f"cannot go through the proxy to 127.0.0.1:{server.port}: "
        "the proxy answered 407 Who are you"
    )
    assert not error.maybe_sent
