"""The service of a demo: staged faults get the responses of a real service."""

from __future__ import annotations

from contextlib import asynccontextmanager
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
REX = {"name": "Rex", "categoryId": 3}


class Demo:
    """Sends requests to a demo, with its key unless another is given."""

    def __init__(self, client: httpx.AsyncClient, faults: StagedFaults, waits: list[float]) -> None:
        self.faults = faults
        self.waits = waits
        self._client = client

    async def get(self, path: str, key: str = KEY) -> httpx.Response:
        return await self._client.get(path, headers={"Authorization": f"Bearer {key}"})

    async def add(self, body: object = REX, key: str = KEY) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key}"}
        return await self._client.post("/v1/pets", json=body, headers=headers)


@asynccontextmanager
async def demo(*, is_read_only: bool = False) -> AsyncIterator[Demo]:
    store = SqliteStore.open_in_memory(sample_pets(3))
    faults = StagedFaults(lambda: 0.0)
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    app = create_demo_app(store, KEY, faults, is_read_only=is_read_only, sleep=sleep)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://demo") as client:
        yield Demo(client, faults, waits)
    await store.close()


def check(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that a response is the interface's Error, and return that."""
    body = response.json()
    assert (response.status_code, body["status"], body["code"]) == (status, status, code)
    assert set(body) == {"code", "message", "status"}
    return dict(body)


async def test_nothing_is_wrong_with_a_demo_where_nothing_is_staged() -> None:
    async with demo() as there:
        assert len((await there.get("/v1/pets")).json()) == 3
        assert (await there.add()).status_code == 201
        assert (await there.get("/v1/pets/4")).json() == {"id": 4, **REX}
        assert not there.waits


async def test_one_add_is_refused_for_the_category_that_it_has() -> None:
    async with demo() as there:
        there.faults.stage(Fault.ADD_REFUSED)
        assert (await there.get("/v1/pets")).status_code == 200
        body = check(await there.add(), 400, "invalid_value")
        assert body["message"] == "categoryId 3 does not exist"
        assert (await there.add()).status_code == 201
        assert len((await there.get("/v1/pets")).json()) == 4


async def test_after_a_refused_key_another_one_is_accepted() -> None:
    async with demo() as there:
        there.faults.stage(Fault.KEY_REFUSED)
        for response in (
            await there.get("/v1/pets"),
            await there.add(),
            await there.get("/v1/pets/1"),
        ):
            check(response, 401, "unauthorized")
            assert response.headers["WWW-Authenticate"] == "Bearer"
        assert (await there.get("/v1/pets", "other-key")).status_code == 200
        assert not there.faults.staged
        there.faults.stage(Fault.KEY_REFUSED)
        check(await there.get("/v1/pets", "other-key"), 401, "unauthorized")


async def test_a_key_is_accepted_again_when_the_fault_ends() -> None:
    async with demo() as there:
        there.faults.stage(Fault.KEY_REFUSED)
        check(await there.get("/v1/pets"), 401, "unauthorized")
        there.faults.end(Fault.KEY_REFUSED)
        assert (await there.get("/v1/pets")).status_code == 200


async def test_a_service_that_is_away_sends_retry_after_and_stores_nothing() -> None:
    async with demo() as there:
        there.faults.stage(Fault.AWAY)
        response = await there.get("/v1/pets")
        check(response, 503, "unavailable")
        assert response.headers["Retry-After"] == "20"
        response = await there.add()
        check(response, 503, "not_stored")
        assert response.headers["Retry-After"] == "20"
        there.faults.end(Fault.AWAY)
        assert len((await there.get("/v1/pets")).json()) == 3


async def test_every_response_is_three_seconds_late() -> None:
    async with demo() as there:
        there.faults.stage(Fault.SLOW)
        assert (await there.get("/v1/pets")).status_code == 200
        assert (await there.add()).status_code == 201
        assert there.waits == [3.0, 3.0]


async def test_getpet_that_is_gone_responds_410_with_the_deprecation() -> None:
    async with demo() as there:
        there.faults.stage(Fault.GET_PET_GONE)
        response = await there.get("/v1/pets/1")
        check(response, 410, "gone")
        assert {"Deprecation", "Sunset", "Link"} <= {name.title() for name in response.headers}
        assert (await there.get("/v1/pets")).status_code == 200


async def test_a_staged_refusal_waits_for_an_add_with_an_accepted_key() -> None:
    async with demo() as there:
        there.faults.stage(Fault.ADD_REFUSED)
        there.faults.stage(Fault.KEY_REFUSED)
        check(await there.add(), 401, "unauthorized")
        check(await there.add(key="other-key"), 400, "invalid_value")


@pytest.mark.parametrize("body", [REX, {}], ids=["good", "bad"])
async def test_a_demo_that_is_read_only_refuses_every_add(body: object) -> None:
    async with demo(is_read_only=True) as there:
        check(await there.add(body), 400, "read_only")
        there.faults.stage(Fault.KEY_REFUSED)
        check(await there.add(body), 401, "unauthorized")
        there.faults.end(Fault.KEY_REFUSED)
        assert len((await there.get("/v1/pets")).json()) == 3
