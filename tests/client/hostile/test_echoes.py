"""A service that sends the key back, plain or escaped: nothing that is shown or kept holds it."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pettui.client import PetClientError, UnreadableAnswerError
from pettui.models import NewPet
from pettui.outbox import DirectoryEntryStore, EntryState, Outbox
from tests.client.hostile.checks import check_is_reportable, until
from tests.client.hostile.server import http, raw
from tests.exhaustive import product

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.conftest import ClientOf, Serve

KEY = 'se/same+open"4711'
JSON_KEYS = {
    "plain": json.dumps(KEY)[1:-1],
    "as numbers": "".join(f"\\u{ord(c):04x}" for c in KEY),
    "in JSON": json.dumps(json.dumps(KEY))[1:-1],
}
ERROR = '{"code": "KEY", "message": "Bearer KEY is bad", "status": 400, "request": {"key": "KEY"}}'
PAGE = '[{"id": 1, "name": "KEY", "categoryId": 3, "note": "KEY", "KEY": ["KEY"]}, {"id": "KEY"}, "KEY"]'
PET = '{"id": 1, "name": "KEY", "categoryId": 3, "status": "KEY", "note": "KEY"}'


def decoded(text: str) -> str:
    """Return a text with every escape of JSON in it undone, as often as there is one."""
    for _ in range(4):
        text = text.replace("\\/", "/").replace('\\"', '"').replace("\\\\", "\\")
        for character in set(KEY):
            for number in (f"\\u{ord(character):04x}", f"\\u{ord(character):04X}"):
                text = text.replace(number, character)
    return text


def holds_no_key(*shown: object) -> None:
    for value in shown:
        assert KEY not in decoded(repr(value))
        assert KEY not in decoded(str(value))


@pytest.mark.parametrize("key", JSON_KEYS.values(), ids=JSON_KEYS)
async def test_an_error_body_that_holds_the_key_is_reported_without_it(
    key: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(400, ERROR.replace("KEY", key)))
    client = client_of(server).with_key(KEY)
    for call in (client.list_pets, partial(client.create_pet, NewPet(name="Rex", category_id=3))):
        with pytest.raises(PetClientError) as caught:
            await call()
        check_is_reportable(caught.value)
        holds_no_key(caught.value, vars(caught.value))
        assert str(caught.value).replace('"', "") == "400 ***: Bearer *** is bad"


@pytest.mark.parametrize("key", JSON_KEYS.values(), ids=JSON_KEYS)
async def test_animals_that_hold_the_key_are_shown_without_it(
    key: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, PAGE.replace("KEY", key)), http(200, PET.replace("KEY", key)))
    client = client_of(server).with_key(KEY)
    page = await client.list_pets()
    answer = await client.get_pet(1)
    assert len(page.pets) == 1
    assert len(page.rows) == 3
    holds_no_key(page, answer, page.pets[0].as_json, page.pets[0].others)


@pytest.mark.parametrize("key", JSON_KEYS.values(), ids=JSON_KEYS)
async def test_what_is_no_json_is_shown_without_the_key(
    key: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, f'{{"broken": "{key}" no'), http(502, f"<p>{key}</p>"))
    client = client_of(server).with_key(KEY)
    for _ in range(2):
        with pytest.raises(PetClientError) as caught:
            await client.list_pets()
        holds_no_key(caught.value, vars(caught.value))


@pytest.mark.parametrize("key", ["se%2Fsame%2Bopen%224711", "se/same+open&quot;4711", KEY])
async def test_headers_that_hold_the_key_are_reported_without_it(
    key: str, serve: Serve, client_of: ClientOf
) -> None:
    link = ("Link", f"<http://evil.example/{key}>; rel=successor-version")
    server = await serve(
        http(302, "", [("Location", f"http://evil.example/?key={key}")]),
        http(200, "[]", [("Deprecation", "true"), link, ("Content-Type", key)]),
    )
    client = client_of(server).with_key(KEY)
    with pytest.raises(PetClientError) as caught:
        await client.list_pets()
    holds_no_key(caught.value, vars(caught.value))
    assert key not in repr(vars(caught.value))
    page = await client.list_pets()
    assert key not in repr(page)


@pytest.mark.parametrize("key", [KEY, KEY.upper()])
async def test_an_encoding_that_is_the_key_is_reported_without_it(
    key: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(400, "{}", [("Content-Encoding", key)]))
    client = client_of(server).with_key(KEY)
    with pytest.raises(PetClientError) as caught:
        await client.list_pets()
    assert KEY.lower() not in repr(vars(caught.value)).lower()
    assert "compressed as ***" in str(caught.value)


@pytest.mark.parametrize("before", range(60, 130, 8))
async def test_what_is_cut_of_malformed_http_holds_no_part_of_the_key(
    before: int, serve: Serve, client_of: ClientOf
) -> None:
    """Wherever in the key the cut is."""
    answer = b"HTTP/1.1 200 OK\r\n" + b"x" * before + f" {KEY}\r\n\r\n".encode()
    server = await serve(raw(answer))
    client = client_of(server).with_key(KEY)
    with pytest.raises(PetClientError) as caught:
        await client.list_pets()
    assert "does not send HTTP" in str(caught.value)
    assert KEY[:4] not in str(caught.value)


async def test_a_body_in_utf_16_is_shown_without_the_key(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(http(200, f'{{"key": "{KEY}"}}'.encode("utf-16-le")))
    client = client_of(server).with_key(KEY)
    with pytest.raises(UnreadableAnswerError) as caught:
        await client.list_pets()
    assert KEY not in caught.value.excerpt.replace("\0", "")


@pytest.mark.parametrize(("status", "key"), product([400, 500, 302, 201], [*JSON_KEYS.values()]))
async def test_no_file_of_the_outbox_holds_a_key_that_came_back(
    status: int, key: str, serve: Serve, client_of: ClientOf, tmp_path: Path
) -> None:
    body = (PAGE if status == 201 else ERROR).replace("KEY", key)
    server = await serve(http(status, body, [("Location", f"http://evil.example/{KEY}")]))
    client = client_of(server).with_key(KEY)
    directory = tmp_path / "outbox"
    outbox = Outbox(DirectoryEntryStore(directory), client, delay=0.0)
    outbox.start()
    await outbox.add("Rex", 3, None)
    settled = (EntryState.REFUSED, EntryState.UNKNOWN)
    await until(lambda: outbox.entries[0].state in settled)
    await outbox.close()
    files = [path for path in directory.rglob("*") if path.is_file()]
    assert any(b"Rex" in path.read_bytes() for path in files)
    for path in files:
        holds_no_key(path.read_text("utf-8", "replace"))
