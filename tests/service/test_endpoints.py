"""The operations, parameter by parameter, and which bodies are accepted."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM
from pettui.service import endpoints
from pettui.service.app import create_app
from pettui.service.endpoints import encode_cursor, read_new_pet
from pettui.service.errors import ServiceError
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    import httpx
    from starlette.types import ASGIApp, Message

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


@pytest.mark.parametrize("limit", ["1", "100", "007"])
async def test_a_limit_from_1_to_100_is_accepted(filled: httpx.AsyncClient, limit: str) -> None:
    assert len((await filled.get(f"/v1/pets?limit={limit}")).json()) == int(limit)


@pytest.mark.parametrize("query", ["LIMIT=0", "%FF=1", "&&", "x"])
async def test_an_unknown_parameter_is_ignored_and_without_a_limit_a_list_has_twenty(
    filled: httpx.AsyncClient, query: str
) -> None:
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
        link = response.links.get("next")
        path = None if link is None else str(response.url.join(link["url"]))
    assert ids == sorted(set(ids), reverse=True)
    assert status or ids == list(range(250, 0, -1))


async def test_the_link_is_a_reference_from_the_list_itself(
    filled: httpx.AsyncClient,
) -> None:
    link = (await filled.get("/v1/pets?limit=7&status=sold&other=1")).headers["link"]
    assert re.fullmatch(r'<\?limit=7&status=sold&cursor=[\w-]+>; rel="next"', link)


async def test_the_last_page_links_to_the_first_one(filled: httpx.AsyncClient) -> None:
    link = (await filled.get(f"/v1/pets?limit=7&cursor={encode_cursor(3)}")).headers["link"]
    assert link == '<?limit=7>; rel="first"'


async def test_get_pet_returns_the_animal_and_its_deprecation(filled: httpx.AsyncClient) -> None:
    listed = (await filled.get("/v1/pets?limit=1")).json()[0]
    response = await filled.get(f"/v1/pets/{listed['id']}")
    assert response.status_code == 200
    assert response.json() == listed
    assert {name: response.headers[name] for name in DEPRECATION} == DEPRECATION


@pytest.mark.parametrize(
    "text", ["251", "9223372036854775808", "abc", "+1", "01", "%D9%A1", "%FF", "9" * 5000]
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


VALID = b'{"name": "Rex", "categoryId": 1}'
JSON = {"Content-Type": "application/json"}


async def post(service: httpx.AsyncClient, body: Any, headers: Any = JSON) -> httpx.Response:
    return await service.post("/v1/pets", content=body, headers=headers)


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=UTF-8",
        'Application/JSON ;; v=1; charset="utf-8";\t',
    ],
)
async def test_json_in_utf_8_is_accepted(service: httpx.AsyncClient, content_type: str) -> None:
    headers = {"Content-Type": content_type, "Content-Encoding": "identity"}
    response = await post(service, VALID, headers)
    assert response.status_code == 201, response.text


async def in_chunks(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 300):
        yield body[start : start + 300]


@pytest.mark.parametrize("part", [bytes, in_chunks], ids=["whole", "in chunks"])
@pytest.mark.parametrize(("size", "status"), [(1000, 201), (1001, 400)])
async def test_the_limit_is_the_largest_accepted_size(
    client_of: ClientOf,
    part: Callable[[bytes], object],
    size: int,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endpoints, "BODY_BYTES", 1000)
    client = client_of()
    response = await post(client, part(VALID.ljust(size)))
    assert response.status_code == status
    assert status == 201 or response.json()["code"] == "body_too_large"


async def sent_after(
    app: ASGIApp, *received: Message, headers: Sequence[tuple[bytes, bytes]] = ()
) -> list[Message]:
    """Return what an app sends to an add of which no more comes than this."""
    left, sent = list(received), []

    async def receive() -> Message:
        return left.pop(0) if left else await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    usual = [(b"authorization", b"Bearer k"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/v1/pets", "query_string": b""}
    await app({**scope, "headers": [*usual, *headers]}, receive, send)
    return sent


async def test_a_slow_body_is_400_and_stores_nothing(
    memory: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "BODY_SECONDS", 0.01)
    sent = await sent_after(create_app(memory, ["k"]))
    assert sent[0]["status"] == 400
    assert (b"connection", b"close") in sent[0]["headers"]
    assert (await memory.list_pets(1)).pets == ()


async def test_a_body_that_comes_slowly_but_steadily_is_waited_for(
    client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "BODY_SECONDS", 0.01)

    async def slowly() -> AsyncIterator[bytes]:
        yield b" " * 4096
        with suppress(TimeoutError):
            async with asyncio.timeout(5 * endpoints.BODY_SECONDS):
                await asyncio.Event().wait()
        yield VALID

    assert (await post(client_of(), slowly())).status_code == 201


async def test_an_incomplete_body_gets_no_response_and_stores_nothing(memory: SqliteStore) -> None:
    part = {"type": "http.request", "body": VALID, "more_body": True}
    assert await sent_after(create_app(memory, ["k"]), part, {"type": "http.disconnect"}) == []
    assert (await memory.list_pets(1)).pets == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9223372036854775807.000", INT64_MAXIMUM),
        ("-9223372036854775808", INT64_MINIMUM),
        ("1." + "0" * 100_000, 1),
    ],
    ids=["highest", "lowest", "long"],
)
async def test_a_whole_number_is_stored_exactly_however_it_is_written(
    service: httpx.AsyncClient, text: str, value: int
) -> None:
    response = await post(service, f'{{"name": "Rex", "categoryId": {text}}}')
    assert response.status_code == 201, response.text
    assert response.json() == {"id": 1, "name": "Rex", "categoryId": value}
    assert (await service.get("/v1/pets/1")).json() == response.json()


@pytest.mark.parametrize("name", ["", "\0", "e\u0301", "🐹", '"\\/'])
async def test_a_name_is_returned_byte_for_byte(service: httpx.AsyncClient, name: str) -> None:
    response = await post(service, json.dumps({"name": name, "categoryId": 1}))
    assert response.status_code == 201
    assert response.json()["name"] == name
    assert (await service.get("/v1/pets/1")).json()["name"] == name
    assert (await service.get("/v1/pets")).json()[0]["name"] == name


@pytest.mark.parametrize("extra", ['"id": 99', r'"x": "\ud800"', '"x": {"name": 1, "name": 2}'])
async def test_unknown_fields_and_an_id_are_ignored(service: httpx.AsyncClient, extra: str) -> None:
    response = await post(service, f'{{"name": "Rex", "categoryId": 1, {extra}}}')
    assert response.status_code == 201, response.text
    assert response.json() == {"id": 1, "name": "Rex", "categoryId": 1}


@given(st.binary())
def test_no_body_breaks_the_reader(body: bytes) -> None:
    with suppress(ServiceError):
        read_new_pet(body)
