"""Any body with a status of success: a result, or one clear line; an odd row costs itself alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.client import UnreadableAnswerError, UnreadablePet
from pettui.models import NewPet, PetStatus
from pettui.settings import Limits
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import PAGE, PET, REX, http

if TYPE_CHECKING:
    from pettui.client import PetClient
    from tests.client.conftest import Answered
    from tests.client.hostile.server import HostileServer

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
    REX.encode() + b"\0": "something follows its end",
    '{"name": "Ré"}'.encode("latin-1"): "it is not UTF-8: byte 0xE9 at place 11",
    REX.encode("utf-16"): "it is not UTF-8: byte 0xFF at place 0",
    b'{"name": "\xed\xa0\x80"}': "it is not UTF-8",
    b"[" * 100_000: "nested deeper than 64",
    b"9" * 401: "a number of more than 400 digits",
    b"[0." + b"1" * 5_000 + b"]": "more than 400 digits",
    b"[" + b"," * 1_000_000 + b"]": "more than 30000 values",
    b"1 " * 950_000: "more than 30000 values",
    b"null": "got null",
    b"true": "got true",
    b"false": "got false",
    b"NaN": "got a number",
    b'"[]"': "got a text",
    b'{"items": []}': "expected a list, got an object",
    b'{"code": "gone_away", "message": "Back at noon", "status": 503}': (
        "expected a list, got an object: gone_away: Back at noon"
    ),
    b"[,]": "expected JSON",
    b"[1,]": "expected JSON",
    b"[1 2]": "expected JSON",
    b"[1": "expected JSON",
    b"[1]]": "expected JSON",
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
    assert (
        len((await answered(http(200, b"\xef\xbb\xbf[" + REX.encode() + b"]")).list_pets()).pets)
        == 1
    )


async def test_a_control_character_that_was_not_escaped_costs_no_list(answered: Answered) -> None:
    (pet,) = (
        await answered(
            http(200, b'[{"id": 7, "name": "Re\x1b[2Jx\n", "categoryId": 3}]')
        ).list_pets()
    ).pets
    assert pet.name == "Re\x1b[2Jx\n"


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
        (NewPet(name="Tiny", category_id=3), "name"),
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
    error = await failure_of(
        answered(http(200, "9" * 5_000), limits=Limits(tries=0, digits=10_000)).list_pets()
    )
    assert "a number of more than 4300 digits" in str(error)


async def test_a_number_within_a_higher_limit_is_read(answered: Answered) -> None:
    answer = await answered(
        http(200, REX.replace("}", f', "much": {"9" * 4_000}}}')),
        limits=Limits(tries=0, digits=10_000),
    ).get_pet(7)
    assert str(answer.pet.others["much"]) == "9" * 4_000


@pytest.mark.parametrize(
    ("body", "remark"),
    [
        (pets(*[{}] * 35), "the service sent 35 animals instead of at most 20"),
        (pets({"id": 5}, {"id": 6}, {"id": 5}), "id 5 occurs more than once"),
        (pets({}, {}, {"id": 0}, {"id": 1}), "id 0 occurs more than once, and others"),
    ],
)
async def test_what_is_odd_about_a_list_is_pointed_out(
    body: str, remark: str, answered: Answered
) -> None:
    page = await answered(http(200, body)).list_pets(limit=20)
    assert len(page.pets) == len(json.loads(body))
    assert page.remarks == (remark,)


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
    maximum: int,
    sizes: tuple[int, ...],
    kept: tuple[int, ...],
    answered: Answered,
) -> None:
    """The last page is cut where it must be, and what is not loaded is said on it."""
    client = answered(
        *(
            http(200, pets(*[{}] * size), [("Link", f"<?page={number}>; rel=next")])
            for number, size in enumerate(sizes[:-1])
        ),
        http(200, pets(*[{}] * sizes[-1])),
        limits=Limits(tries=0, rows=maximum),
    )
    walked = [await client.list_pets(limit=20)]
    while walked[-1].next_link is not None:
        walked.append(await client.list_next_pets(walked[-1]))
    assert tuple(len(page.rows) for page in walked) == kept
    is_cut = sum(kept) < sum(sizes)
    rest = f"more than {maximum} animals in this list: the rest is not loaded"
    assert walked[-1].remarks == ((rest,) if is_cut else ())
    assert [page.is_cut for page in walked] == [*[False] * (len(walked) - 1), is_cut]


async def test_rows_of_another_status_are_shown_and_pointed_out(answered: Answered) -> None:
    statuses = ("sold", "available", None, "new")
    page = await answered(http(200, pets(*({"status": status} for status in statuses)))).list_pets(
        status=PetStatus.AVAILABLE
    )
    assert [pet.status for pet in page.pets] == [*statuses]
    assert page.remarks == ("3 of another status than available",)


async def test_an_empty_list_is_a_page(answered: Answered) -> None:
    page = await answered(http(200, " [ ] ")).list_pets()
    assert (page.rows, page.remarks) == ((), ())
