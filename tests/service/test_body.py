"""Which bodies are accepted: their type, size and speed."""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.service.app import create_app
from pettui.service.endpoints import BodyLimits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import ASGIApp, Message

    from pettui.service.stores.sqlite import SqliteStore
    from tests.service.conftest import ClientOf


VALID = b'{"name": "Rex", "categoryId": 1}'


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=UTF-8",
        "application/json; ; charset=utf-8;\t",
        'application/json; v="a;b\\"c"; charset="UTF\\-8"',
        f"application/json; v*{'9' * 5000}=1",  # once read as a number
    ],
)
async def test_json_in_utf_8_is_accepted(service: httpx.AsyncClient, content_type: str) -> None:
    headers = {"Content-Type": content_type, "Content-Encoding": "identity"}
    response = await service.post("/v1/pets", content=VALID, headers=headers)
    assert response.status_code == 201, response.text


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Content-Type", "text/plain")],
        [("Content-Type", "application/json; charset=latin-1")],
        [("Content-Type", "application/json; charset=utf-8; charset=latin-1")],
        [("Content-Type", 'application/json; v="')],
        [("Content-Type", 'application/json; v="' + ";" * 30_000)],  # once took 1.5 seconds
        [("Content-Type", "application/json" + "; " * 15_000 + "=")],
        [("Content-Type", "application/json"), ("Content-Type", "application/json")],
    ],
)
async def test_another_content_type_is_400(
    service: httpx.AsyncClient, headers: list[tuple[str, str]]
) -> None:
    fields = httpx.Headers(headers, encoding="latin-1")
    response = await service.post("/v1/pets", content=VALID, headers=fields)
    assert response.status_code == 400
    assert response.json()["message"].startswith("Content-Type must be")


@pytest.mark.parametrize("encoding", ["gzip", "identity, gzip"])
async def test_a_compressed_body_is_400(service: httpx.AsyncClient, encoding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    response = await service.post("/v1/pets", content=gzip.compress(VALID), headers=headers)
    assert response.status_code == 400
    assert response.json()["message"].startswith("Content-Encoding must be")


async def in_chunks(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 300):
        yield body[start : start + 300]


@pytest.mark.parametrize("part", [bytes, in_chunks], ids=["whole", "in chunks"])
@pytest.mark.parametrize(("size", "status"), [(1000, 201), (1001, 400)])
async def test_the_limit_is_the_largest_accepted_size(
    client_of: ClientOf,
    memory: SqliteStore,
    part: Callable[[bytes], bytes | AsyncIterator[bytes]],
    size: int,
    status: int,
) -> None:
    client = client_of(memory, limits=BodyLimits(size=1000))
    headers = {"Content-Type": "application/json"}
    response = await client.post("/v1/pets", content=part(VALID.ljust(size)), headers=headers)
    assert response.status_code == status
    assert status == 201 or response.json()["code"] == "body_too_large"


async def sent_after(app: ASGIApp, *received: Message) -> list[Message]:
    """Return what an app sends to an add of which no more comes than this."""
    left, sent = list(received), []

    async def receive() -> Message:
        return left.pop(0) if left else await asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"authorization", b"Bearer k"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/v1/pets", "query_string": b""}
    await app({**scope, "headers": headers}, receive, send)
    return sent


async def test_a_slow_body_is_400_and_stores_nothing(memory: SqliteStore) -> None:
    sent = await sent_after(create_app(memory, ["k"], limits=BodyLimits(seconds=0.01)))
    assert sent[0]["status"] == 400
    assert (b"connection", b"close") in sent[0]["headers"]
    assert (await memory.list_pets(1)).pets == ()


async def test_an_incomplete_body_gets_no_response_and_stores_nothing(memory: SqliteStore) -> None:
    part = {"type": "http.request", "body": VALID, "more_body": True}
    assert await sent_after(create_app(memory, ["k"]), part, {"type": "http.disconnect"}) == []
    assert (await memory.list_pets(1)).pets == ()
