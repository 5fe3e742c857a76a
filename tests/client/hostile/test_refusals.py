"""Any body under any other status: the status counts, and one line says what came."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.client import ErrorBodyError, NoErrorBodyError
from pettui.models import NewPet
from tests.client.hostile.bodies import NO_JSON
from tests.client.hostile.checks import failure_of
from tests.client.hostile.refusals import (
    ADDS,
    BODIES_OF_ADDS,
    CLAIMS,
    ERROR_BODY,
    OTHER_ERRORS,
    STATUSES,
)
from tests.client.hostile.server import http, raw
from tests.exhaustive import product

if TYPE_CHECKING:
    from tests.client.conftest import ClientOf, Serve

TINY = NewPet(name="Tiny", category_id=3)


@pytest.mark.parametrize("status", STATUSES)
async def test_an_error_body_is_reported_word_for_word_under_any_status(
    status: int, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(status, "" if status == 304 else ERROR_BODY, close=True))
    error = await failure_of(client_of(server).list_pets())
    assert error.status == status
    if status == 304:
        assert isinstance(error, NoErrorBodyError)
        return
    assert isinstance(error, ErrorBodyError)
    assert str(error) == f"{status} no_way: Not \u2028 now"
    assert error.body.status == 200
    assert error.body.others == {"hint": [1]}


@pytest.mark.parametrize("name", CLAIMS)
async def test_the_http_status_stands_where_the_error_body_states_no_number(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    body = json.dumps({"code": "unauthorized", "message": "No key", "status": CLAIMS[name]})
    error = await failure_of(client_of(await serve(http(401, body))).list_pets())
    assert isinstance(error, ErrorBodyError)
    assert (error.status, error.body.status) == (401, 401)


async def test_the_error_bodys_status_may_be_missing(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(http(401, '{"code": "unauthorized", "message": "No key"}'))
    assert isinstance(await failure_of(client_of(server).list_pets()), ErrorBodyError)


@pytest.mark.parametrize("name", OTHER_ERRORS)
async def test_another_kind_of_error_is_reported_in_its_own_words(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    body, said = OTHER_ERRORS[name]
    server = await serve(http(403, json.dumps(body), content_type="application/problem+json"))
    error = await failure_of(client_of(server).list_pets())
    assert isinstance(error, NoErrorBodyError)
    size = len(json.dumps(body))
    assert error.content == f"application/problem+json, {size} bytes: {said}"


@pytest.mark.parametrize(
    ("name", "status"), [("nothing at all", 502), ("a web page", 400), ("bytes of any kind", 502)]
)
async def test_a_refusal_that_is_no_json_is_reported_by_its_kind_and_size(
    name: str, status: int, serve: Serve, client_of: ClientOf
) -> None:
    body, _ = NO_JSON[name]
    error = await failure_of(
        client_of(await serve(http(status, body, content_type="text/html"))).create_pet(TINY)
    )
    assert isinstance(error, NoErrorBodyError)
    assert error.status == status
    assert error.content.startswith("text/html, " if body else "an empty body")
    assert error.excerpt == body[:1600].decode("utf-8", "replace")[:400]


async def test_an_error_body_of_a_megabyte_is_an_error_body(
    serve: Serve, client_of: ClientOf
) -> None:
    body = json.dumps({"code": "c" * 500_000, "message": "m" * 500_000, "status": 500})
    error = await failure_of(client_of(await serve(http(500, body))).list_pets())
    assert isinstance(error, ErrorBodyError)
    assert len(error.body.message) == 500_000


async def test_a_refusal_of_many_megabytes_keeps_its_status(
    serve: Serve, client_of: ClientOf
) -> None:
    error = await failure_of(client_of(await serve(http(401, b"x" * 5_000_000))).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.status == 401
    assert error.content == "application/json, more than 2.0 MB"


async def test_a_refusal_that_is_cut_keeps_its_status(serve: Serve, client_of: ClientOf) -> None:
    head = b"HTTP/1.1 401 No\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n"
    error = await failure_of(client_of(await serve(raw(head + b"<p>"))).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.status == 401
    assert error.content == "text/html, the connection was closed in the middle of the response"
    assert error.excerpt == "<p>"


async def test_a_long_content_type_is_cut(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(http(500, "no", content_type="text/" + "x" * 50_000))
    assert len(str(await failure_of(client_of(server).list_pets()))) < 200


@pytest.mark.parametrize(("case", "name"), product(ADDS, [*BODIES_OF_ADDS]))
async def test_an_add_is_open_unless_the_service_says_that_the_request_was_wrong(
    case: tuple[int, bool], name: str, serve: Serve, client_of: ClientOf
) -> None:
    (status, maybe), body = case, BODIES_OF_ADDS[name]
    server = await serve(http(status, body, [("Location", "/v1/elsewhere")]))
    error = await failure_of(client_of(server).create_pet(TINY))
    assert error.maybe_sent is maybe
    assert server.adds == len(server.seen) == 1


@pytest.mark.parametrize("status", [400, 500])
async def test_a_read_that_failed_added_nothing(
    status: int, serve: Serve, client_of: ClientOf
) -> None:
    error = await failure_of(client_of(await serve(http(status, "no"))).get_pet(1))
    assert not error.maybe_sent
