"""Rows: one that is odd costs itself alone, and is shown with its place and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.client import UnreadablePet
from pettui.models import PetStatus
from pettui.settings import Limits
from tests.client.hostile.bodies import NO_PETS, PET
from tests.client.hostile.checks import failure_of
from tests.client.hostile.rows import (
    BAD_INDEX,
    BAD_ROWS,
    BROKEN_COMMAS,
    IDS,
    REMARKABLE,
    RUBBISH,
    STATUSES,
    STRANGERS,
    one_bad,
    pets,
)
from tests.client.hostile.server import http

if TYPE_CHECKING:
    from tests.client.conftest import ClientOf, Serve


@pytest.mark.parametrize("name", BAD_ROWS)
async def test_one_bad_row_among_twenty_costs_itself_alone(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    body, said = NO_PETS[name]
    server = await serve(http(200, one_bad(name)))
    page = await client_of(server).list_pets()
    bad = page.rows[BAD_INDEX]
    assert isinstance(bad, UnreadablePet)
    rows_around = (*page.rows[:BAD_INDEX], *page.rows[BAD_INDEX + 1 :])
    assert page.pets == rows_around
    assert [pet.id for pet in page.pets] == [100 + place for place in range(19)]
    assert (bad.index, bad.excerpt) == (BAD_INDEX, body.decode()[:400])
    assert said in bad.reason or "expected an object" in bad.reason


@pytest.mark.parametrize("pet_id", IDS)
async def test_an_id_of_64_bits_is_kept_exactly(
    pet_id: int, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, pets({"id": pet_id, "categoryId": -(2**63)})))
    (pet,) = (await client_of(server).list_pets()).pets
    assert (pet.id, pet.category_id) == (pet_id, -(2**63))


async def test_a_status_is_known_unknown_or_not_set(serve: Serve, client_of: ClientOf) -> None:
    body = json.dumps(
        [{**PET, "id": place, "status": status} for place, status in enumerate(STATUSES)]
        + [{"id": 9, "name": "Rex", "categoryId": 3}]
    )
    page = await client_of(await serve(http(200, body))).list_pets()
    assert [pet.status for pet in page.pets] == [*STATUSES, None]
    assert isinstance(page.pets[0].status, PetStatus)
    assert page.rows == page.pets
    assert not page.remarks


async def test_unknown_fields_are_kept(serve: Serve, client_of: ClientOf) -> None:
    extra = {"vaccinated": True, "tags": [{"a": [1.5]}], "model_dump": 1, "others": 2, "": None}
    (pet,) = (await client_of(await serve(http(200, pets(extra)))).list_pets()).pets
    assert pet.others == extra


@pytest.mark.parametrize("name", REMARKABLE)
async def test_what_is_odd_about_a_list_is_pointed_out(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    body, said = REMARKABLE[name]
    page = await client_of(await serve(http(200, body))).list_pets(limit=20)
    assert len(page.pets) == len(json.loads(body))
    assert page.remarks[0] == said


async def test_rows_beyond_the_limit_are_counted_and_not_kept(
    serve: Serve, client_of: ClientOf
) -> None:
    client = client_of(await serve(http(200, pets(*[{}] * 500))), Limits(rows=50))
    page = await client.list_pets(limit=20)
    assert len(page.pets) == 50
    assert page.remarks == (
        "the service sent 500 animals instead of at most 20; the first 50 are shown",
    )


@pytest.mark.parametrize(
    ("maximum", "sizes", "kept", "is_said"),
    [
        (50, (20, 20, 20), (20, 20, 10), True),
        (40, (20, 20, 20), (20, 20), True),  # the third page is not even asked for
        (40, (20, 20), (20, 20), False),
        (1, (20, 20), (1,), True),
        (60, (20, 20, 20), (20, 20, 20), False),
    ],
)
async def test_the_rows_of_all_pages_of_a_list_are_bounded(
    maximum: int,
    sizes: tuple[int, ...],
    kept: tuple[int, ...],
    *,
    is_said: bool,
    serve: Serve,
    client_of: ClientOf,
) -> None:
    """The last page is cut where it must be, and what is not loaded is said on it."""
    steps = [
        http(200, pets(*[{}] * size), [("Link", f"<?page={number}>; rel=next")] * (number < last))
        for last in [len(sizes) - 1]
        for number, size in enumerate(sizes)
    ]
    client = client_of(await serve(*steps), Limits(tries=0, rows=maximum))
    walked = [await client.list_pets(limit=20)]
    while walked[-1].next_link is not None:
        walked.append(await client.list_next_pets(walked[-1]))
    assert tuple(len(page.rows) for page in walked) == kept
    rest = f"more than {maximum} animals in this list: the rest is not loaded"
    assert walked[-1].remarks == ((rest,) if is_said else ())
    assert [page.is_cut for page in walked] == [*[False] * (len(walked) - 1), is_said]


async def test_rows_of_another_status_are_shown_and_pointed_out(
    serve: Serve, client_of: ClientOf
) -> None:
    page = await client_of(await serve(http(200, STRANGERS))).list_pets(status=PetStatus.AVAILABLE)
    assert len(page.pets) == 4
    assert page.remarks == ("3 of another status than available",)


async def test_a_list_of_nothing_but_rubbish_is_a_list(serve: Serve, client_of: ClientOf) -> None:
    page = await client_of(await serve(http(200, RUBBISH))).list_pets()
    assert page.pets == ()
    assert [row.index for row in page.rows] == [0, 1, 2, 3, 4]
    assert page.rows[3] == UnreadablePet(3, "expected an object, got a list", "[]")


async def test_an_empty_list_is_a_page(serve: Serve, client_of: ClientOf) -> None:
    page = await client_of(await serve(http(200, " [ ] "))).list_pets()
    assert (page.rows, page.remarks) == ((), ())


@pytest.mark.parametrize("body", BROKEN_COMMAS)
async def test_a_list_with_broken_commas_is_no_list(
    body: str, serve: Serve, client_of: ClientOf
) -> None:
    error = await failure_of(client_of(await serve(http(200, body))).list_pets())
    assert "expected JSON" in str(error)
