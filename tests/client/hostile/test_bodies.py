"""Any body: a result, or one clear line; under another status than success that counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.client import (
    ErrorBodyError,
    NoErrorBodyError,
    PetPage,
    UnreadableAnswerError,
    UnreadablePet,
)
from pettui.models.pets import PetStatus
from pettui.settings.settings import Limits
from tests.animals import NEW_REX, a_new_pet
from tests.client.hostile.checks import TINY, failure_of
from tests.client.hostile.server import PAGE, PET, REX, HostileServer, Step, http, raw
from tests.exhaustive import product

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.client import PetAnswer, PetClient
    from tests.client.conftest import Answered


# What is no list → what is said of it.
NO_LISTS: dict[bytes, str] = {
    b"": "an empty body",
    b"<!doctype html><title>Sign in</title>": "it is not JSON",
    REX[:20].encode(): "it ends in the middle, after 20 characters",
    b'{"name": "\\u00': "it is damaged at character",
    b"{'id': 7}": "it is damaged at character 2",
    b"[][]": "something follows its end, after 2 characters",
    '{"name": "Ré"}'.encode("latin-1"): "it is not UTF-8: byte 0xE9 at place 11",
    b"[" * 100_000: "nested deeper than 64",
    b"9" * 401: "a number of more than 400 digits",
    b"[" + b"," * 1_000_000 + b"]": "more than 30000 values",
    b"null": "got null",
    b"NaN": "got a number",
    b'"[]"': "got a text",
    b'{"code": "gone_away", "message": "Back at noon", "status": 503}': (
        "expected a list, got an object: gone_away: Back at noon"
    ),
    b"[1": "expected JSON",
}
# What is no animal → what is said of it.
NO_PETS: dict[bytes, str] = {
    b"null": "expected an object, got null",
    b"[]": "expected an object, got a list",
    b'{"id": 7, "name": "Rex"}': "categoryId is missing",
    b'{"id": "7", "name": "Rex", "categoryId": 3}': "id: must be a whole number",
    b'{"id": 9223372036854775808, "name": "R", "categoryId": 3}': "id: this number is too large",
    b'{"id": 7, "id": 8, "name": "R", "categoryId": 3}': "id occurs more than once",
    b'{"id": 7, "name": "\\ud800", "categoryId": 3}': "it contains an incomplete character",
    b'{"code": "no", "message": "no", "status": 400}': "id is missing",
}
BAD_INDEX = 13  # of twenty, from 0


def shortened(value: object) -> str | None:
    return repr(value[:40]) if isinstance(value, bytes) else None


def pets(*changes: dict[str, object]) -> str:
    """Return a list of animals, each with what is different about it; their ids are their indexes."""
    return json.dumps([{**PET, "id": place, **change} for place, change in enumerate(changes)])


@pytest.mark.parametrize(("body", "said"), NO_LISTS.items(), ids=shortened)
async def test_a_body_that_is_no_list_is_refused(
    body: bytes, said: str, answered: Answered
) -> None:
    error = await failure_of(answered(http(200, body)).list_pets())
    assert isinstance(error, UnreadableAnswerError)
    assert said in error.reason
    assert error.excerpt == body[:1600].decode("utf-8", "replace")[:400]
    assert (error.status, error.maybe_sent) == (200, False)


@pytest.mark.parametrize(("body", "said"), NO_PETS.items(), ids=shortened)
async def test_what_is_no_animal_is_refused_and_costs_itself_alone_among_twenty(
    body: bytes, said: str, answered: Answered
) -> None:
    rows = [REX.replace("7", str(100 + place)).encode() for place in range(19)]
    rows.insert(BAD_INDEX, body)
    page = await answered(http(200, b"[" + b" ,\n".join(rows) + b"]")).list_pets()
    bad = page.rows[BAD_INDEX]
    assert isinstance(bad, UnreadablePet)
    assert page.pets == (*page.rows[:BAD_INDEX], *page.rows[BAD_INDEX + 1 :])
    assert [pet.id for pet in page.pets] == [100 + place for place in range(19)]
    assert (bad.index, bad.excerpt) == (BAD_INDEX, body.decode())
    error = await failure_of(answered(http(200, body)).get_pet(7))
    assert isinstance(error, UnreadableAnswerError)
    assert said in bad.reason
    assert said in error.reason
    assert [notice.operation for notice in error.notices] == ["getPet"]


@pytest.mark.parametrize(
    ("maximum", "sizes", "kept"),
    [
        (50, (20, 20, 20), (20, 20, 10)),
        (40, (20, 20, 20), (20, 20)),  # the third page is not even asked for
        (40, (20, 20), (20, 20)),
        (1, (20, 20), (1,)),
    ],
)
async def test_the_rows_of_all_pages_of_a_list_are_bounded(
    maximum: int, sizes: tuple[int, ...], kept: tuple[int, ...], answered: Answered
) -> None:
    """The last page is cut where it must be, and what is not loaded is said on it."""
    *steps, _ = (
        http(200, pets(*[{}] * size), [("Link", f"<?page={number}>; rel=next")])
        for number, size in enumerate(sizes)
    )
    last = http(200, pets(*[{}] * sizes[-1]))
    client = answered(*steps, last, limits=Limits(tries=0, rows=maximum))
    walked = [await client.list_pets(limit=20)]
    while walked[-1].next_link is not None:
        walked.append(await client.list_next_pets(walked[-1]))
    assert tuple(len(page.rows) for page in walked) == kept
    is_cut = sum(kept) < sum(sizes)
    rest = f"more than {maximum} animals in this list: the rest is not loaded"
    assert walked[-1].remarks == ((rest,) if is_cut else ())
    assert [page.is_cut for page in walked] == [*[False] * (len(walked) - 1), is_cut]


CALLS: dict[str, Callable[[PetClient], Awaitable[PetPage | PetAnswer]]] = {
    "list": lambda client: client.list_pets(limit=20, status=PetStatus.AVAILABLE),
    "few": lambda client: client.list_pets(limit=2),
    "all": lambda client: client.list_pets(),
    "get": lambda client: client.get_pet(7),
    "add Rex": lambda client: client.create_pet(NEW_REX),
    "add Tiny": lambda client: client.create_pet(TINY),
    "add a cat": lambda client: client.create_pet(a_new_pet(category=4)),
    "add a sold one": lambda client: client.create_pet(a_new_pet(status=PetStatus.SOLD)),
}
NO_ANIMALS = json.dumps([{"id": f"{n}f", "name": "Rex", "categoryId": 1} for n in range(3)])
MUCH = REX.replace("}", f', "much": {"9" * 4_000}}}')
MIXED = pets({"status": "sold"}, {}, {"status": None}, {"status": "new"})
# What is odd about a response that can be used: the call, the response, how many animals, remarks.
ODD: dict[str, tuple[str, Step, int, tuple[str, ...]]] = {
    **{
        f"the content type {kind}": ("get", http(200, REX, content_type=kind), 1, ())
        for kind in (None, "text/plain; charset=utf-16", ";;;")
    },
    "a byte order mark": ("all", http(200, b"\xef\xbb\xbf" + PAGE.encode()), 1, ()),
    "control characters": ("get", http(200, REX.replace("Rex", "R\x1b[2Jx\n")), 1, ()),
    "an empty list": ("all", http(200, " [ ] "), 0, ()),
    "203": ("all", http(203, PAGE), 1, ("the service answered 203 instead of 200",)),
    "200": ("add Rex", http(200, REX), 1, ("the service answered 200 instead of 201",)),
    "name": ("add Tiny", http(201, REX), 1, ("the service stored another name than was sent",)),
    "categoryId": (
        "add a cat", http(201, REX), 1, ("the service stored another categoryId than was sent",)
    ),
    "status": (
        "add a sold one", http(201, REX), 1, ("the service stored another status than was sent",)
    ),
    "more than asked for": (
        "list", http(200, pets(*[{}] * 35)), 35,
        ("the service sent 35 animals instead of at most 20, and all are used",),
    ),
    "more than are kept": (
        "list", http(200, pets(*[{}] * 500)), 50,
        ("the service sent 500 animals instead of at most 20; the first 50 are shown",),
    ),
    "an id twice": (
        "list", http(200, pets({"id": 5}, {"id": 6}, {"id": 5})), 3, ("id 5 occurs more than once",)
    ),
    "ids twice": (
        "list", http(200, pets({}, {}, {"id": 0}, {"id": 1})), 4,
        ("id 0 occurs more than once, and others",),
    ),
    "other statuses": ("list", http(200, MIXED), 4, ("3 of another status than available",)),
    "ids of text": (
        "few", http(200, NO_ANIMALS), 0,
        (
            "the service sent 3 animals instead of at most 2",
            ("none of 3 rows is an animal (id: must be a whole number, and is text); adds are sent"
            " all the same, and are unknown if they are answered like that"),
        ),
    ),
    "many digits": ("get", http(200, MUCH), 1, ()),
}  # fmt: skip


@pytest.mark.parametrize(("call", "step", "count", "remarks"), ODD.values(), ids=ODD)
async def test_what_is_odd_is_used_and_pointed_out(
    call: str, step: Step, count: int, remarks: tuple[str, ...], answered: Answered
) -> None:
    limits = Limits(tries=0, rows=50, digits=4_300)
    answer = await CALLS[call](answered(step, limits=limits))
    assert answer.remarks == remarks
    assert len(answer.pets if isinstance(answer, PetPage) else (answer.pet,)) == count


LONG_ERROR = json.dumps({"code": "c" * 500_000, "message": "m" * 500_000, "status": 500})
PAGE_OF_PROXY = http(429, b"<p>no", content_type="text/html")
# What failed: the call, the response, and what is said of it, whole or at its end.
FAILED: dict[str, tuple[str, Step, str]] = {
    "another animal": ("get", http(200, REX.replace("7", "8")), "requested animal 7, got 8"),
    "more digits than Python reads": (
        "all", http(200, "9" * 5_000), "a number of more than 4300 digits"
    ),
    "304": ("all", http(304, close=True), "304 from the service, no Error body: an empty body"),
    "429": (
        "all", PAGE_OF_PROXY,
        "429 too many requests: the service, or a proxy before it, asks to wait (text/html, 5 bytes)",
    ),
    "503": (
        "all", http(503, b"", content_type="text/html"),
        "503 unavailable: the service, or a proxy before it, is away or has no room (an empty body)",
    ),
    "a megabyte": ("all", http(500, LONG_ERROR), f"500 {'c' * 500_000}: {'m' * 500_000}"),
    "a long content type": (
        "all", http(500, "no", content_type="text/" + "x" * 50_000),
        f"text/{'x' * 75}, 2 bytes",
    ),
    "no JSON": (
        "all", http(502, "<p>no", content_type="application/problem+json"),
        "application/problem+json, 5 bytes, but not JSON: it is not JSON",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "step", "said"), FAILED.values(), ids=FAILED)
async def test_a_response_that_is_none_is_said_in_one_line(
    call: str, step: Step, said: str, answered: Answered
) -> None:
    client = answered(step, limits=Limits(tries=0, digits=10_000))
    error = await failure_of(CALLS[call](client))
    assert str(error).endswith(said)
    assert not error.maybe_sent


ERROR_BODY = '{"code": "no_way", "message": "Not \\u2028 now", "status": 200, "hint": [1]}'
PROBLEM = "application/problem+json"
HTML = "text/html"

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


@pytest.mark.parametrize("claim", [{}, {"status": None}, {"status": "401"}, {"status": 10**30}])
async def test_the_http_status_stands_where_the_error_body_states_no_number(
    claim: dict[str, object], answered: Answered
) -> None:
    body = json.dumps({"code": "unauthorized", "message": "No key", **claim})
    error = await failure_of(answered(http(401, body)).list_pets())
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
    ("step", "content", "excerpt"),
    [
        (http(401, b"", content_type=HTML), "an empty body", ""),
        (http(401, b"<p>no", content_type=HTML), "text/html, 5 bytes", "<p>no"),
        (http(401, b"\xff" * 2000, content_type=HTML), "text/html, 2.0 kB", "\ufffd" * 400),
        (http(401, "é" * 600, content_type=HTML), "text/html, 1.2 kB", "é" * 400),
        (http(401, b"x" * 5_000_000), "application/json, more than 2.0 MB", "x" * 400),
        (
            raw(b"HTTP/1.1 401 No\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>"),
            "text/html, the connection was closed in the middle of the response",
            "<p>",
        ),
    ],
    ids=["empty", "a page", "other bytes", "beyond ASCII", "many megabytes", "cut"],
)
async def test_a_refusal_that_is_no_json_is_reported_by_its_kind_and_size(
    step: Step, content: str, excerpt: str, answered: Answered
) -> None:
    error = await failure_of(answered(step).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert (error.status, error.content, error.excerpt) == (401, content, excerpt)


@pytest.mark.parametrize(("case", "body"), product(ADDS, [ERROR_BODY, "<html>", ""]))
async def test_an_add_is_open_unless_the_service_says_that_the_request_was_wrong(
    case: tuple[int, bool], body: str, server: HostileServer, client: PetClient
) -> None:
    status, maybe = case
    server.turn_to(http(status, body, [("Location", "/v1/elsewhere")]))
    error = await failure_of(client.create_pet(TINY))
    assert error.maybe_sent is maybe
    assert server.adds == len(server.seen) == 1
