"""The body of createPet, exactly as in the interface."""

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


async def post(
    service: httpx.AsyncClient, body: str | bytes, content_type: str = "application/json"
) -> httpx.Response:
    headers = {"Content-Type": content_type}
    content = body if isinstance(body, bytes) else body.encode()
    return await service.post("/v1/pets", content=content, headers=headers)


async def refusal(service: httpx.AsyncClient, body: str | bytes, start: str) -> None:
    response = await post(service, body)
    assert response.status_code == 400, response.text
    assert response.json()["status"] == 400
    assert response.json()["message"].startswith(start)
    assert (await service.get("/v1/pets")).json() == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("1.0", 1),
        ("-0.0", 0),
        ("1e3", 1000),
        ("1000e-3", 1),
        ("9223372036854775807", INT64_MAXIMUM),
        ("-9223372036854775808", INT64_MINIMUM),
        ("9223372036854775807.000", INT64_MAXIMUM),
        ("9007199254740993.0", 2**53 + 1),
        ("0e999999999999999999999", 0),
        ("1." + "0" * 100_000, 1),
    ],
)
async def test_a_whole_number_is_stored_exactly_however_it_is_written(
    service: httpx.AsyncClient, text: str, value: int
) -> None:
    response = await post(service, f'{{"name": "Rex", "categoryId": {text}}}')
    assert response.status_code == 201, response.text
    assert response.json() == {"id": 1, "name": "Rex", "categoryId": value}
    assert (await service.get("/v1/pets/1")).json() == response.json()


@pytest.mark.parametrize(
    "text",
    [
        "true",
        '"1"',
        "1.5",
        "9223372036854775808",
        "-9223372036854775809",
        "1e400",
        "1e999999999999",
        "null",
        "{}",
        "9" * 5000,
    ],
)
async def test_any_other_category_is_400(service: httpx.AsyncClient, text: str) -> None:
    await refusal(service, f'{{"name": "Rex", "categoryId": {text}}}', "categoryId must be")


@pytest.mark.parametrize("text", ["1", "null", '["Rex"]'])
async def test_a_name_that_is_not_a_string_is_400(service: httpx.AsyncClient, text: str) -> None:
    await refusal(service, f'{{"name": {text}, "categoryId": 1}}', "name must be")


@pytest.mark.parametrize("text", [r'"\ud800"', r'"\udc00\ud800"', r'"a\udfffb"'])
async def test_a_name_with_a_lone_surrogate_is_400(service: httpx.AsyncClient, text: str) -> None:
    await refusal(service, f'{{"name": {text}, "categoryId": 1}}', "name must be")


@pytest.mark.parametrize("text", ["null", '""', '"Sold"', "1"])
async def test_any_other_status_is_400(service: httpx.AsyncClient, text: str) -> None:
    body = f'{{"name": "Rex", "categoryId": 1, "status": {text}}}'
    await refusal(service, body, "status must be")


@pytest.mark.parametrize(
    ("body", "start"),
    [
        ('{"categoryId": 1}', "name is missing"),
        ('{"name": "Rex"}', "categoryId is missing"),
        ('{"name": "Rex", "category_id": 1}', "categoryId is missing"),
    ],
)
async def test_a_missing_field_is_named(
    service: httpx.AsyncClient, body: str | bytes, start: str
) -> None:
    await refusal(service, body, start)


@pytest.mark.parametrize("field", ['"name": "b"', '"categoryId": 2', '"status": "sold"'])
async def test_a_field_given_twice_is_400(service: httpx.AsyncClient, field: str) -> None:
    body = f'{{"name": "a", "categoryId": 1, "status": "sold", {field}}}'
    await refusal(service, body, field.split('"')[1] + " must be given only once")


@pytest.mark.parametrize(
    "name",
    ["", "\0", "e\u0301", "\x1b[31m", "🐹", '"\\/'],
)
async def test_a_name_is_returned_byte_for_byte(service: httpx.AsyncClient, name: str) -> None:
    body = json.dumps({"name": name, "categoryId": 1})
    response = await post(service, body)
    assert response.status_code == 201
    found = await service.get("/v1/pets/1")
    assert response.json()["name"] == found.json()["name"] == name
    assert (await service.get("/v1/pets")).json()[0]["name"] == name


@pytest.mark.parametrize("status", ["available", "pending", "sold"])
async def test_a_status_is_returned(service: httpx.AsyncClient, status: str) -> None:
    response = await service.post(
        "/v1/pets", json={"name": "Rex", "categoryId": 1, "status": status}
    )
    assert response.json() == {"id": 1, "name": "Rex", "categoryId": 1, "status": status}


@pytest.mark.parametrize(
    "extra",
    [
        '"id": 99',
        '"x": 1e400',
        f'"x": {"9" * 5000}',
        r'"x": "\ud800"',
        '"x": {"name": 1, "name": 2}',
    ],
)
async def test_unknown_fields_and_an_id_are_ignored(service: httpx.AsyncClient, extra: str) -> None:
    response = await post(service, f'{{"name": "Rex", "categoryId": 1, {extra}}}')
    assert response.status_code == 201, response.text
    assert response.json() == {"id": 1, "name": "Rex", "categoryId": 1}


VALID = b'{"name": "Rex", "categoryId": 1}'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"[" + VALID + b"]",
        VALID + b" x",
        VALID[:-1],
        b"\xef\xbb\xbf" + VALID,
        VALID.decode().encode("utf-16"),
        b'{"name": "\xff", "categoryId": 1}',
        b'{"name": "\xed\xa0\x80", "categoryId": 1}',
        b'{"name": "a\nb", "categoryId": 1}',
        b'{"name": "Rex", "categoryId": 1,}',
        b'{"name": "Rex", "categoryId": 01}',
        b'{"name": "Rex", "categoryId": NaN}',
        b'{"name": "Rex", "categoryId": 1, "x": NaN}',
        b"[" * 100_000,
        b'{"name": "Rex", "categoryId": 1, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
async def test_a_body_that_is_not_a_json_object_is_400(
    service: httpx.AsyncClient, body: str | bytes
) -> None:
    await refusal(service, body, "The body must be")


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
