"""A service that stored nothing is believed, unless a proxy may have sent the add before."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import PetClient
from pettui.models.pets import NewPet
from pettui.system.addresses import CONNECTION_HEADER
from tests.certificates import make_certificate
from tests.client.hostile.checks import failure_of
from tests.service.running_service import KEY, RunningService, running_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pettui.client.errors import PetClientError


def take_database(directory: Path) -> None:
    """Move the database of a service elsewhere, which can then store nothing."""
    (directory / "pets.db").rename(directory / "elsewhere.db")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path) as running:
        yield running


class RepeatingProxy:
    """Sends each POST twice, as if the response to the first had been lost on the way to it.

    It changes nothing, and adds no header by which one could tell that it is there.
    """

    def __init__(self, service: RunningService, in_between: Callable[[], None]) -> None:
        self._service = service
        self._in_between = in_between
        self.statuses: list[bytes] = []  # of the service's responses to POST

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        request = head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        request += await reader.readexactly(int(length or 0))
        response = await self._forwarded(request)
        if head.startswith(b"POST"):
            self.statuses.append(response.split()[1])
            self._in_between()
            response = await self._forwarded(request)
            self.statuses.append(response.split()[1])
        writer.write(response)
        writer.close()
        await writer.wait_closed()

    async def _forwarded(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*self._service.address)
        writer.write(request)
        response = await reader.read()
        writer.close()
        await writer.wait_closed()
        return response


async def failed_add(base_url: str, **options: Any) -> PetClientError:
    """Add an animal, which fails."""
    client = PetClient(base_url, KEY, **options)
    try:
        return await failure_of(client.create_pet(NewPet(name="Rex", category_id=3)))
    finally:
        await client.aclose()


async def test_the_service_itself_is_believed_that_it_stored_nothing(
    service: RunningService, tmp_path: Path
) -> None:
    take_database(tmp_path)
    assert (await failed_add(service.base_url)).nothing_stored


async def test_over_tls_the_service_is_believed_too(tmp_path: Path) -> None:
    certificate, private_key = make_certificate(tmp_path / "tls")
    options = {"tls_certificate": str(certificate), "tls_key": str(private_key)}
    with running_service(tmp_path, **options) as service:
        take_database(tmp_path)
        assert (await failed_add(service.base_url, ca_file=certificate)).nothing_stored


async def test_behind_a_proxy_that_sends_an_add_twice_the_service_is_not_believed(
    service: RunningService, tmp_path: Path
) -> None:
    """The first one is stored, and to the second the service says that it stored nothing."""
    proxy = RepeatingProxy(service, in_between=partial(take_database, tmp_path))
    async with await asyncio.start_server(proxy, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await failed_add(f"http://127.0.0.1:{port}/v1")
    assert (error.status, error.nothing_stored, error.maybe_sent) == (503, False, True)
    assert proxy.statuses == [b"201", b"503"]


@pytest.mark.parametrize("header", [None, "Via", "X-Forwarded-For"])
def test_a_request_that_a_proxy_forwarded_gets_no_mark_of_its_connection(
    service: RunningService, tmp_path: Path, header: str | None
) -> None:
    take_database(tmp_path)
    with service.client() as client:
        body = {"name": "Tiny", "categoryId": 3}
        headers = {header: "192.0.2.1"} if header else {}
        response = client.post("/pets", json=body, headers=headers)
    assert response.status_code == 503
    assert (CONNECTION_HEADER in response.headers) is (header is None)
