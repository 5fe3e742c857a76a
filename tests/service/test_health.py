"""``GET /healthz``: whether the store answers, for anyone, and at most once a second."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pettui.service.database_trouble import DatabaseTrouble
from pettui.service.errors import ServiceError
from pettui.service.health import Health
from pettui.service.stores.store import StoreUnavailableError

if TYPE_CHECKING:
    from tests.service.conftest import ClientOf, OpenStore


class CountedStore:
    """Counts the questions; it does not answer before it may, nor while it is away."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_asked = asyncio.Event()
        self.is_away = False
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def list_pets(self, _limit: int) -> None:
        self.asked += 1
        self.is_asked.set()
        await self.may_answer.wait()
        if self.is_away:
            raise StoreUnavailableError("its host is db-7.internal")


def health_of(store: Any, seconds: list[float]) -> Health:
    return Health(store, DatabaseTrouble({}), clock=lambda: seconds[0])


async def status_of(health: Health) -> int:
    request: Any = None
    try:
        await health.respond(request)
    except ServiceError as error:
        return error.status
    return 200


async def test_a_store_that_answers_is_200_without_a_key(
    client_of: ClientOf, open_store: OpenStore
) -> None:
    response = await client_of(await open_store(), headers={}).get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


async def test_a_store_that_does_not_answer_is_503_and_no_reason_is_given(
    client_of: ClientOf,
) -> None:
    store = CountedStore()
    store.is_away = True
    response = await client_of(store, headers={}).get("/healthz")
    assert response.status_code == 503
    assert set(response.json()) == {"code", "message", "status"}
    assert "db-7" not in response.text
    assert response.headers["retry-after"] == "1"


async def test_an_answer_is_kept_for_a_second() -> None:
    store, seconds = CountedStore(), [100.0]
    health = health_of(store, seconds)
    assert await status_of(health) == 200
    store.is_away = True
    seconds[0] = 100.9
    assert await status_of(health) == 200
    assert store.asked == 1
    seconds[0] = 101.0
    assert await status_of(health) == 503
    assert store.asked == 2


async def test_whoever_asks_while_the_store_is_asked_gets_the_same_answer() -> None:
    store = CountedStore()
    store.may_answer.clear()
    health = health_of(store, [0.0])
    statuses = [asyncio.create_task(status_of(health)) for _ in range(5)]
    await store.is_asked.wait()
    store.may_answer.set()
    assert await asyncio.gather(*statuses) == [200] * 5
    assert store.asked == 1
