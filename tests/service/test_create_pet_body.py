"""The body of createPet, exactly as in the interface; ``tests/test_validation.py`` has each field."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models import INT64_MAXIMUM, INT64_MINIMUM
from pettui.service.endpoints import read_new_pet
from pettui.service.errors import ServiceError

if TYPE_CHECKING:
    import httpx

VALID = b'{"name": "Rex", "categoryId": 1}'


async def post(service: httpx.AsyncClient, body: str | bytes) -> httpx.Response:
    headers = {"Content-Type": "application/json"}
    return await service.post("/v1/pets", content=body, headers=headers)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000),
        ("9223372036854775807.000", INT64_MAXIMUM),
        ("-9223372036854775808", INT64_MINIMUM),
        ("1." + "0" * 100_000, 1),
    ],
    ids=["exponent", "highest", "lowest", "long"],
)
async def test_a_whole_number_is_stored_exactly_however_it_is_written(
    service: httpx.AsyncClient, text: str, value: int
) -> None:
    response = await post(service, f'{{"name": "Rex", "categoryId": {text}}}')
    assert response.status_code == 201, response.text
    assert response.json() == {"id": 1, "name": "Rex", "categoryId": value}
    assert (await service.get("/v1/pets/1")).json() == response.json()


@pytest.mark.parametrize(
    ("body", "start"),
    [
        (r'{"name": "Rex", "categoryId": "1"}', "categoryId must be"),
        (r'{"name": "Rex", "categoryId": 1.5}', "categoryId must be"),
        (r'{"name": "Rex", "categoryId": 9223372036854775808}', "categoryId must be"),
        (r'{"name": "Rex", "categoryId": -9223372036854775809}', "categoryId must be"),
        (r'{"name": "Rex", "categoryId": 1e999999999999}', "categoryId must be"),
        (r'{"name": "Rex", "categoryId": %s}' % ("9" * 5000), "categoryId must be"),
        (r'{"name": null, "categoryId": 1}', "name must be"),
        (r'{"name": 1, "categoryId": 1}', "name must be"),
        (r'{"name": "a\udfffb", "categoryId": 1}', "name must be"),
        (r'{"name": "Rex", "categoryId": 1, "status": null}', "status must be"),
        (r'{"name": "Rex", "categoryId": 1, "status": "Sold"}', "status must be"),
        (r'{"categoryId": 1}', "name is missing"),
        (r'{"name": "Rex", "category_id": 1}', "categoryId is missing"),
        (r'{"name": "a", "categoryId": 1, "name": "b"}', "name must be given only once"),
        ("", "The body must be"),
        ("null", "The body must be"),
        (f"[{VALID.decode()}]", "The body must be"),
        (VALID + b" x", "The body must be"),
        (VALID[:-1], "The body must be"),
        (b"\xef\xbb\xbf" + VALID, "The body must be"),
        (b'{"name": "\xff", "categoryId": 1}', "The body must be"),
        (b'{"name": "a\nb", "categoryId": 1}', "The body must be"),
        (b'{"name": "Rex", "categoryId": 1, "x": NaN}', "The body must be"),
        (b'{"name": "Rex", "categoryId": 1, "x": ' + b"[" * 100_000, "The body must be"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else None,
)
async def test_any_other_body_is_400_and_stores_nothing(
    service: httpx.AsyncClient, body: str | bytes, start: str
) -> None:
    response = await post(service, body)
    assert response.status_code == response.json()["status"] == 400
    assert response.json()["message"].startswith(start)
    assert (await service.get("/v1/pets")).json() == []


@pytest.mark.parametrize("name", ["", "\0", "e\u0301", "\x1b[31m", "🐹", '"\\/'])
async def test_a_name_is_returned_byte_for_byte(service: httpx.AsyncClient, name: str) -> None:
    response = await post(service, json.dumps({"name": name, "categoryId": 1}))
    assert response.status_code == 201
    assert response.json()["name"] == name
    assert (await service.get("/v1/pets/1")).json()["name"] == name
    assert (await service.get("/v1/pets")).json()[0]["name"] == name


@pytest.mark.parametrize("status", ["available", "pending", "sold"])
async def test_a_status_is_returned(service: httpx.AsyncClient, status: str) -> None:
    pet = {"name": "Rex", "categoryId": 1, "status": status}
    assert (await post(service, json.dumps(pet))).json() == {"id": 1, **pet}


@pytest.mark.parametrize(
    "extra", ['"id": 99', '"x": 1e400', r'"x": "\ud800"', '"x": {"name": 1, "name": 2}']
)
async def test_unknown_fields_and_an_id_are_ignored(service: httpx.AsyncClient, extra: str) -> None:
    response = await post(service, f'{{"name": "Rex", "categoryId": 1, {extra}}}')
    assert response.status_code == 201, response.text
    assert response.json() == {"id": 1, "name": "Rex", "categoryId": 1}


@given(st.binary())
def test_no_body_breaks_the_reader(body: bytes) -> None:
    with suppress(ServiceError):
        read_new_pet(body)


@given(
    name=st.text(st.characters(exclude_categories=["Cs"])),
    category=st.integers(INT64_MINIMUM, INT64_MAXIMUM),
    escaped=st.booleans(),
)
def test_every_valid_body_is_read_exactly(name: str, category: int, escaped: bool) -> None:
    body = json.dumps({"name": name, "categoryId": category}, ensure_ascii=escaped)
    new_pet = read_new_pet(body.encode())
    assert (new_pet.name, new_pet.category_id, new_pet.status) == (name, category, None)
