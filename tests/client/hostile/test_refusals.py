"""Any body under any other status: the status counts, and one line says what came."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.client import ErrorBodyError, NoErrorBodyError
from pettui.models import NewPet
from tests.client.hostile.bodies import NO_JSON
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import http, raw

if TYPE_CHECKING:
    from tests.client.conftest import Ask, Serve

TINY = NewPet(name="Tiny", category_id=3)
STATUSES = [
    *(
        300,
        304,
        305,
        306,
        399,
        400,
        401,
        402,
        403,
        404,
        405,
        406,
        407,
        408,
        409,
        410,
        411,
        413,
        414,
    ),
    *(
        415,
        417,
        418,
        421,
        422,
        423,
        425,
        426,
        428,
        429,
        431,
        451,
        498,
        499,
        500,
        501,
        502,
        503,
        504,
    ),
    *(505, 507, 508, 511, 520, 521, 522, 523, 524, 525, 530, 599, 600, 799, 999),
]
OTHER_ERRORS = {
    "RFC 9457": ({"type": "about:blank", "title": "Out of stock", "status": 403}, "Out of stock"),
    "RFC 9457, detailed": ({"title": "No", "detail": "Out of\nstock"}, "Out of\nstock"),
    "FastAPI": ({"detail": "Not authenticated"}, "Not authenticated"),
    "FastAPI's list": (
        {"detail": [{"loc": ["body", "name"], "msg": "field required", "type": "missing"}]},
        "body.name: field required",
    ),
    "FastAPI's list, odd": ({"detail": [{"loc": 5, "msg": "no"}]}, "no"),
    "FastAPI's list, empty": ({"detail": []}, "code is missing"),
    "FastAPI's list of null": ({"detail": [None]}, "code is missing"),
    "a bare message": ({"message": "Forbidden"}, "Forbidden"),
    "a bare error": ({"error": "invalid_token"}, "invalid_token"),
    "an error that is an object": ({"error": {"message": "no"}}, "code is missing"),
    "nothing of use": ({}, "code is missing"),
    "a code that is a number": ({"code": 7, "message": "no", "status": 400}, "no"),
    "a message that is null": ({"code": "c", "message": None}, "message: must be text"),
    "a message that is a list": ({"code": "c", "message": ["no"]}, "message: must be text"),
    "a list": ([{"code": "c", "message": "m"}], "an object was expected, a list came"),
    "null": (None, "an object was expected, null came"),
    "a text": ("no", "an object was expected, a text came"),
    "a number": (404, "an object was expected, a number came"),
}


@pytest.mark.parametrize("status", STATUSES)
async def test_an_error_body_is_told_word_for_word_under_any_status(
    status: int, serve: Serve, client_of: Ask
) -> None:
    body = '{"code": "no_way", "message": "Not \\u2028 now", "status": 200, "hint": [1]}'
    server = await serve(http(status, "" if status == 304 else body, close=True))
    error = await failure_of(client_of(server).list_pets())
    assert error.status == status
    if status == 304:
        assert isinstance(error, NoErrorBodyError)
        return
    assert isinstance(error, ErrorBodyError)
    assert str(error) == f"{status} no_way: Not \u2028 now"
    assert error.body.status == 200
    assert error.body.model_extra == {"hint": [1]}


@pytest.mark.parametrize(
    "claim", [None, "401", "", [], {}, True, 1.5, 10**30, -(10**30), "x" * 999]
)
async def test_the_http_status_stands_where_the_error_body_states_no_number(
    claim: object, serve: Serve, client_of: Ask
) -> None:
    body = json.dumps({"code": "unauthorized", "message": "No key", "status": claim})
    error = await failure_of(client_of(await serve(http(401, body))).list_pets())
    assert isinstance(error, ErrorBodyError)
    assert (error.status, error.body.status) == (401, 401)


async def test_the_error_bodys_status_may_be_missing(serve: Serve, client_of: Ask) -> None:
    server = await serve(http(401, '{"code": "unauthorized", "message": "No key"}'))
    assert isinstance(await failure_of(client_of(server).list_pets()), ErrorBodyError)


@pytest.mark.parametrize("name", OTHER_ERRORS)
async def test_another_kind_of_error_is_told_in_its_own_words(
    name: str, serve: Serve, client_of: Ask
) -> None:
    body, said = OTHER_ERRORS[name]
    server = await serve(http(403, json.dumps(body), content_type="application/problem+json"))
    error = await failure_of(client_of(server).list_pets())
    assert isinstance(error, NoErrorBodyError)
    size = len(json.dumps(body))
    assert error.came == f"application/problem+json, {size} bytes: {said}"


@pytest.mark.parametrize("name", NO_JSON)
@pytest.mark.parametrize("status", [400, 502])
async def test_a_refusal_that_is_no_json_is_told_by_its_kind_and_size(
    name: str, status: int, serve: Serve, client_of: Ask
) -> None:
    body, _ = NO_JSON[name]
    error = await failure_of(
        client_of(await serve(http(status, body, content_type="text/html"))).create_pet(TINY)
    )
    assert isinstance(error, NoErrorBodyError)
    assert error.status == status
    assert error.came.startswith("text/html, " if body else "an empty body")
    assert error.beginning == body[:1600].decode("utf-8", "replace")[:400]


async def test_an_error_body_of_a_megabyte_is_an_error_body(serve: Serve, client_of: Ask) -> None:
    body = json.dumps({"code": "c" * 500_000, "message": "m" * 500_000, "status": 500})
    error = await failure_of(client_of(await serve(http(500, body))).list_pets())
    assert isinstance(error, ErrorBodyError)
    assert len(error.body.message) == 500_000


async def test_a_refusal_of_many_megabytes_keeps_its_status(serve: Serve, client_of: Ask) -> None:
    error = await failure_of(client_of(await serve(http(401, b"x" * 5_000_000))).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.status == 401
    assert error.came == "application/json, more than 2.0 MB"


async def test_a_refusal_that_is_cut_keeps_its_status(serve: Serve, client_of: Ask) -> None:
    head = b"HTTP/1.1 401 No\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n"
    error = await failure_of(client_of(await serve(raw(head + b"<p>"))).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.status == 401
    assert error.came == "text/html, the connection was closed in the middle of the answer"
    assert error.beginning == "<p>"


async def test_a_long_content_type_is_cut(serve: Serve, client_of: Ask) -> None:
    server = await serve(http(500, "no", content_type="text/" + "x" * 50_000))
    assert len(str(await failure_of(client_of(server).list_pets()))) < 200


@pytest.mark.parametrize(
    ("status", "maybe"),
    [(400, False), (401, False), (404, False), (413, False), (422, False), (429, False)]
    + [(status, True) for status in (300, 301, 302, 303, 307, 308, 500, 501, 502, 503, 504, 999)],
)
@pytest.mark.parametrize("body", ['{"code": "c", "message": "m", "status": 1}', "<html>", ""])
async def test_an_add_is_open_unless_the_service_says_that_the_request_was_wrong(
    status: int, maybe: bool, body: str, serve: Serve, client_of: Ask
) -> None:
    server = await serve(http(status, body, [("Location", "/v1/elsewhere")]))
    error = await failure_of(client_of(server).create_pet(TINY))
    assert error.maybe_sent is maybe
    assert server.adds == len(server.seen) == 1


@pytest.mark.parametrize("status", [400, 500])
async def test_a_read_that_failed_added_nothing(status: int, serve: Serve, client_of: Ask) -> None:
    error = await failure_of(client_of(await serve(http(status, "no"))).get_pet(1))
    assert not error.maybe_sent
