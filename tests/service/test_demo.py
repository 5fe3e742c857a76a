"""The service of a demo: staged faults get the responses of a real service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, call

import httpx
import pytest

from pettui.models.staged_faults import Fault, StagedFaults
from pettui.service.demo import StagedService

if TYPE_CHECKING:
    from pettui.service.stores.sqlite import SqliteStore

KEY = "key-of-the-demo"
OTHER_KEY = {"Authorization": "Bearer other-key"}
REX = {"name": "Rex", "categoryId": 3}


@pytest.fixture
def faults() -> StagedFaults:
    return StagedFaults(lambda: 0.0)


@pytest.fixture
def sleep() -> AsyncMock:
    """What waits in place of the demo."""
    return AsyncMock()


def client_of_demo(store: SqliteStore, faults: StagedFaults, **options: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(StagedService(store, KEY, faults, **options))
    headers = {"Authorization": f"Bearer {KEY}"}
    return httpx.AsyncClient(transport=transport, base_url="http://demo/v1", headers=headers)


@pytest.fixture
def demo(memory: SqliteStore, faults: StagedFaults, sleep: AsyncMock) -> httpx.AsyncClient:
    """A client of a demo without animals, which sends its key."""
    return client_of_demo(memory, faults, is_read_only=False, sleep=sleep)


def check(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that a response is the interface's Error, and return that."""
    body = response.json()
    assert (response.status_code, body["status"], body["code"]) == (status, status, code)
    assert set(body) == {"code", "message", "status"}
    return dict(body)


async def count(demo: httpx.AsyncClient) -> int:
    return len((await demo.get("/pets")).json())


async def test_one_add_is_refused_for_the_category_that_it_has(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    faults.stage(Fault.ADD_REFUSED)
    assert await count(demo) == 0
    body = check(await demo.post("/pets", json=REX), 400, "invalid_value")
    assert body["message"] == "categoryId 3 does not exist"
    assert (await demo.post("/pets", json=REX)).status_code == 201
    assert await count(demo) == 1


async def test_after_a_refused_key_another_one_is_accepted(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    faults.stage(Fault.KEY_REFUSED)
    check(await demo.get("/pets"), 401, "unauthorized")
    check(await demo.post("/pets", json=REX), 401, "unauthorized")
    assert (await demo.get("/pets", headers=OTHER_KEY)).status_code == 200
    assert not faults.staged
    faults.stage(Fault.KEY_REFUSED)
    check(await demo.get("/pets", headers=OTHER_KEY), 401, "unauthorized")


async def test_a_service_that_is_away_sends_retry_after_and_stores_nothing(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    faults.stage(Fault.AWAY)
    listed, added = await demo.get("/pets"), await demo.post("/pets", json=REX)
    check(listed, 503, "unavailable")
    check(added, 503, "not_stored")
    assert listed.headers["Retry-After"] == added.headers["Retry-After"] == "20"
    faults.end(Fault.AWAY)
    assert await count(demo) == 0


async def test_every_response_is_three_seconds_late(
    demo: httpx.AsyncClient, faults: StagedFaults, sleep: AsyncMock
) -> None:
    assert (await demo.post("/pets", json=REX)).status_code == 201
    sleep.assert_not_awaited()
    faults.stage(Fault.SLOW)
    assert await count(demo) == 1
    assert (await demo.post("/pets", json=REX)).status_code == 201
    assert sleep.await_args_list == [call(3.0)] * 2


async def test_getpet_that_is_gone_responds_410_with_the_deprecation(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    faults.stage(Fault.GET_PET_GONE)
    response = await demo.get("/pets/1")
    check(response, 410, "gone")
    assert {"deprecation", "sunset", "link"} <= set(response.headers)
    assert await count(demo) == 0


async def test_a_staged_refusal_waits_for_an_add_with_an_accepted_key(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    faults.stage(Fault.ADD_REFUSED)
    faults.stage(Fault.KEY_REFUSED)
    check(await demo.post("/pets", json=REX), 401, "unauthorized")
    check(await demo.post("/pets", json=REX, headers=OTHER_KEY), 400, "invalid_value")


async def test_a_demo_that_is_read_only_refuses_every_add(
    memory: SqliteStore, faults: StagedFaults
) -> None:
    demo = client_of_demo(memory, faults, is_read_only=True)
    check(await demo.post("/pets", json=REX), 400, "read_only")
    check(await demo.post("/pets", json={}), 400, "read_only")
    faults.stage(Fault.KEY_REFUSED)
    check(await demo.post("/pets", json=REX), 401, "unauthorized")
    faults.end(Fault.KEY_REFUSED)
    assert await count(demo) == 0


async def test_an_add_that_was_stored_is_repeated_whatever_is_staged(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    """A refusal would be believed."""
    headers = {"Idempotency-Key": '"a"'}
    first = await demo.post("/pets", json=REX, headers=headers)
    faults.stage(Fault.ADD_REFUSED)
    again = await demo.post("/pets", json=REX, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotency-replayed"] == "?1"
    assert again.headers["pettui-store"] == first.headers["pettui-store"]
    other = await demo.post("/pets", json=REX, headers={"Idempotency-Key": '"b"'})
    check(other, 400, "invalid_value")
    assert other.headers["idempotency-key"] == '"b"'
    assert await count(demo) == 1


async def test_an_outage_that_is_staged_says_nothing_of_a_key(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    faults.stage(Fault.AWAY)
    away = await demo.post("/pets", json=REX, headers={"Idempotency-Key": '"a"'})
    check(away, 503, "not_stored")
    assert not {"idempotency-key", "pettui-store"} & set(away.headers)
