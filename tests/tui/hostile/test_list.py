"""listPets of a hostile service: each case on the list, in the running app."""

from __future__ import annotations

import json
from itertools import cycle

import pytest

from tests.client.hostile.bodies import NO_JSON, NO_LISTS, NO_PETS
from tests.client.hostile.refusals import CLAIMS, ERROR_BODY, OTHER_ERRORS, STATUSES, TRANSIENT
from tests.client.hostile.rows import (
    BAD_INDEX,
    BAD_ROWS,
    BROKEN_COMMAS,
    IDS,
    REMARKABLE,
    RUBBISH,
    STRANGERS,
    one_bad,
    pets,
)
from tests.client.hostile.rows import STATUSES as STATUSES_OF_ROWS
from tests.client.hostile.server import http
from tests.tui.hostile.stage import ATTEMPTS, Stage

STAGE = {"size": (80, 26)}  # twenty rows, and no preview
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]
LIST = "/v1/pets?limit=20"


@pytest.mark.parametrize("name", [*NO_JSON, *NO_LISTS])
async def test_an_unreadable_list_is_reported_and_the_rows_stay(name: str, stage: Stage) -> None:
    body, said = {**NO_JSON, **NO_LISTS}[name]
    await stage.request(http(200, body))
    stage.shows("✖ Unexpected response", "200 from the service, but not its interface:", said)
    stage.keeps_rows()
    assert stage.server.targets == [LIST]
    await stage.recovers()


@pytest.mark.parametrize("body", BROKEN_COMMAS)
async def test_a_list_with_misplaced_commas_is_reported_and_the_rows_stay(
    body: str, stage: Stage
) -> None:
    await stage.request(http(200, body))
    stage.shows("✖ Unexpected response", "expected JSON, got application/json,")
    stage.keeps_rows()
    assert stage.server.targets == [LIST]
    await stage.recovers()


@pytest.mark.parametrize("status", STATUSES)
async def test_an_error_body_is_shown_word_for_word_and_the_rows_stay(
    status: int, stage: Stage
) -> None:
    await stage.request(http(status, "" if status == 304 else ERROR_BODY, close=True))
    if status == 304:
        stage.shows("✖ No Error body", "304 from the service, no Error body: an empty body")
    else:
        stage.shows(f"✖ {status} no_way", "Not now")
    assert ("F7 Change API key" in stage.driver.text) == (status == 401)
    stage.keeps_rows()
    assert stage.server.targets == [LIST] * (ATTEMPTS if status in TRANSIENT else 1)
    await stage.recovers()


@pytest.mark.parametrize("name", CLAIMS)
async def test_the_http_status_is_shown_whatever_the_error_body_claims(
    name: str, stage: Stage
) -> None:
    body = {"code": "unauthorized", "message": "No key", "status": CLAIMS[name]}
    await stage.request(http(401, json.dumps(body)))
    stage.shows("✖ 401 unauthorized", "No key", "F7 Change API key")
    stage.keeps_rows()
    await stage.recovers()


@pytest.mark.parametrize("name", OTHER_ERRORS)
async def test_another_kind_of_error_is_shown_in_its_own_words(name: str, stage: Stage) -> None:
    body, said = OTHER_ERRORS[name]
    await stage.request(http(403, json.dumps(body), content_type="application/problem+json"))
    size = len(json.dumps(body))
    came = f"application/problem+json, {size} bytes: {said}"
    stage.shows("✖ No Error body", f"403 from the service, no Error body: {came}")
    stage.keeps_rows()
    assert stage.server.targets == [LIST]
    await stage.recovers()


@pytest.mark.parametrize(("name", "status"), [*zip(NO_JSON, cycle([400, 502]), strict=False)])
async def test_a_refusal_without_json_is_shown_by_its_type_and_size(
    name: str, status: int, stage: Stage
) -> None:
    body, _ = NO_JSON[name]
    await stage.request(http(status, body, content_type="text/html"))
    came = "text/html, " if body else "an empty body"
    stage.shows("✖ No Error body", f"{status} from the service, no Error body: {came}")
    stage.keeps_rows()
    assert stage.server.targets == [LIST] * (ATTEMPTS if status in TRANSIENT else 1)
    await stage.recovers()


@pytest.mark.parametrize("name", BAD_ROWS)
async def test_one_bad_row_among_twenty_is_shown_with_its_position_and_reason(
    name: str, stage: Stage
) -> None:
    said = NO_PETS[name][1]
    await stage.request(http(200, one_bad(name)))
    line = stage.driver.line_with(f"row {BAD_INDEX + 1} unreadable: ")
    assert said in line or "expected an object" in line
    assert stage.ids == list(range(100, 119))
    stage.shows("20 shown", "1 unreadable")
    await stage.recovers()


async def test_a_list_of_unreadable_rows_only_is_shown(stage: Stage) -> None:
    await stage.request(http(200, RUBBISH))
    stage.shows("row 1 unreadable", "row 5 unreadable", "5 shown", "5 unreadable")
    await stage.recovers()


async def test_an_empty_list_says_so(stage: Stage) -> None:
    await stage.request(http(200, " [ ] "))
    stage.shows("No animals yet. a adds one.", "0 shown")
    await stage.recovers()


@pytest.mark.parametrize("pet_id", IDS)
async def test_an_id_of_64_bits_is_shown_exactly(pet_id: int, stage: Stage) -> None:
    await stage.request(http(200, pets({"id": pet_id, "categoryId": -(2**63)})))
    assert stage.ids == [pet_id]
    stage.shows(str(-(2**63)))
    await stage.recovers()


async def test_a_status_is_shown_as_known_unknown_or_not_set(stage: Stage) -> None:
    await stage.request(http(200, pets(*[{"status": status} for status in STATUSES_OF_ROWS])))
    stage.shows("● available", "◐ pending", "○ sold", "? on loan", "? AVAILABLE", "– not set")
    assert stage.ids == list(range(len(STATUSES_OF_ROWS)))
    await stage.recovers()


@pytest.mark.parametrize("name", REMARKABLE)
async def test_deviations_of_a_list_are_pointed_out(name: str, stage: Stage) -> None:
    body, said = REMARKABLE[name]
    await stage.request(http(200, body))
    stage.shows(f"▲ {said}", f"{len(json.loads(body)):,} shown")
    await stage.recovers()


async def test_rows_of_another_status_are_shown_and_pointed_out(stage: Stage) -> None:
    await stage.request(http(200, STRANGERS), key="2")
    assert stage.ids == [0, 1, 2, 3]
    stage.shows("3 of another status than available", "3 with a status not requested")
    await stage.recovers(key="1")


@pytest.mark.parametrize("megabytes", [1, 5])
async def test_an_error_body_of_megabytes_is_shown_by_its_start(
    megabytes: int, stage: Stage
) -> None:
    message = "m" * (megabytes * 1_000_000)
    await stage.request(http(400, json.dumps({"code": "c", "message": message, "status": 400})))
    if megabytes == 1:
        stage.shows("✖ 400 c", "mmmmmmmm")
    else:
        stage.shows("✖ No Error body", "400 from the service", "application/json, more than 2.0 MB")
    stage.keeps_rows()
    await stage.recovers()


async def test_an_excerpt_of_the_response_can_be_viewed(stage: Stage) -> None:
    await stage.request(http(502, b"<title>\x1b]52;c;AAAA\x07Bad \x9b2JGateway\xff"))
    await stage.driver.press("f6")
    stage.check()
    stage.shows("<title>␛]52;c;AAAA␇Bad")
    await stage.driver.press("escape")
    stage.check()
    stage.keeps_rows()
    await stage.recovers()
