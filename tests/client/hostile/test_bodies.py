"""Any body: a result, or one clear line; under another status than success that counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.client import ErrorBodyError, NoErrorBodyError, UnreadableAnswerError, UnreadablePet
from pettui.models.pets import NewPet, PetStatus
from pettui.settings.settings import Limits
from tests.client.hostile.checks import TINY, failure_of
from tests.client.hostile.server import PAGE, PET, REX, http, raw
from tests.exhaustive import product

if TYPE_CHECKING:
    from pettui.client import PetClient
    from tests.client.conftest import Answered
    from tests.client.hostile.server import HostileServer, Step

NEW_REX = NewPet(name="Rex", category_id=3)

# What is no list → what is said of it.
NO_LISTS: dict[bytes, str] = {
    b"": "an empty body",
    b" ": "it is blank",
    b"<!doctype html><title>Sign in</title>": "it is not JSON",
    REX[:20].encode(): "it ends in the middle, after 20 characters",
    b'{"name": "\\u00': "it is damaged at character",
    b"{'id': 7}": "it is damaged at character 2",
    b"[][]": "something follows its end, after 2 characters",
    '{"name": "Ré"}'.encode("latin-1"): "it is not UTF-8: byte 0xE9 at place 11",
    b"[" * 100_000: "nested deeper than 64",
    b"9" * 401: "a number of more than 400 digits",
    b"[0." + b"1" * 5_000 + b"]": "more than 400 digits",
    b"[" + b"," * 1_000_000 + b"]": "more than 30000 values",
    b"null": "got null",
    b"false": "got false",
    b"NaN": "got a number",
    b'"[]"': "got a text",
    b'{"code": "gone_away", "message": "Back at noon", "status": 503}': (
        "expected a list, got an object: gone_away: Back at noon"
    ),
    b"[1,]": "expected JSON",
    b"[1 2]": "expected JSON",
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
MANY_DIGITS = Limits(tries=0, digits=10_000)
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
    assert error.status == 200
    assert said in error.reason
    assert error.excerpt == body[:1600].decode("utf-8", "replace")[:400]
    assert not error.maybe_sent


@pytest.mark.parametrize(("body", "said"), NO_PETS.items(), ids=shortened)
async def test_a_body_that_is_no_animal_is_refused(
    body: bytes, said: str, answered: Answered
) -> None:
    error = await failure_of(answered(http(200, body)).get_pet(7))
    assert isinstance(error, UnreadableAnswerError)
    assert said in error.reason
    assert [notice.operation for notice in error.notices] == ["getPet"]


@pytest.mark.parametrize(("body", "said"), NO_PETS.items(), ids=shortened)
async def test_one_bad_row_among_twenty_costs_itself_alone(
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
    assert said in bad.reason


async def test_of_a_long_bad_row_the_beginning_is_shown(answered: Answered) -> None:
    (bad,) = (await answered(http(200, f'["{"x" * 500}"]')).list_pets()).rows
    assert bad == UnreadablePet(0, "expected an object, got a text", f'"{"x" * 399}')


@pytest.mark.parametrize("status", [201, 204])
@pytest.mark.parametrize("body", ["", "<html>", "[]"])
async def test_an_add_whose_response_cannot_be_read_may_have_been_made(
    status: int, body: str, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(http(status, "" if status == 204 else body, close=True))
    error = await failure_of(client.create_pet(NEW_REX))
    assert isinstance(error, UnreadableAnswerError)
    assert error.maybe_sent
    assert server.adds == 1


@pytest.mark.parametrize("content_type", [None, "text/plain; charset=utf-16", ";;;"])
async def test_json_is_read_whatever_the_content_type_claims(
    content_type: str | None, answered: Answered
) -> None:
    assert (await answered(http(200, REX, content_type=content_type)).get_pet(7)).pet.name == "Rex"


async def test_a_byte_order_mark_is_passed_over(answered: Answered) -> None:
    page = await answered(http(200, b"\xef\xbb\xbf" + PAGE.encode())).list_pets()
    assert len(page.pets) == 1


async def test_a_control_character_that_was_not_escaped_costs_no_list(answered: Answered) -> None:
    body = b'{"id": 7, "name": "Re\x1b[2Jx\n", "categoryId": 3}'
    assert (await answered(http(200, body)).get_pet(7)).pet.name == "Re\x1b[2Jx\n"


async def test_another_success_than_the_stated_one_is_remarked_upon(answered: Answered) -> None:
    client = answered(http(203, PAGE), http(200, REX))
    assert (await client.list_pets()).remarks == ("the service answered 203 instead of 200",)
    answer = await client.create_pet(NEW_REX)
    assert answer.remarks == ("the service answered 200 instead of 201",)


async def test_another_animal_than_the_requested_one_is_an_error(answered: Answered) -> None:
    assert "requested animal 8, got 7" in str(await failure_of(answered(http(200, REX)).get_pet(8)))


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (TINY, "name"),
        (NewPet(name="Rex", category_id=4), "categoryId"),
        (NewPet(name="Rex", category_id=3, status=PetStatus.SOLD), "status"),
    ],
)
async def test_an_animal_that_was_kept_differently_is_remarked_upon(
    sent: NewPet, field: str, answered: Answered
) -> None:
    answer = await answered(http(201, REX)).create_pet(sent)
    assert answer.remarks == (f"the service stored another {field} than was sent",)
    assert answer.pet.id == PET["id"]


async def test_a_number_that_python_does_not_read_is_reported_whatever_the_limit(
    answered: Answered,
) -> None:
    client = answered(http(200, "9" * 5_000), limits=MANY_DIGITS)
    assert "a number of more than 4300 digits" in str(await failure_of(client.list_pets()))


async def test_a_number_within_a_higher_limit_is_read(answered: Answered) -> None:
    body = REX.replace("}", f', "much": {"9" * 4_000}}}')
    answer = await answered(http(200, body), limits=MANY_DIGITS).get_pet(7)
    assert str(answer.pet.others["much"]) == "9" * 4_000


@pytest.mark.parametrize(
    ("body", "remark"),
    [
        (pets(*[{}] * 35), "the service sent 35 animals instead of at most 20, and all are used"),
        (pets({"id": 5}, {"id": 6}, {"id": 5}), "id 5 occurs more than once"),
        (pets({}, {}, {"id": 0}, {"id": 1}), "id 0 occurs more than once, and others"),
        (
            pets({"status": "sold"}, {}, {"status": None}, {"status": "new"}),
            "3 of another status than available",
        ),
    ],
)
async def test_what_is_odd_about_a_list_is_pointed_out(
    body: str, remark: str, answered: Answered
) -> None:
    page = await answered(http(200, body)).list_pets(limit=20, status=PetStatus.AVAILABLE)
    assert [pet.status for pet in page.pets] == [pet["status"] for pet in json.loads(body)]
    assert page.remarks == (remark,)


async def test_a_list_of_text_ids_is_said_as_that_once_with_what_still_works(
    answered: Answered,
) -> None:
    body = json.dumps([{"id": f"{number}f", "name": "Rex", "categoryId": 1} for number in range(3)])
    page = await answered(http(200, body)).list_pets(limit=2)
    none = "none of 3 rows is an animal (id: must be a whole number, and is text)"
    works = "adds are sent all the same, and are unknown if they are answered like that"
    assert page.remarks == (
        "the service sent 3 animals instead of at most 2",
        f"{none}; {works}",
    )


async def test_rows_beyond_the_limit_are_counted_and_not_kept(answered: Answered) -> None:
    page = await answered(http(200, pets(*[{}] * 500)), limits=Limits(rows=50)).list_pets(limit=20)
    assert len(page.pets) == 50
    assert page.remarks == (
        "the service sent 500 animals instead of at most 20; the first 50 are shown",
    )


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


async def test_an_empty_list_is_a_page(answered: Answered) -> None:
    page = await answered(http(200, " [ ] ")).list_pets()
    assert (page.rows, page.remarks) == ((), ())


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


async def test_a_status_that_has_no_body_is_reported(answered: Answered) -> None:
    error = await failure_of(answered(http(304, close=True)).list_pets())
    assert str(error) == "304 from the service, no Error body: an empty body"


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
    ("status", "said"),
    [
        (429, "429 too many requests: the service, or a proxy before it, asks to wait"),
        (503, "503 unavailable: the service, or a proxy before it, is away or has no room"),
    ],
)
async def test_what_a_proxy_answers_for_a_service_is_said_as_what_it_is(
    status: int, said: str, answered: Answered
) -> None:
    once = Limits(tries=0)
    error = await failure_of(
        answered(http(status, b"<p>no", content_type=HTML), limits=once).list_pets()
    )
    assert str(error) == f"{said} (text/html, 5 bytes)"


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


async def test_a_refusal_that_claims_to_be_json_is_reported_with_what_is_wrong_with_it(
    answered: Answered,
) -> None:
    error = await failure_of(answered(http(502, "<p>no", content_type=PROBLEM)).list_pets())
    assert f"{PROBLEM}, 5 bytes, but not JSON: " in str(error)


async def test_an_error_body_of_a_megabyte_is_an_error_body(answered: Answered) -> None:
    body = json.dumps({"code": "c" * 500_000, "message": "m" * 500_000, "status": 500})
    error = await failure_of(answered(http(500, body)).list_pets())
    assert isinstance(error, ErrorBodyError)
    assert len(error.body.message) == 500_000


async def test_a_long_content_type_is_cut(answered: Answered) -> None:
    step = http(500, "no", content_type="text/" + "x" * 50_000)
    assert len(str(await failure_of(answered(step).list_pets()))) < 200


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
