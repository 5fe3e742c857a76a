"""The service of a demo: staged faults get the responses of a real service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pettui.service.demo import create_demo_app
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.staged_faults import Fault, StagedFaults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KEY = "key-of-the-demo"
OTHER_KEY = {"Authorization": "Bearer other-key"}
REX = {"name": "Rex", "categoryId": 3}


@pytest.fixture
def faults() -> StagedFaults:
    return StagedFaults(lambda: 0.0)


@pytest.fixture
def waits() -> list[float]:
    """How long the demo has waited, each time."""
    return []


@pytest.fixture
def is_read_only(request: pytest.FixtureRequest) -> bool:
    return getattr(request, "param", False)


@pytest.fixture
async def demo(
    faults: StagedFaults, waits: list[float], is_read_only: bool
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a demo with three animals, which sends its key."""

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    store = SqliteStore.open_in_memory(sample_pets(3))
    app = create_demo_app(store, KEY, faults, is_read_only=is_read_only, sleep=sleep)
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://demo/v1", headers=headers
    ) as client:
        yield client
    await store.close()


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
    assert await count(demo) == 3
    body = check(await demo.post("/pets", json=REX), 400, "invalid_value")
    assert body["message"] == "categoryId 3 does not exist"
    assert (await demo.post("/pets", json=REX)).status_code == 201
    assert await count(demo) == 4


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
    assert await count(demo) == 3


async def test_every_response_is_three_seconds_late(
    demo: httpx.AsyncClient, faults: StagedFaults, waits: list[float]
) -> None:
    assert (await demo.post("/pets", json=REX)).status_code == 201
    assert not waits
    faults.stage(Fault.SLOW)
    assert await count(demo) == 4
    assert (await demo.post("/pets", json=REX)).status_code == 201
    assert waits == [3.0, 3.0]


async def test_getpet_that_is_gone_responds_410_with_the_deprecation(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    faults.stage(Fault.GET_PET_GONE)
    response = await demo.get("/pets/1")
    check(response, 410, "gone")
    assert {"deprecation", "sunset", "link"} <= set(response.headers)
    assert await count(demo) == 3


async def test_a_staged_refusal_waits_for_an_add_with_an_accepted_key(
    demo: httpx.AsyncClient, faults: StagedFaults
) -> None:
    faults.stage(Fault.ADD_REFUSED)
    faults.stage(Fault.KEY_REFUSED)
    check(await demo.post("/pets", json=REX), 401, "unauthorized")
    check(await demo.post("/pets", json=REX, headers=OTHER_KEY), 400, "invalid_value")


@pytest.mark.parametrize("is_read_only", [True], indirect=True)
@pytest.mark.parametrize("body", [REX, {}], ids=["good", "bad"])
async def test_a_demo_that_is_read_only_refuses_every_add(
    demo: httpx.AsyncClient, faults: StagedFaults, body: object
) -> None:
    check(await demo.post("/pets", json=body), 400, "read_only")
    faults.stage(Fault.KEY_REFUSED)
    check(await demo.post("/pets", json=body), 401, "unauthorized")
    faults.end(Fault.KEY_REFUSED)
    assert await count(demo) == 3
