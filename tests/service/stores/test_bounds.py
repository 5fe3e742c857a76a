"""Whatever was accepted can be listed: bodies, names and pages at their bounds, and beyond."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeAlias

import httpx
import psycopg
import pytest

from pettui.client import PetClient
from pettui.service.app import create_app
from pettui.service.stores import open_store
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import MemoryBounds, SqliteStore
from pettui.service.stores.store import BODY_BYTES
from pettui.settings.settings import ApiKey
from tests.animals import a_new_pet
from tests.exhaustive import product
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from pettui.service.stores.store import Store
    from tests.service.conftest import ClientOf, OpenStore

    StoreOf: TypeAlias = Callable[[list[bytes]], Store]


MEBIBYTE = 1024 * 1024
RESPONSE_MAXIMUM = 2_000_000  # bytes that pettui's client accepts by default
JSON = {"Content-Type": "application/json"}


FRAME = b'{"name":"%s","categoryId":-9223372036854775808,"status":"available"}'
LETTERS = {
    "plain": b"x",
    "a control": b"\\u0001",
    "beyond the plane": "🐹".encode(),
    "a surrogate pair": b"\\ud83d\\udc39",
}


@pytest.mark.parametrize("letter", LETTERS.values(), ids=LETTERS)
async def test_the_largest_body_is_accepted_and_pettuis_own_client_reads_its_animal(
    memory: SqliteStore, client_of: ClientOf, letter: bytes
) -> None:
    service = client_of(memory)
    name = letter * ((BODY_BYTES - len(FRAME)) // len(letter))
    body = (FRAME % name).ljust(BODY_BYTES)
    created = await service.post("/v1/pets", content=body, headers=JSON)
    assert created.status_code == 201, created.text[:200]
    assert len(created.content) < RESPONSE_MAXIMUM
    for _ in range(2):
        await service.post("/v1/pets", content=body, headers=JSON)
    transport = httpx.ASGITransport(create_app(memory, [KEY]))
    client = PetClient("http://store/v1", ApiKey(KEY), transport=transport)
    page = await client.list_pets(limit=100)
    assert [pet.name for pet in page.pets] == [created.json()["name"]]
    assert page.next_link is not None


async def whole_list(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    """Return all that is listed, in pages of which none is empty or too large."""
    pets: list[dict[str, Any]] = []
    path: str | None = "/v1/pets?limit=100"
    while path:
        response = await client.get(path)
        assert 2 < len(response.content) < RESPONSE_MAXIMUM
        pets += response.json()
        link = response.links.get("next")
        path = None if link is None else str(response.url.join(link["url"]))
    return pets


@pytest.mark.parametrize(
    ("length", "letter"), product([2560, 2561, 70_000, 250_000], ["🐹", "\x01"])
)
async def test_pages_of_large_names_hold_all_of_them(
    client_of: ClientOf, open_store: OpenStore, length: int, letter: str
) -> None:
    samples = [a_new_pet(letter * (length // len(letter.encode())) + str(n)) for n in range(12)]
    samples += [a_new_pet(f"small {n}") for n in range(12)]
    store = await open_store(samples)
    pets = await whole_list(client_of(store))
    assert [pet["name"] for pet in pets] == [pet.name for pet in reversed(samples)]


@pytest.fixture(params=["file", "postgres"])
async def store_of(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[StoreOf]:
    """Puts names into a store as an earlier version, or another program, stored them."""
    address = str(tmp_path / "pets.db")
    insert = "INSERT INTO pets (name, category_id) VALUES (?, 1)"
    connect: Callable[[str], Any] = sqlite3.connect
    if request.param == "postgres":
        address = request.getfixturevalue("postgres").new_database("of_one_test")
        connect = psycopg.connect
        insert = "INSERT INTO pets (name, category_id, writer_schema) VALUES (%b, 1, 1)"
    store = await open_store(address)

    def store_with(names: list[bytes]) -> Store:
        with closing(connect(address)) as connection:
            connection.cursor().executemany(insert, [[name] for name in names])
            connection.commit()
        return store

    yield store_with
    await store.close()


@pytest.mark.parametrize(
    "name",
    [b"x" * 4_194_000, "🐹".encode() * 1_000_000, b"\x01" * 698_000],
    ids=["plain", "wide", "controls"],
)
async def test_a_name_that_an_earlier_version_accepted_is_listed_cut_with_its_size(
    client_of: ClientOf, store_of: StoreOf, name: bytes
) -> None:
    client = client_of(store_of([b"Rex", name, b"Bim"]))
    pets = await whole_list(client)
    assert [pets[0]["name"], pets[2]["name"]] == ["Bim", "Rex"]
    whole = name.decode()
    written = json.dumps(whole, ensure_ascii=False).encode()
    expected = whole if len(written) < RESPONSE_MAXIMUM else None
    shown = pets[1]["name"]
    assert (shown == (expected or f"{whole[:1000]}… ({len(name)} bytes)")) is True
    assert (await client.get(f"/v1/pets/{pets[1]['id']}")).json()["name"] == shown


async def test_a_name_that_is_not_text_is_listed_beside_the_others(
    client_of: ClientOf, store_of: StoreOf
) -> None:
    client = client_of(store_of([b"Rex", b"K\xf6nig", b"\xff" + b"x" * 5000, b"Bim"]))
    pets = (await client.get("/v1/pets")).json()
    assert [pet["name"] for pet in pets] == ["Bim", "�" + "x" * 5000, "K�nig", "Rex"]
    response = await client.get(f"/v1/pets/{pets[2]['id']}")
    assert response.json()["name"] == "K�nig"


async def test_the_memory_of_a_list_is_bounded_whatever_is_stored(
    tmp_path: Path, client_of: ClientOf
) -> None:
    store = SqliteStore.open(tmp_path / "pets.db")
    with closing(sqlite3.connect(tmp_path / "pets.db")) as connection:
        for size in (*[4_000_000] * 8, 20_000_000):
            connection.execute(
                "INSERT INTO pets (name, category_id) VALUES (zeroblob(?), 1)", [size]
            )
        connection.commit()
    client = client_of(store)
    await client.get("/v1/pets")  # imports what it needs, so that this is not measured
    tracemalloc.start()
    try:
        response = await client.get("/v1/pets?limit=100")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert response.json()[0]["name"].endswith("… (20000000 bytes)")
    assert peak < 16 * MEBIBYTE
    await store.close()


@pytest.mark.parametrize(
    ("bounds", "most"),
    [
        (MemoryBounds(1, 1000), "1 new animals"),
        (MemoryBounds(9, 4), "4 bytes of new names in total"),
    ],
)
async def test_a_full_demo_refuses_more_with_an_error_body(
    client_of: ClientOf, bounds: MemoryBounds, most: str
) -> None:
    store = SqliteStore.open_in_memory(sample_pets(60), bounds)
    client, pet = client_of(store), {"name": "éé", "categoryId": 1}
    responses = [await client.post("/v1/pets", json=pet) for _ in range(2)]
    assert [response.status_code for response in responses] == [201, 400]
    message = f"This demo takes at most {most}"
    assert responses[1].json() == {"code": "store_full", "message": message, "status": 400}
    await store.close()
