"""A service that sends the key back, plain or escaped: nothing that is shown or kept holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.client import PetClientError
from pettui.outbox import DirectoryEntryStore, EntryState, Outbox
from tests.client.hostile.checks import KEY, failure_of, until
from tests.client.hostile.server import http, raw

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.conftest import Answered
    from tests.client.hostile.server import Step

ESCAPED = "".join(f"\\u{ord(character):04x}" for character in KEY)
KEYS = pytest.mark.parametrize("key", [KEY, ESCAPED], ids=["plain", "escaped"])
ERROR = '{"code": "KEY", "message": "Bearer KEY is bad", "status": 400, "request": {"key": "KEY"}}'
PAGE = '[{"id": 1, "name": "KEY", "categoryId": 3, "note": "KEY", "KEY": ["KEY"]}, {"id": "KEY"}]'
PET = '{"id": 1, "name": "KEY", "categoryId": 3, "status": "KEY", "note": "KEY"}'


def texts_in(directory: Path) -> list[str]:
    return [path.read_text() for path in directory.rglob("*") if path.is_file()]


# What an error of each holds is checked by failure_of.
ECHOES: dict[str, Step] = {
    "a content type": http(500, "no", content_type=KEY),
    "what is no HTTP": raw(f"{KEY} Bearer {KEY}\r\n\r\n".encode()),
    "half an answer": raw(f"HTTP/1.1 500 {KEY}\r\nContent-Length: 99\r\n\r\n{KEY}".encode()),
    "broken JSON": http(200, f'{{"broken": "{KEY}" no'),
    "a web page": http(502, f"<p>{KEY}</p>"),
    "a redirect": http(302, "", [("Location", f"http://evil.example/?key={KEY}")]),
}


@pytest.mark.parametrize("name", ECHOES)
async def test_a_response_that_is_none_is_reported_without_the_key(
    name: str, answered: Answered
) -> None:
    await failure_of(answered(ECHOES[name]).list_pets())


@KEYS
async def test_an_error_body_that_holds_the_key_is_reported_without_it(
    key: str, answered: Answered
) -> None:
    error = await failure_of(answered(http(400, ERROR.replace("KEY", key))).list_pets())
    assert str(error) == "400 ***: Bearer *** is bad"
    assert ESCAPED not in repr(vars(error))


@KEYS
async def test_animals_that_hold_the_key_are_shown_without_it(key: str, answered: Answered) -> None:
    client = answered(http(200, PAGE.replace("KEY", key)), http(200, PET.replace("KEY", key)))
    page = await client.list_pets()
    answer = await client.get_pet(1)
    assert len(page.rows) == 2
    shown = repr((page, answer, page.pets[0].as_json, page.pets[0].others))
    assert KEY not in shown
    assert ESCAPED[2:] not in shown


async def test_headers_of_a_success_that_hold_the_key_are_kept_without_it(
    answered: Answered,
) -> None:
    link = ("Link", f"<http://evil.example/{KEY}>; rel=successor-version")
    page = await answered(http(200, "[]", [("Deprecation", "true"), link])).list_pets()
    assert page.notices[0].replacement == "http://evil.example/***"


async def test_an_encoding_that_is_the_key_is_reported_without_it(answered: Answered) -> None:
    assert "compressed as ***" in str(
        await failure_of(answered(http(400, "{}", [("Content-Encoding", KEY.upper())])).list_pets())
    )


@pytest.mark.parametrize("before", range(60, 130, 8))
async def test_what_is_cut_of_malformed_http_holds_no_part_of_the_key(
    before: int, answered: Answered
) -> None:
    """Wherever in the key the cut is."""
    with pytest.raises(PetClientError, match="does not send HTTP") as caught:
        await answered(
            raw(b"HTTP/1.1 200 OK\r\n" + b"x" * before + f" {KEY}\r\n\r\n".encode())
        ).list_pets()
    assert KEY[:4] not in str(caught.value)


@KEYS
@pytest.mark.parametrize("status", [400, 500, 302, 201])
async def test_no_file_of_the_outbox_holds_a_key_that_came_back(
    status: int, key: str, answered: Answered, tmp_path: Path
) -> None:
    body = (PAGE if status == 201 else ERROR).replace("KEY", key)
    outbox = Outbox(
        DirectoryEntryStore(tmp_path / "outbox"),
        answered(http(status, body, [("Location", f"http://evil.example/{KEY}")])),
        delay=0.0,
    )
    outbox.start()
    await outbox.add("Rex", 3, None)
    settled = (EntryState.REFUSED, EntryState.UNKNOWN)
    await until(lambda: outbox.entries[0].state in settled)
    await outbox.close()
    kept = texts_in(tmp_path)
    assert any("Rex" in text for text in kept)
    assert not any(KEY in text or ESCAPED[2:] in text for text in kept)
