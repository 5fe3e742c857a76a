"""A proxy that sends each add twice: the animal is there once, whatever the second one is told."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from pettui.client import Backoff, PetClient
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.outbox.scripted import add, states
from tests.service.running_service import KEY, RunningService, running_service
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path) as running:
        yield running


class RepeatingProxy:
    """Sends each POST twice, as if the response to the first had been lost on the way to it.

    It changes nothing, and adds no header by which one could tell that it is there.
    """

    def __init__(self, service: RunningService) -> None:
        self._service = service
        self.in_between: Callable[[], object] = bool  # called before the second
        self.statuses: list[bytes] = []  # of the service's responses to POST

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        request = head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        request += await reader.readexactly(int(length or 0))
        response = await self._forwarded(request)
        if head.startswith(b"POST"):
            self.statuses.append(response.split()[1])
            self.in_between()
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
async def outbox_behind(proxy: RepeatingProxy) -> AsyncIterator[Outbox]:
    """Serve a proxy, and open an outbox in front of it."""
    async with await asyncio.start_server(proxy, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with PetClient(f"http://127.0.0.1:{port}/v1", KEY) as client:
            outbox = Outbox(MemoryEntryStore(), client, delay=0.0)
            outbox.sending.backoff = Backoff(first=0.01)
            outbox.start()
            yield outbox
            await outbox.close()


def names_in(service: RunningService) -> list[str]:
    with service.client() as client:
        return sorted(pet["name"] for pet in client.get("/pets").json())


async def test_what_a_proxy_sends_twice_is_there_once_even_if_the_second_is_not_stored(
    service: RunningService, tmp_path: Path
) -> None:
    """Of one that is stored, the service says the second time that it stored nothing."""
    database, elsewhere = tmp_path / "pets.db", tmp_path / "elsewhere.db"

    def take_database() -> None:
        if database.exists():
            database.rename(elsewhere)

    proxy = RepeatingProxy(service)
    async with outbox_behind(proxy) as outbox:
        await add(outbox, "Mimi")
        await until(lambda: states(outbox) == ["Mimi added"])
        proxy.in_between = take_database
        await add(outbox, "Rex")
        await until(lambda: proxy.statuses == [b"201", b"201", b"201", b"503"])
        await until(lambda: outbox.entries[-1].is_sent_again)
        assert "503 not_stored" in outbox.entries[-1].error
        proxy.in_between = bool
        elsewhere.rename(database)
        await until(lambda: states(outbox) == ["Mimi added", "Rex added"])
    assert names_in(service) == ["Mimi", "Rex"]
