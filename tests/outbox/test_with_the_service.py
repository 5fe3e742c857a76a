"""An outbox and the service itself: each animal is there once, whatever happens on the way."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.client import PetClient
from pettui.outbox.entries import EntryState
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.service.app import create_app
from pettui.service.stores.sqlite import SqliteStore
from pettui.settings.settings import Limits
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import add, numbered, states
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

KEY = "a-key-of-the-tests"


class FaultyLink(httpx.AsyncBaseTransport):
    """Between a client and the service: cuts, doubles and lies, as its script says for each add."""

    def __init__(self, service: SqliteStore, faults: list[str]) -> None:
        self._transport = httpx.ASGITransport(create_app(service, [KEY]))
        self._faults = faults
        self.strips_headers = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.strips_headers:
            for name in ("idempotency-key", "pettui-store"):
                request.headers.pop(name, None)
        is_add = request.method == "POST"
        fault = self._faults.pop(0) if is_add and self._faults else "none"
        if fault == "cut before":
            raise httpx.ReadError("cut")
        if fault == "502 before":
            return httpx.Response(502, request=request)
        response = await self._transport.handle_async_request(request)
        if fault == "doubled":
            await response.aread()
            response = await self._transport.handle_async_request(request)
        if fault == "cut after":
            await response.aread()
            raise httpx.ReadError("cut")
        if fault.endswith("after"):
            await response.aread()
            return httpx.Response(int(fault.split()[0]), request=request)
        return response


FAULTS = ["cut before", "502 before", "cut after", "502 after", "503 after", "429 after"]
FAULTS += ["403 after", "400 after", "302 after", "doubled", "none"]


@pytest.fixture
async def service() -> AsyncIterator[SqliteStore]:
    store = SqliteStore.open_in_memory()
    yield store
    await store.close()


def outbox_on(link: FaultyLink, directory: Path) -> Outbox:
    client = PetClient("http://store.invalid/v1", KEY, transport=link, limits=Limits(tries=0))
    outbox = Outbox(DirectoryEntryStore(directory), client, delay=0.0, look_every=0.02)
    outbox.sending.backoff = QUICK
    outbox.start()
    return outbox


async def stored(service: SqliteStore) -> Counter[str]:
    """Return how often each animal is there."""
    link = FaultyLink(service, [])
    async with PetClient("http://store.invalid/v1", KEY, transport=link) as client:
        return Counter([pet.name async for pet in client.all_pets()])


@pytest.mark.parametrize("fault", FAULTS)
async def test_whatever_happens_to_an_add_it_is_there_once(
    service: SqliteStore, directory: Path, fault: str
) -> None:
    outbox = outbox_on(FaultyLink(service, [fault, fault]), directory)
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])
    assert await stored(service) == {"Rex": 1, "Mimi": 1}
    assert [entry.error for entry in outbox.entries] == [None, None]
    await outbox.close()
    await outbox.client.aclose()


async def test_many_are_there_once_though_windows_come_and_go(
    service: SqliteStore, directory: Path
) -> None:
    chance = random.Random(7)
    link = FaultyLink(service, [chance.choice([*FAULTS, "none", "none"]) for _ in range(100)])
    for number in range(6):
        outbox = outbox_on(link, directory)
        await add(outbox, *(f"{number} {name}" for name in numbered(10)))
        await outbox.close(grace=0.0)
        await outbox.client.aclose()
    outbox = outbox_on(link, directory)
    await until(lambda: not outbox.on_the_way)
    assert {entry.state for entry in outbox.entries} == {EntryState.ADDED}
    found = await stored(service)
    assert (len(found), set(found.values())) == (60, {1})
    await outbox.close()
    await outbox.client.aclose()


async def test_a_proxy_that_drops_the_headers_has_no_promise_made(
    service: SqliteStore, directory: Path
) -> None:
    link = FaultyLink(service, ["cut after"])
    link.strips_headers = True
    outbox = outbox_on(link, directory)
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox) == ["Rex unknown", "Mimi added"])
    assert await stored(service) == {"Rex": 1, "Mimi": 1}
    await outbox.close()
    await outbox.client.aclose()
