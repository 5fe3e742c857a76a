"""Rows: one that is odd costs itself alone, and is shown with its place and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.client import UnreadablePet
from pettui.models import PetStatus
from pettui.settings import Limits
from tests.client.hostile.bodies import NO_PETS, PET, REX
from tests.client.hostile.server import http

if TYPE_CHECKING:
    from tests.client.conftest import Ask, Serve


def pets(*changes: dict[str, object]) -> str:
    return json.dumps([{**PET, "id": place, **change} for place, change in enumerate(changes)])


@pytest.mark.parametrize("name", set(NO_PETS) - {"an Error body"})
async def test_one_bad_row_among_twenty_costs_itself_alone(
    name: str, serve: Serve, client_of: Ask
) -> None:
    body, said = NO_PETS[name]
    rows = [REX.replace("7", str(100 + place)).encode() for place in range(19)]
    rows.insert(13, body)
    server = await serve(http(200, b"[" + b" ,\n".join(rows) + b"]"))
    page = await client_of(server).list_pets()
    assert [pet.id for pet in page.pets] == [100 + place for place in range(19)]
    (bad,) = page.unreadable
    assert (bad.place, bad.beginning) == (13, body.decode()[:400])
    assert said in bad.reason or "an object was expected" in bad.reason


@pytest.mark.parametrize("pet_id", [0, -1, 2**63 - 1, -(2**63), 2**53 + 1])
async def test_an_id_of_64_bits_is_kept_exactly(pet_id: int, serve: Serve, client_of: Ask) -> None:
    server = await serve(http(200, pets({"id": pet_id, "categoryId": -(2**63)})))
    (pet,) = (await client_of(server).list_pets()).pets
    assert (pet.id, pet.category_id) == (pet_id, -(2**63))


async def test_a_status_is_known_unknown_or_not_set(serve: Serve, client_of: Ask) -> None:
    statuses = ["available", "pending", "sold", "on loan", "", "AVAILABLE", None]
    body = json.dumps(
        [{**PET, "id": place, "status": status} for place, status in enumerate(statuses)]
        + [{"id": 9, "name": "Rex", "categoryId": 3}]
    )
    page = await client_of(await serve(http(200, body))).list_pets()
    assert [pet.status for pet in page.pets] == [*statuses, None]
    assert isinstance(page.pets[0].status, PetStatus)
    assert not page.unreadable
    assert not page.remarks


async def test_unknown_fields_are_kept(serve: Serve, client_of: Ask) -> None:
    extra = {"vaccinated": True, "tags": [{"a": [1.5]}], "model_dump": 1, "others": 2, "": None}
    (pet,) = (await client_of(await serve(http(200, pets(extra)))).list_pets()).pets
    assert pet.others == extra


async def test_more_rows_than_asked_for_are_shown_and_pointed_out(
    serve: Serve, client_of: Ask
) -> None:
    page = await client_of(await serve(http(200, pets(*[{}] * 35)))).list_pets(limit=20)
    assert len(page.pets) == 35
    assert page.remarks == ("35 animals came where 20 were asked for",)


async def test_rows_beyond_the_limit_are_counted_and_not_kept(serve: Serve, client_of: Ask) -> None:
    client = client_of(await serve(http(200, pets(*[{}] * 500))), Limits(rows=50))
    page = await client.list_pets(limit=20)
    assert len(page.pets) == 50
    assert page.remarks == ("500 animals came where 20 were asked for; the first 50 are shown",)


async def test_rows_of_another_status_are_shown_and_pointed_out(
    serve: Serve, client_of: Ask
) -> None:
    body = pets({"status": "sold"}, {"status": "available"}, {"status": None}, {"status": "new"})
    page = await client_of(await serve(http(200, body))).list_pets(status=PetStatus.AVAILABLE)
    assert len(page.pets) == 4
    assert page.remarks == ("3 of another status than available",)


async def test_an_id_that_comes_twice_is_shown_and_pointed_out(
    serve: Serve, client_of: Ask
) -> None:
    body = pets({"id": 5}, {"id": 6}, {"id": 5, "name": "Tiny"}, {"id": 6})
    page = await client_of(await serve(http(200, body))).list_pets()
    assert len(page.pets) == 4
    assert page.remarks == ("id 5 is there more than once, and others",)


async def test_a_list_of_nothing_but_rubbish_is_a_list(serve: Serve, client_of: Ask) -> None:
    page = await client_of(await serve(http(200, '[null, 1, "a", [], {}]'))).list_pets()
    assert page.pets == ()
    assert [row.place for row in page.unreadable] == [0, 1, 2, 3, 4]
    assert page.unreadable[3] == UnreadablePet(3, "an object was expected, a list came", "[]")


async def test_an_empty_list_is_a_page(serve: Serve, client_of: Ask) -> None:
    page = await client_of(await serve(http(200, " [ ] "))).list_pets()
    assert (page.pets, page.unreadable, page.remarks) == ((), (), ())


@pytest.mark.parametrize("body", ["[,]", "[1,]", "[1 2]", "[1", "[1,", "[", "[1]]", "[1],", "[}"])
async def test_a_list_with_broken_commas_is_no_list(
    body: str, serve: Serve, client_of: Ask
) -> None:
    from tests.client.hostile.checks import failure_of

    error = await failure_of(client_of(await serve(http(200, body))).list_pets())
    assert "JSON was expected" in str(error)
