"""Any body under any other status: the status counts, and one line says what came."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.client import ErrorBodyError, NoErrorBodyError
from pettui.models import NewPet
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import http, raw
from tests.exhaustive import product

if TYPE_CHECKING:
    from pettui.client import PetClient
    from tests.client.conftest import Answered
    from tests.client.hostile.server import HostileServer

TINY = NewPet(name="Tiny", category_id=3)
ERROR_BODY = '{"code": "no_way", "message": "Not \\u2028 now", "status": 200, "hint": [1]}'
PROBLEM = "application/problem+json"

# What another service sends in place of the Error body, and what is said of it.
OTHER_ERRORS: tuple[tuple[object, str], ...] = (
    ({"type": "about:blank", "title": "Out of stock", "status": 403}, "Out of stock"),
    ({"title": "No", "detail": "Out of\nstock"}, "Out of\nstock"),
    ({"detail": [{"loc": ["body", "name"], "msg": "field required"}]}, "body.name: field required"),
    ({"detail": [{"loc": 5, "msg": "no"}]}, "no"),
    ({"detail": []}, "code is missing"),
    ({"message": "Forbidden"}, "Forbidden"),
    ({"error": "x" * 400}, "x" * 300),
    ({"code": 7, "message": "no", "status": 400}, "no"),
    ({"code": "c", "message": None}, "message: must be text"),
    ([{"code": "c", "message": "m"}], "expected an object, got a list"),
    (None, "expected an object, got null"),
)
# The answers to an add: the status, and whether it may have been made all the same.
ADDS = (
    *((status, False) for status in (400, 401, 422, 429, 499)),
    *((status, True) for status in (300, 302, 308, 399, 500, 503, 999)),
)


@pytest.mark.parametrize("status", [300, 399, 401, 404, 499, 500, 503, 999])
async def test_an_error_body_is_reported_word_for_word_under_any_status(
    status: int, answered: Answered
) -> None:
    error = await failure_of(answered(http(status, ERROR_BODY)).list_pets())
    assert isinstance(error, ErrorBodyError)
    assert str(error) == f"{status} no_way: Not \u2028 now"
    assert (error.status, error.body.status) == (status, 200)
    assert error.body.others == {"hint": [1]}


async def test_a_status_that_has_no_body_is_reported(answered: Answered) -> None:
    error = await failure_of(answered(http(304, close=True)).list_pets())
    assert str(error) == "304 from the service, no Error body: an empty body"


@pytest.mark.parametrize("claim", [{}, {"status": None}, {"status": "401"}, {"status": 10**30}])
async def test_the_http_status_stands_where_the_error_body_states_no_number(
    claim: dict[str, object], answered: Answered
) -> None:
    error = await failure_of(
        answered(
            http(401, json.dumps({"code": "unauthorized", "message": "No key", **claim}))
        ).list_pets()
    )
    assert isinstance(error, ErrorBodyError)
    assert (error.status, error.body.status) == (401, 401)


@pytest.mark.parametrize(("body", "said"), OTHER_ERRORS)
async def test_another_kind_of_error_is_reported_in_its_own_words(
    body: object, said: str, answered: Answered
) -> None:
    content = json.dumps(body)
    error = await failure_of(answered(http(403, content, content_type=PROBLEM)).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.content == f"{PROBLEM}, {len(content)} bytes: {said}"


@pytest.mark.parametrize(
    ("body", "content"),
    [
        (b"", "an empty body"),
        (b"<p>no", "text/html, 5 bytes"),
        (b"\xff" * 2000, "text/html, 2.0 kB"),
        ("é".encode() * 600, "text/html, 1.2 kB"),
    ],
)
async def test_a_refusal_that_is_no_json_is_reported_by_its_kind_and_size(
    body: bytes, content: str, answered: Answered
) -> None:
    error = await failure_of(answered(http(502, body, content_type="text/html")).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert (error.status, error.content) == (502, content)
    assert error.excerpt == body[:1600].decode("utf-8", "replace")[:400]


async def test_a_refusal_that_claims_to_be_json_is_reported_with_what_is_wrong_with_it(
    answered: Answered,
) -> None:
    assert f"{PROBLEM}, 5 bytes, but not JSON: " in str(
        await failure_of(answered(http(502, "<p>no", content_type=PROBLEM)).list_pets())
    )


async def test_an_error_body_of_a_megabyte_is_an_error_body(answered: Answered) -> None:
    body = json.dumps({"code": "c" * 500_000, "message": "m" * 500_000, "status": 500})
    error = await failure_of(answered(http(500, body)).list_pets())
    assert isinstance(error, ErrorBodyError)
    assert len(error.body.message) == 500_000


async def test_a_refusal_of_many_megabytes_keeps_its_status(answered: Answered) -> None:
    error = await failure_of(answered(http(401, b"x" * 5_000_000)).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert (error.status, error.content) == (401, "application/json, more than 2.0 MB")


async def test_a_refusal_that_is_cut_keeps_its_status(answered: Answered) -> None:
    head = b"HTTP/1.1 401 No\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n"
    error = await failure_of(answered(raw(head + b"<p>")).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.status == 401
    assert error.content == "text/html, the connection was closed in the middle of the response"
    assert error.excerpt == "<p>"


async def test_a_long_content_type_is_cut(answered: Answered) -> None:
    assert (
        len(
            str(
                await failure_of(
                    answered(http(500, "no", content_type="text/" + "x" * 50_000)).list_pets()
                )
            )
        )
        < 200
    )


@pytest.mark.parametrize(("case", "body"), product(ADDS, [ERROR_BODY, "<html>", ""]))
async def test_an_add_is_open_unless_the_service_says_that_the_request_was_wrong(
    case: tuple[int, bool], body: str, server: HostileServer, client: PetClient
) -> None:
    status, maybe = case
    server.turn_to(http(status, body, [("Location", "/v1/elsewhere")]))
    error = await failure_of(client.create_pet(TINY))
    assert error.maybe_sent is maybe
    assert server.adds == len(server.seen) == 1


async def test_a_read_that_failed_added_nothing(answered: Answered) -> None:
    assert not (await failure_of(answered(http(500, "no")).get_pet(1))).maybe_sent
