"""https: whom the client trusts, and what a proxy sees of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pettui.models import NewPet
from tests.certificates import make_certificate, server_context
from tests.client.hostile.checks import KEY, failure_of
from tests.client.hostile.server import PAGE, REX, http

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.conftest import ClientOf, Serve
    from tests.client.hostile.server import HostileServer

TINY = NewPet(name="Tiny", category_id=3)


@pytest.fixture
async def server(serve: Serve, tmp_path: Path) -> HostileServer:
    certificate, key = make_certificate(tmp_path)
    return await serve(http(200, PAGE), http(201, REX), tls=server_context(certificate, key))


@pytest.fixture
def certificate(server: HostileServer, tmp_path: Path) -> Path:
    """The certificate of ``server``."""
    return tmp_path / "cert.pem"


async def test_a_ca_file_of_the_profile_is_trusted(
    server: HostileServer, certificate: Path, client_of: ClientOf
) -> None:
    client = client_of(server, ca_file=certificate)
    assert (await client.list_pets()).pets
    assert (await client.create_pet(TINY)).pet


async def test_a_ca_file_of_the_environment_is_not_used(
    server: HostileServer,
    certificate: Path,
    client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert "cannot trust" in str(await failure_of(client_of(server).list_pets()))


async def test_a_proxy_of_the_profile_carries_https_and_never_sees_the_key(
    server: HostileServer, certificate: Path, client_of: ClientOf
) -> None:
    seen: list[bytes] = []

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            seen.append(data)
            writer.write(data)
        writer.close()

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        there, back = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(carry(reader, back), carry(there, writer))

    async with await asyncio.start_server(proxy, "127.0.0.1", 0) as listener:
        address = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        client = client_of(server, ca_file=certificate, proxy=address)
        assert (await client.list_pets()).pets
        assert (await client.create_pet(TINY)).pet
        await client.aclose()
    assert [data.split()[1] for data in seen if data.startswith(b"CONNECT ")] == [
        f"127.0.0.1:{server.port}".encode()
    ] * 2
    assert KEY.encode() not in b"".join(seen)
    assert [request.header("authorization") for request in server.seen] == [[f"Bearer {KEY}"]] * 2
