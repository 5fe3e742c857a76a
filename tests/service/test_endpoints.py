"""listPets and getPet, parameter by parameter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pettui.models import INT64_MAXIMUM
from pettui.service.endpoints import decode_cursor, encode_cursor
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx

    from tests.service.conftest import ClientOf


DEPRECATION = {
    "deprecation": "@1764892800",
    "sunset": "Thu, 05 Dec 2030 00:00:00 GMT",
    "link": '</v1/pets>; rel="successor-version"',
}


@pytest.fixture
async def filled(client_of: ClientOf) -> AsyncIterator[httpx.AsyncClient]:
    store = SqliteStore.open_in_memory(sample_pets(250))
    yield client_of(store)
    await store.close()


async def test_without_a_limit_a_list_has_twenty(filled: httpx.AsyncClient) -> None:
    assert len((await filled.get("/v1/pets")).json()) == 20


@pytest.mark.parametrize("limit", ["1", "100", "007", "%32%30"])
async def test_a_limit_from_1_to_100_is_accepted(filled: httpx.AsyncClient, limit: str) -> None:
    response = await filled.get(f"/v1/pets?limit={limit}")
    assert len(response.json()) == int(limit.replace("%3", ""))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("limit", text) for text in ("0", "101", "-1", "+5", "%205", "", "%D9%A5", "%FF")),
        *(("limit", text) for text in ("5;status=sold", "9" * 5000, "5&limit=5", "5&l%69mit=6")),
        *(("status", text) for text in ("", "Available", "sold%20", "sold&status=sold")),
        *(("cursor", text) for text in ("", "abc", "1", "é", "%FF")),
        ("cursor", "MTo0MQ=="),  # padded
        ("cursor", "MjoxMA"),  # of another version
        ("cursor", "MTowMQ"),  # 01
        ("cursor", "MTo5MjIzMzcyMDM2ODU0Nzc1ODA4"),  # beyond int64
    ],
)
async def test_any_other_value_of_a_parameter_is_400(
    filled: httpx.AsyncClient, name: str, text: str
) -> None:
    response = await filled.get(f"/v1/pets?{name}={text}")
    assert response.status_code == response.json()["status"] == 400
    assert response.json()["message"].startswith(f"{name} must be")


@pytest.mark.parametrize("query", ["LIMIT=0", "%FF=1", "&&", "x"])
async def test_an_unknown_parameter_is_ignored(filled: httpx.AsyncClient, query: str) -> None:
    response = await filled.get(f"/v1/pets?{query}")
    assert response.status_code == 200
    assert len(response.json()) == 20


@pytest.mark.parametrize("query", ["", "limit=7", "limit=100&status=sold", "status=pending"])
async def test_the_links_lead_through_the_whole_list_newest_first(
    filled: httpx.AsyncClient, query: str
) -> None:
    status = query.partition("status=")[2]
    path: str | None = f"/v1/pets?{query}"
    ids: list[int] = []
    while path:
        response = await filled.get(path)
        pets = response.json()
        assert pets
        assert not status or {pet["status"] for pet in pets} == {status}
        ids += [pet["id"] for pet in pets]
        path = response.links.get("next", {}).get("url")
    assert ids == sorted(set(ids), reverse=True)
    assert status or ids == list(range(250, 0, -1))


async def test_the_link_is_a_reference_from_the_root_of_the_server(
    filled: httpx.AsyncClient,
) -> None:
    link = (await filled.get("/v1/pets?limit=7&status=sold&other=1")).headers["link"]
    assert re.fullmatch(r'</v1/pets\?limit=7&status=sold&cursor=[\w-]+>; rel="next"', link)


@pytest.mark.parametrize("before", [1, 20, 2**53 + 1, INT64_MAXIMUM])
def test_a_cursor_is_decoded_to_what_was_encoded(before: int) -> None:
    assert decode_cursor(encode_cursor(before)) == before


async def test_a_cursor_with_another_limit_or_status_continues_at_the_same_animal(
    filled: httpx.AsyncClient,
) -> None:
    text = encode_cursor(200)
    pets = (await filled.get(f"/v1/pets?cursor={text}&limit=3&status=sold")).json()
    assert len(pets) == 3
    assert all(pet["id"] < 200 for pet in pets)


async def test_an_empty_store_lists_nothing(service: httpx.AsyncClient) -> None:
    response = await service.get("/v1/pets")
    assert response.status_code == 200
    assert response.content == b"[]"
    assert "link" not in response.headers


async def test_get_pet_returns_the_animal_and_its_deprecation(filled: httpx.AsyncClient) -> None:
    listed = (await filled.get("/v1/pets?limit=1")).json()[0]
    response = await filled.get(f"/v1/pets/{listed['id']}")
    assert response.status_code == 200
    assert response.json() == listed
    assert {name: response.headers[name] for name in DEPRECATION} == DEPRECATION


@pytest.mark.parametrize(
    "text",
    ["0", "251", "9223372036854775808", "abc", "%201", "+1", "01", "%D9%A1", "%FF", "9" * 5000],
)
async def test_an_unknown_id_responds_404_with_the_deprecation(
    filled: httpx.AsyncClient, text: str
) -> None:
    response = await filled.get(f"/v1/pets/{text}")
    assert response.status_code == 404
    assert response.json()["status"] == 404
    assert {name: response.headers[name] for name in DEPRECATION} == DEPRECATION


async def test_no_other_operation_is_deprecated(filled: httpx.AsyncClient) -> None:
    created = await filled.post("/v1/pets", json={"name": "Rex", "categoryId": 3})
    listed = await filled.get("/v1/pets")
    for response in (created, listed):
        assert "deprecation" not in response.headers
        assert "sunset" not in response.headers
    assert created.headers.get("link") is None
