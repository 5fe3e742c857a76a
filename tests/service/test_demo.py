"""The service of a demo: staged faults get the responses of a real service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import httpx
import pytest

from pettui.models.staged_faults import Fault, StagedFaults
from pettui.service.demo import StagedService

if TYPE_CHECKING:
    from pettui.service.stores.sqlite import SqliteStore

KEY = "key-of-the-demo"
OTHER_KEY = {"Authorization": "Bearer other-key"}
REX = {"name": "Rex", "categoryId": 3}

Request: TypeAlias = tuple[str, str, object, dict[str, str]]
Play: TypeAlias = tuple[Any, ...]


@pytest.fixture
def faults() -> StagedFaults:
    return StagedFaults(lambda: 0.0)


def client_of_demo(store: SqliteStore, faults: StagedFaults, **options: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(StagedService(store, KEY, faults, **options))
    headers = {"Authorization": f"Bearer {KEY}"}
    return httpx.AsyncClient(transport=transport, base_url="http://demo/v1", headers=headers)


@pytest.fixture
def demo(memory: SqliteStore, faults: StagedFaults) -> httpx.AsyncClient:
    """A client of a demo without animals, which sends its key."""
    return client_of_demo(memory, faults)


def add(body: object = REX, key: str = "", **headers: str) -> Request:
    return "POST", "/pets", body, headers | ({"Idempotency-Key": key} if key else {})


LIST: Request = "GET", "/pets", None, {}
GET: Request = "GET", "/pets/1", None, {}
OTHER: Request = "GET", "/pets", None, OTHER_KEY
NO_CATEGORY = "invalid_value", "categoryId 3 does not exist"
REPEATED = 201, "idempotency-replayed", "pettui-store"
AWAY = "retry-after", "20"
# What is staged (a fault), ended (its name), or asked (and the status, what is in body or headers).
PLAYS: dict[str, Play] = {
    "one add is refused, for the category that it has": (
        Fault.ADD_REFUSED, (LIST, 200, "[]"), (add(), 400, *NO_CATEGORY), (add(), 201),
    ),
    "after a refused key another one is accepted, until that is refused": (
        Fault.KEY_REFUSED, (LIST, 401, "unauthorized"), (add(), 401, "unauthorized"), (OTHER, 200),
        Fault.KEY_REFUSED, (OTHER, 401, "unauthorized"),
    ),
    "away, it says when to come back, and nothing of a key, and stores nothing": (
        Fault.AWAY, (LIST, 503, "unavailable", *AWAY), (add(), 503, "not_stored", *AWAY),
        (add(key='"a"'), 503, "not_stored", "-idempotency-key", "-pettui-store"),
        "AWAY", (LIST, 200, "[]"),
    ),
    "getPet that is gone is deprecated all the same": (
        Fault.GET_PET_GONE, (GET, 410, "gone", "deprecation", "sunset", "link"), (LIST, 200, "[]"),
    ),
    "a staged refusal waits for an add with an accepted key": (
        Fault.ADD_REFUSED, Fault.KEY_REFUSED, (add(), 401, "unauthorized"),
        (add(**OTHER_KEY), 400, "invalid_value"),
    ),
    "an add that was stored is repeated whatever is staged: a refusal would be believed": (
        (add(key='"a"'), 201, "pettui-store", "-idempotency-replayed"), Fault.ADD_REFUSED,
        (add(key='"a"'), *REPEATED), (add(key='"b"'), 400, "invalid_value", "idempotency-key"),
        (LIST, 200, '[{"id":1,"name":"Rex","categoryId":3}]'),
    ),
}  # fmt: skip
READ_ONLY: Play = (
    (add(), 400, "read_only"), (add({}), 400, "read_only"),
    Fault.KEY_REFUSED, (add(), 401, "unauthorized"), "KEY_REFUSED", (LIST, 200, "[]"),
)  # fmt: skip


async def play(demo: httpx.AsyncClient, faults: StagedFaults, steps: Play) -> None:
    """Take the steps; what begins with "-" is not in a response's headers."""
    for step in steps:
        if isinstance(step, Fault):
            faults.stage(step)
        elif isinstance(step, str):
            faults.end(Fault[step])
        else:
            (method, path, body, headers), status, *said = step
            response = await demo.request(method, path, json=body, headers=headers)
            assert response.status_code == status
            told = f"{response.text} {dict(response.headers)}"
            for text in said:
                assert (text.removeprefix("-") in told) is not text.startswith("-"), told
            if status >= 400:
                error = response.json()
                assert (set(error), error["status"]) == ({"code", "message", "status"}, status)


@pytest.mark.parametrize("steps", PLAYS.values(), ids=PLAYS)
async def test_what_is_staged_happens(
    demo: httpx.AsyncClient, faults: StagedFaults, steps: Play
) -> None:
    await play(demo, faults, steps)


async def test_a_demo_that_is_read_only_refuses_every_add(
    memory: SqliteStore, faults: StagedFaults
) -> None:
    await play(client_of_demo(memory, faults, is_read_only=True), faults, READ_ONLY)


async def test_every_response_is_three_seconds_late(
    demo: httpx.AsyncClient, faults: StagedFaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("pettui.service.demo.sleep", sleep)
    steps = ((LIST, 200), (add(), 201))
    await play(demo, faults, (*steps, Fault.SLOW, *steps))
    assert waits == [3.0] * 2
