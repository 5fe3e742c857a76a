"""Any body with a status of success: a result, or one clear line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.client import UnreadableAnswerError
from pettui.models import NewPet
from pettui.settings import Limits
from tests.client.hostile.bodies import NO_JSON, NO_LISTS, NO_PETS, PET, REX
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import http

if TYPE_CHECKING:
    from tests.client.conftest import ClientOf, Serve

TINY = NewPet(name="Rex", category_id=3)


@pytest.mark.parametrize("name", [*NO_JSON, *NO_LISTS])
async def test_a_body_that_is_no_list_is_refused(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    body, said = {**NO_JSON, **NO_LISTS}[name]
    error = await failure_of(client_of(await serve(http(200, body))).list_pets())
    assert isinstance(error, UnreadableAnswerError)
    assert error.status == 200
    assert said in error.reason
    assert error.excerpt == body[:1600].decode("utf-8", "replace")[:400]
    assert not error.maybe_sent


@pytest.mark.parametrize("name", NO_PETS)
async def test_a_body_that_is_no_animal_is_refused(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    body, said = NO_PETS[name]
    error = await failure_of(client_of(await serve(http(200, body))).get_pet(7))
    assert isinstance(error, UnreadableAnswerError)
    assert said in error.reason
    assert [notice.operation for notice in error.notices] == ["getPet"]


@pytest.mark.parametrize("body", ["", "<html>", "[]", "{}"])
async def test_an_add_whose_response_cannot_be_read_may_have_been_made(
    body: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(201, body))
    error = await failure_of(client_of(server).create_pet(TINY))
    assert isinstance(error, UnreadableAnswerError)
    assert error.maybe_sent
    assert server.adds == 1


@pytest.mark.parametrize("content_type", [None, "text/plain; charset=utf-16", ";;;"])
async def test_json_is_read_whatever_the_content_type_claims(
    content_type: str | None, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, REX, content_type=content_type))
    assert (await client_of(server).get_pet(7)).pet.name == "Rex"


async def test_a_byte_order_mark_is_passed_over(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(http(200, b"\xef\xbb\xbf[" + REX.encode() + b"]"))
    assert len((await client_of(server).list_pets()).pets) == 1


async def test_a_control_character_that_was_not_escaped_costs_no_list(
    serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, b'[{"id": 7, "name": "Re\x1b[2Jx\n", "categoryId": 3}]'))
    (pet,) = (await client_of(server).list_pets()).pets
    assert pet.name == "Re\x1b[2Jx\n"


async def test_another_success_than_the_stated_one_is_remarked_upon(
    serve: Serve, client_of: ClientOf
) -> None:
    client = client_of(await serve(http(203, f"[{REX}]"), http(200, REX)))
    assert (await client.list_pets()).remarks == ("the service answered 203 instead of 200",)
    assert (await client.create_pet(TINY)).remarks == ("the service answered 200 instead of 201",)


@pytest.mark.parametrize("status", [204, 205])
async def test_a_success_without_a_body_is_not_a_response_of_the_interface(
    status: int, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(status))
    error = await failure_of(client_of(server).create_pet(TINY))
    assert isinstance(error, UnreadableAnswerError)
    assert "got an empty body" in str(error)
    assert error.maybe_sent


async def test_another_animal_than_the_requested_one_is_an_error(
    serve: Serve, client_of: ClientOf
) -> None:
    error = await failure_of(client_of(await serve(http(200, REX))).get_pet(8))
    assert "requested animal 8, got 7" in str(error)


async def test_an_animal_that_was_kept_differently_is_remarked_upon(
    serve: Serve, client_of: ClientOf
) -> None:
    answer = await client_of(await serve(http(201, REX))).create_pet(
        NewPet(name="Tiny", category_id=3)
    )
    assert answer.remarks == ("the service stored another name than was sent",)
    assert answer.pet.id == PET["id"]


@pytest.mark.parametrize("body", ["[{}]".replace("{}", "9" * 5_000), f'{{"id": {"9" * 5_000}}}'])
async def test_a_number_that_python_does_not_read_is_reported_whatever_the_limit(
    body: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, body))
    error = await failure_of(client_of(server, Limits(tries=0, digits=10_000)).list_pets())
    assert "a number of more than 4300 digits" in str(error)


async def test_a_number_within_a_higher_limit_is_read(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(http(200, REX.replace("}", f', "much": {"9" * 4_000}}}')))
    answer = await client_of(server, Limits(tries=0, digits=10_000)).get_pet(7)
    assert str(answer.pet.others["much"]) == "9" * 4_000
