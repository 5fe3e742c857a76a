"""An add with a key is stored once, whatever happens to its requests and responses."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

import httpx
import psycopg
import pytest

from pettui.models.pets import NewPet, PetStatus
from pettui.service import endpoints
from pettui.service.app import create_app
from pettui.service.idempotency import IdempotencyKey
from pettui.service.keys import KnownKey
from pettui.service.stores import open_store as open_database
from pettui.service.stores.postgres import PostgresStore
from pettui.service.stores.sqlite import MemoryBounds, SqliteStore
from pettui.service.stores.store import digest_of
from tests.service.running_service import AUTHORIZATION, running_service
from tests.service.test_endpoints import sent_after

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from pettui.service.stores.store import Store
    from tests.service.conftest import ClientOf

    Run: TypeAlias = Callable[[str], list[tuple[Any, ...]]]

KEY = '"0192f0c1-7a52-7f3e-9d6b-3b1f0a4c5d6e"'
REX = {"name": "Rex", "categoryId": 3}
STORE_ID = re.compile(r"[0-9a-f]{32}")


@pytest.fixture
def shop(store: Store, client_of: ClientOf) -> httpx.AsyncClient:
    """A client of a service on a store of each kind."""
    return client_of(store)


async def add(
    client: httpx.AsyncClient, key: str = KEY, body: Any = REX, **headers: str
) -> httpx.Response:
    """Send an add with a key; a header's name has _ in place of -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = body if isinstance(body, bytes | str) else json.dumps(body)
    fields = {"Content-Type": "application/json", "Idempotency-Key": key, **named}
    return await client.post("/v1/pets", content=content, headers=fields)


async def listed(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    return list((await client.get("/v1/pets?limit=100")).json())


def is_echoed(response: httpx.Response, key: str = KEY) -> bool:
    """Whether a response has all of the promise; check that it has none of it otherwise."""
    echoed, store_id = (response.headers.get(name) for name in ("idempotency-key", "pettui-store"))
    assert (echoed is None) == (store_id is None)
    assert echoed in (None, key)
    assert store_id is None or STORE_ID.fullmatch(store_id)
    return echoed is not None


def is_replayed(response: httpx.Response) -> bool:
    found = response.headers.get("idempotency-replayed")
    assert found in (None, "?1")
    return found is not None


def refusal(response: httpx.Response) -> tuple[int, str]:
    """Return status and code of an Error body."""
    body = response.json()
    assert set(body) == {"code", "message", "status"}
    assert body["status"] == response.status_code
    return response.status_code, body["code"]


async def test_a_repeated_add_gets_the_animal_of_the_first_one(shop: httpx.AsyncClient) -> None:
    first = await add(shop)
    assert (first.status_code, first.json(), is_replayed(first)) == (201, {"id": 1, **REX}, False)
    for _ in range(2):
        again = await add(shop)
        assert (again.status_code, again.json()) == (201, first.json())
        assert is_replayed(again)
        assert again.headers["pettui-store"] == first.headers["pettui-store"]
    assert await listed(shop) == [first.json()]


async def test_without_a_key_nothing_is_promised(shop: httpx.AsyncClient) -> None:
    responses = [await shop.post("/v1/pets", json=REX) for _ in range(2)]
    assert [response.json()["id"] for response in responses] == [1, 2]
    assert not any(map(is_echoed, responses))


@pytest.mark.parametrize(
    "body",
    [
        '{"categoryId": 3, "name": "R\\u0065x"}',
        '{"id": 7, "name": "Rex", "categoryId": 3.0, "x": []}',
    ],
)
async def test_a_body_that_says_the_same_in_other_words_is_the_same(
    service: httpx.AsyncClient, body: str
) -> None:
    await add(service)
    assert is_replayed(await add(service, body=body))


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ({"name": "rex", "categoryId": 3}, {}),
        ({"name": "Rex", "categoryId": 3, "status": "sold"}, {}),
        ({"name": "Rex"}, {}),
        (b"\xff", {}),
        (" " * 2000, {}),
        (REX, {"Content_Type": "text/plain"}),
        (REX, {"Content_Encoding": "gzip"}),
    ],
)
async def test_a_key_with_another_body_is_409_also_with_one_that_is_refused(
    client_of: ClientOf, body: Any, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "BODY_BYTES", 1000)
    shop = client_of()
    await add(shop)
    again = await add(shop, body=body, **headers)
    assert refusal(again) == (409, "key_reused")
    assert is_echoed(again)
    assert len(await listed(shop)) == 1


@pytest.mark.parametrize("key", [KEY, '" "', '"\\"\\\\"', '"~!#[]"', f'"{"x" * 5000}"'])
async def test_every_string_is_a_key_and_repeated_as_it_came(
    service: httpx.AsyncClient, key: str
) -> None:
    for expected in (False, True):
        response = await add(service, key)
        assert (response.status_code, is_replayed(response)) == (201, expected)
        assert is_echoed(response, key)
    other = await add(service, '"other"')
    assert not is_replayed(other)


@pytest.mark.parametrize(
    "key", ["", "a", '""', '"a', '"a"b"', '"a", "b"', '"a";v=1', '"\\a"', '"é"']
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_malformed_key_is_400_and_nothing_is_stored(
    service: httpx.AsyncClient, method: str, key: str
) -> None:
    headers = [(b"Idempotency-Key", key.encode())]
    response = await service.request(method, "/v1/pets", headers=headers, json=REX)
    assert refusal(response) == (400, "invalid_value")
    assert response.json()["message"].startswith("Idempotency-Key must be")
    assert not is_echoed(response)
    assert await listed(service) == []


def test_what_is_kept_of_a_key_and_a_body_stays_the_same_for_ever() -> None:
    """Databases have it: another form of it would store everything once more."""
    uuid = IdempotencyKey.of([(b"idempotency-key", KEY.encode())])
    assert uuid is not None
    assert uuid.stored == UUID(KEY[1:-1]).bytes
    text = IdempotencyKey.of([(b"idempotency-key", rb' "a\"b" ')])
    assert text == (rb'"a\"b"', sha256(b'a"b').digest())
    new_pets = [
        NewPet(name="Rex 3", category_id=-1, status=PetStatus.SOLD),
        NewPet(name="", category_id=0),
    ]
    assert [digest_of(new_pet).hex() for new_pet in new_pets] == [
        "ea79309fa417c7b59b548c4059c8dce0",
        "be5810bc539bfea886c58514f10a06aa",
    ]


async def test_a_key_is_repeated_in_every_response_to_who_may_know(shop: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": KEY}
    for method, path, status in (
        ("GET", "/v1/pets", 200),
        ("HEAD", "/v1/pets", 200),
        ("GET", "/v1/pets?limit=0", 400),
        ("POST", "/v1/pets", 400),
        ("GET", "/v1/pets/9", 404),
        ("PUT", "/v1/pets", 405),
    ):
        response = await shop.request(method, path, headers=headers)
        assert (response.status_code, is_echoed(response)) == (status, True)
    for path in ("/healthz", "/openapi.yaml", "/elsewhere"):
        assert not is_echoed(await shop.get(path, headers=headers))
    response = await shop.get("/v1/pets", headers={**headers, "Authorization": "Bearer other"})
    assert (response.status_code, is_echoed(response)) == (401, False)


async def test_an_add_that_names_another_store_is_412(store: Store, client_of: ClientOf) -> None:
    shop = client_of(store)
    for name in ("f" * 32, str(store.store_id).upper() + "x", ""):
        refused = await add(shop, Pettui_Store=name)
        assert refusal(refused) == (412, "other_store")
        assert refused.headers["pettui-store"] == store.store_id
    assert await listed(shop) == []
    assert (await add(shop, Pettui_Store=str(store.store_id))).status_code == 201
    assert refusal(await add(shop, Pettui_Store="f" * 32)) == (412, "other_store")
    without_key = await shop.post("/v1/pets", json=REX, headers={"Pettui-Store": "f" * 32})
    assert (without_key.status_code, is_echoed(without_key)) == (412, False)


class ChangingKeys:
    """One key, which may add until its owner is only to read."""

    may_add = True

    def find(self, _key: bytes) -> KnownKey | None:
        return KnownKey("till-1", may_add=self.may_add)


async def test_a_key_that_may_only_read_is_told_what_it_added_before(store: Store) -> None:
    keys = ChangingKeys()
    transport = httpx.ASGITransport(create_app(store, keys))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://store", headers=AUTHORIZATION
    ) as client:
        first = await add(client)
        keys.may_add = False
        again, other = await add(client), await add(client, '"other"')
        assert (again.status_code, again.json()) == (201, first.json())
        assert (refusal(other), is_echoed(other, '"other"')) == ((403, "read_only"), True)
        assert refusal(await add(client, '"other"', b"{")) == (403, "read_only")
        assert refusal(await add(client, body=b"{")) == (409, "key_reused")
        assert refusal(await client.post("/v1/pets", json=REX)) == (403, "read_only")
        assert len(await listed(client)) == 1


async def test_a_full_demo_says_what_it_took_before(client_of: ClientOf) -> None:
    store = SqliteStore.open_in_memory(bounds=MemoryBounds(animals=1, name_bytes=1000))
    client = client_of(store)
    first = await add(client)
    again, other = await add(client), await add(client, '"other"')
    assert (again.json(), is_replayed(again)) == (first.json(), True)
    assert (refusal(other), is_echoed(other, '"other"')) == ((400, "store_full"), True)
    await store.close()


async def test_of_a_body_that_comes_too_late_nothing_is_said(
    memory: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another request with that key may still be on its way."""
    monkeypatch.setattr(endpoints, "BODY_SECONDS", 0.01)
    app = create_app(memory, ["k"])
    sent = await sent_after(app, headers=[(b"idempotency-key", KEY.encode())])
    assert sent[0]["status"] == 400
    assert not {b"idempotency-key", b"pettui-store"} & dict(sent[0]["headers"]).keys()


async def test_an_outage_repeats_the_key_and_one_at_the_start_does_not(
    service: httpx.AsyncClient, memory: SqliteStore, client_of: ClientOf
) -> None:
    await memory.close()
    for body in (REX, b"{"):  # not 400: it may have been stored
        response = await add(service, body=body)
        assert (refusal(response), is_echoed(response)) == ((503, "unavailable"), True)
    late = client_of(PostgresStore("postgresql://127.0.0.1:1/y"))
    for headers in ({}, {"Pettui_Store": "f" * 32}):
        response = await add(late, **headers)
        assert (refusal(response), is_echoed(response)) == ((503, "not_stored"), False)
    response = await add(late, body=b"{")
    assert (refusal(response), is_echoed(response)) == ((503, "unavailable"), False)


@pytest.fixture(params=["file", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that several services can use."""
    if request.param == "file":
        return str(tmp_path / "pets.db")
    return str(request.getfixturevalue("postgres").new_database("of_one_test"))


@pytest.fixture
def run(address: str) -> Run:
    """Runs SQL in the database, as its operator does."""

    def run_it(sql: str) -> list[tuple[Any, ...]]:
        if address.startswith("postgresql:"):
            with psycopg.connect(address, autocommit=True) as connection:
                cursor = connection.execute(sql.encode())
                return cursor.fetchall() if cursor.description else []
        with closing(sqlite3.connect(address, isolation_level=None)) as connection:
            return connection.execute(sql).fetchall()

    return run_it


@pytest.fixture
async def services(address: str, client_of: ClientOf) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Clients of two services on one database."""
    stores = [await open_database(address) for _ in range(2)]
    yield [client_of(store) for store in stores]
    for store in stores:
        await store.close()


async def test_a_repetition_gets_the_animal_as_it_is_now_and_as_sent_when_it_is_gone(
    services: list[httpx.AsyncClient], run: Run
) -> None:
    first = await add(services[0])
    run("UPDATE pets SET status = 'sold', category_id = 4")
    again = await add(services[1])
    assert again.json() == {**first.json(), "status": "sold", "categoryId": 4}
    run("DELETE FROM pets")
    gone = await add(services[1])
    assert (gone.json(), is_replayed(gone)) == (first.json(), True)
    assert await listed(services[0]) == []


async def test_of_one_key_with_two_bodies_at_the_same_time_one_is_stored(
    services: list[httpx.AsyncClient],
) -> None:
    bodies = [REX, {**REX, "name": "Bello"}] * 10
    adds = [add(services[n // 2 % 2], body=body) for n, body in enumerate(bodies)]
    responses = await asyncio.gather(*adds)
    [stored] = await listed(services[0])
    for body, response in zip(bodies, responses, strict=True):
        if body["name"] == stored["name"]:
            assert (response.status_code, response.json()) == (201, stored)
        else:
            assert refusal(response) == (409, "key_reused")


async def test_services_that_repeat_the_same_adds_crosswise_store_each_once(
    services: list[httpx.AsyncClient],
) -> None:
    one, other = services
    for round_number in range(5):
        keys = [f'"{round_number} {number}"' for number in range(64)]
        waiting = [add(one, key) for key in keys] + [add(other, key) for key in reversed(keys)]
        waiting += [client.post("/v1/pets", json=REX) for client in services]  # without a key
        responses = await asyncio.gather(*waiting)
        assert {response.status_code for response in responses} == {201}
        ids = [response.json()["id"] for response in responses]
        assert ids[:64] == ids[64:128][::-1]
        assert len({*ids}) == 66
        assert sum(map(is_replayed, responses)) == 64


async def test_a_key_without_its_animal_and_an_animal_without_its_key_are_never_stored(
    services: list[httpx.AsyncClient], address: str, run: Run
) -> None:
    if address.startswith("postgresql:"):
        run("ALTER TABLE pettui_idempotency_keys ADD CONSTRAINT none CHECK (false)")
    else:
        run(
            "CREATE TRIGGER none AFTER INSERT ON pettui_idempotency_keys"
            " BEGIN SELECT RAISE(ABORT, 'none'); END"
        )
    shop = services[0]
    shop._transport.raise_app_exceptions = False  # type: ignore[attr-defined]
    assert refusal(await add(shop)) == (500, "internal_error")
    assert await listed(shop) == []
    assert run("SELECT count(*) FROM pettui_idempotency_keys") == [(0,)]


def test_an_add_whose_service_was_killed_before_it_answered_is_found_again(
    tmp_path: Path, address: str, run: Run
) -> None:
    def head(size: int) -> bytes:
        fields = {**AUTHORIZATION, "Content-Type": "application/json", "Idempotency-Key": KEY}
        lines = [f"{name}: {value}" for name, value in {**fields, "Content-Length": size}.items()]
        return "\r\n".join(["POST /v1/pets HTTP/1.1", "Host: store", *lines, "", ""]).encode()

    body = json.dumps(REX).encode()
    with (
        running_service(tmp_path, database=address) as service,
        service.connection() as connection,
    ):
        connection.sendall(head(len(body)) + body)
        while run("SELECT count(*) FROM pets") == [(0,)]:
            continue
        service.process.kill()
    with running_service(tmp_path, database=address) as service, service.client() as client:
        again = client.post("/pets", json=REX, headers={"Idempotency-Key": KEY})
        assert (again.status_code, again.json(), is_replayed(again)) == (
            201,
            {"id": 1, **REX},
            True,
        )
        assert is_echoed(again)
        assert len(client.get("/pets").json()) == 1


def test_the_log_says_that_an_add_was_repeated_and_has_neither_key_nor_hash(tmp_path: Path) -> None:
    with running_service(tmp_path) as service, service.client() as client:
        for _ in range(2):
            client.post("/pets", json=REX, headers={"Idempotency-Key": '"secret"'})
        assert service.stop() == 0
        first, again = service.lines()
        assert (first["id"], again["id"]) == (1, 1)
        assert ("repeated" in first, again["repeated"]) == (False, True)
        text = service.log.read_text() + service.stderr_text()
    assert "secret" not in text
    assert sha256(b"secret").hexdigest() not in text
