"""A service that stored nothing is believed, unless a proxy may have sent the add before."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.client import PetClient
from pettui.models import NewPet
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.service_addresses import CONNECTION_HEADER
from tests.certificates import make_certificate
from tests.client.hostile.checks import failure_of
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import states, until
from tests.service.running_service import KEY, RunningService, running_service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path


class MovableStore:
    """The service's database: while its file is elsewhere, the service can store nothing."""

    def __init__(self, directory: Path) -> None:
        self._file, self._elsewhere = directory / "pets.db", directory / "moved.db"

    def remove(self) -> None:
        self._file.rename(self._elsewhere)

    def put_back(self) -> None:
        self._elsewhere.rename(self._file)

    @property
    def names(self) -> list[bytes]:
        """What is stored."""
        with closing(sqlite3.connect(self._file)) as connection:
            return [name for (name,) in connection.execute("SELECT name FROM pets")]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path) as running:
        yield running


@pytest.fixture
def database(service: RunningService, tmp_path: Path) -> MovableStore:
    return MovableStore(tmp_path)


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
        length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-len")]
        size = int(length[0].partition(b":")[2]) if length else 0
        request = head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        request += await reader.readexactly(size)
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


@asynccontextmanager
async def an_outbox(base_url: str) -> AsyncIterator[Outbox]:
    client = PetClient(base_url, KEY)
    outbox = Outbox(MemoryEntryStore(), client, delay=0.0, backoff=QUICK)
    outbox.start()
    yield outbox
    await outbox.close()
    await client.aclose()


async def test_what_the_service_itself_did_not_store_waits_and_is_sent_by_itself(
    service: RunningService, database: MovableStore
) -> None:
    async with an_outbox(service.base_url) as outbox:
        database.remove()
        await outbox.add("Rex", 3, None)
        await until(outbox, lambda: "not_stored" in (outbox.sending.waiting_for or ""))
        assert states(outbox)[0] in ("Rex waiting", "Rex sending")
        database.put_back()
        await until(outbox, lambda: states(outbox) == ["Rex added"])
    assert database.names == [b"Rex"]


async def test_behind_a_proxy_that_sends_an_add_twice_nothing_is_doubled(
    service: RunningService, database: MovableStore
) -> None:
    """The first one is stored, and to the second the service says that it stored nothing."""
    proxy = RepeatingProxy(service, in_between=database.remove)
    async with await asyncio.start_server(proxy, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with an_outbox(f"http://127.0.0.1:{port}/v1") as outbox:
            await outbox.add("Rex", 3, None)
            await until(outbox, lambda: states(outbox) == ["Rex unknown"])
            assert outbox.entries[0].error_code == "not_stored"
            database.put_back()
            assert (await outbox.look_for(outbox.entries[0].key)) is not None
            assert states(outbox) == ["Rex added"]
    assert proxy.statuses == [b"201", b"503"]
    assert database.names == [b"Rex"]


async def test_over_tls_the_service_is_believed_too(tmp_path: Path) -> None:
    certificate, private_key = make_certificate(tmp_path / "tls")
    options = {"tls_certificate": str(certificate), "tls_key": str(private_key)}
    with running_service(tmp_path, **options) as service:
        client = PetClient(service.base_url, KEY, ca_file=certificate)
        MovableStore(tmp_path).remove()
        error = await failure_of(client.create_pet(NewPet(name="Tiny", category_id=3)))
        await client.aclose()
    assert error.nothing_stored


@pytest.mark.parametrize("header", [None, "Via", "X-Forwarded-For"])
def test_a_request_that_a_proxy_forwarded_gets_no_mark_of_its_connection(
    service: RunningService, database: MovableStore, header: str | None
) -> None:
    headers = service.authorization | ({header: "192.0.2.1"} if header else {})
    database.remove()
    body = {"name": "Tiny", "categoryId": 3}
    response = httpx.post(f"{service.base_url}/pets", json=body, headers=headers, timeout=60)
    assert response.status_code == 503
    assert (CONNECTION_HEADER in response.headers) is (header is None)
