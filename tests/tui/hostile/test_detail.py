"""getPet of a hostile service: each case on the animal's own screen, in the running app."""

from __future__ import annotations

import pytest

from tests.client.hostile.bodies import NO_JSON, NO_PETS, REX
from tests.client.hostile.refusals import ERROR_BODY, TRANSIENT
from tests.client.hostile.server import http, reset
from tests.client.hostile.usual import USUAL_IDS
from tests.client.hostile.wire import CUT
from tests.tui.hostile.stage import ATTEMPTS, Stage

STAGE = {"size": (80, 24), "begin": ("enter",)}
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]
ANIMAL = USUAL_IDS[0]
DETAIL = f"/v1/pets/{ANIMAL}"
ANNOUNCED = "getPet is deprecated. It goes away on 5 December 2030"
STATUSES_OF_ONE = (300, 304, 401, 403, 404, 405, 410, 418, 429, 500, 501, 503, 999)
GONE = (405, 410, 501)  # getPet itself is; the animal is looked for in the list


def keeps_animal(stage: Stage) -> None:
    """Check that what was known of the animal stands there, and the notice of getPet's end."""
    stage.shows(f"Usual {ANIMAL}", f"Id {ANIMAL}", "Status ● available", ANNOUNCED)


@pytest.mark.parametrize("name", [*NO_JSON, *NO_PETS])
async def test_an_unreadable_animal_is_reported_and_the_old_one_stays(
    name: str, stage: Stage
) -> None:
    body, said = {**NO_JSON, **NO_PETS}[name]
    await stage.request(http(200, body))
    stage.shows("✖ Unexpected response", "200 from the service, but not its interface:", said)
    keeps_animal(stage)
    assert stage.server.targets == [DETAIL]
    await stage.recovers()


async def test_a_response_with_another_animal_is_reported(stage: Stage) -> None:
    await stage.request(http(200, REX))
    stage.shows(f"requested animal {ANIMAL}, got 7")
    keeps_animal(stage)
    await stage.recovers()


@pytest.mark.parametrize("status", STATUSES_OF_ONE)
async def test_an_error_body_is_shown_word_for_word_and_the_animal_stays(
    status: int, stage: Stage
) -> None:
    await stage.request(
        http(status, "" if status == 304 else ERROR_BODY, close=True), usual_after=status in GONE
    )
    keeps_animal(stage)
    if status in GONE:
        stage.shows("getPet is gone; looked up by GET /pets with the status filter")
        assert stage.server.targets == [DETAIL, "/v1/pets?limit=100&status=available"]
    else:
        stage.shows("304 from the service" if status == 304 else f"✖ {status} no_way")
        assert stage.server.targets == [DETAIL] * (ATTEMPTS if status in TRANSIENT else 1)
    assert ("no longer there" in stage.driver.text) == (status == 404)
    await stage.recovers()


@pytest.mark.parametrize("name", CUT)
async def test_a_dropped_connection_is_reported_and_the_animal_stays(
    name: str, stage: Stage
) -> None:
    await stage.request(reset(CUT[name]))
    stage.shows("✖ No response", "connection")
    keeps_animal(stage)
    assert stage.server.targets == [DETAIL] * ATTEMPTS
    await stage.recovers()
