"""createPet of a hostile service: each case in the form, in the running app.

The clerk types on while it happens. Of every animal there is one POST, whatever came of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import EntryState
from tests.client.hostile.bodies import NO_JSON, NO_PETS
from tests.client.hostile.links import NOT_FOLLOWED, REDIRECTS, placed, redirect
from tests.client.hostile.refusals import ADDS, BODIES_OF_ADDS
from tests.client.hostile.server import http, raw, reset
from tests.client.hostile.texts import STEERING
from tests.client.hostile.wire import CUT, NO_HTTP
from tests.tui.driving import KEY
from tests.tui.hostile.stage import FIRST, NEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.client.hostile.server import Step
    from tests.tui.hostile.stage import Stage

STAGE = {"size": (200, 18), "begin": ("a", "tab", "3", "shift+tab")}
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]


async def is_unknown(stage: Stage, step: Step, said: str) -> None:
    """Add an animal whose outcome is unknown: the form says so, and the next one is added."""
    await stage.add(step)
    assert stage.entry(FIRST).state is EntryState.UNKNOWN
    stage.shows(f"▲ {FIRST}  3 Dogs  – not set  unknown", said)
    await goes_on(stage)


async def is_refused(stage: Stage, step: Step, said: str) -> None:
    """Add an animal that is refused: the form says so, and the next one is added."""
    await stage.add(step)
    assert stage.entry(FIRST).state is EntryState.REFUSED
    stage.shows(f"✖ {FIRST}  3 Dogs  – not set  refused", said)
    assert stage.driver.screen.error_banner.failure is not None
    await goes_on(stage)


async def goes_on(stage: Stage) -> None:
    """Add the next animal, and check that none went out twice."""
    await stage.adds_the_next()
    assert stage.names_sent == [FIRST, NEXT]
    await stage.clear_outbox()


@pytest.mark.parametrize("name", [*NO_JSON, *NO_PETS])
async def test_an_add_with_an_unreadable_response_is_unknown(name: str, stage: Stage) -> None:
    body, said = {**NO_JSON, **NO_PETS}[name]
    await is_unknown(stage, http(201, body), said)


@pytest.mark.parametrize("status", [204, 205])
async def test_an_add_with_an_empty_response_is_unknown(status: int, stage: Stage) -> None:
    await is_unknown(stage, http(status), "got an empty body")


@pytest.mark.parametrize(("status", "maybe"), [case for case in ADDS if case[0] != 401])
@pytest.mark.parametrize("name", BODIES_OF_ADDS)
async def test_an_add_is_unknown_unless_the_service_says_that_the_request_was_wrong(
    status: int, maybe: bool, name: str, stage: Stage
) -> None:
    step = http(status, BODIES_OF_ADDS[name], [("Location", "/v1/elsewhere")])
    await (is_unknown if maybe else is_refused)(stage, step, str(status))


@pytest.mark.parametrize("name", BODIES_OF_ADDS)
async def test_an_add_whose_key_is_refused_waits_for_another_key(name: str, stage: Stage) -> None:
    """A 401 says that nothing was added: after the key it goes out again, and what follows too."""
    stage.server.turn_to(http(401, BODIES_OF_ADDS[name]), stage.usual)
    await stage.driver.press(FIRST, "enter", NEXT)
    await stage.driver.sees("✖", "F7 Change API key", "401")
    assert stage.entry(FIRST).state is EntryState.WAITING
    assert stage.driver.form_text() == NEXT
    await stage.driver.press("f7", *KEY, "enter")
    await stage.driver.until(lambda: stage.entry(FIRST).state is EntryState.ADDED)
    assert stage.driver.form_text() == NEXT
    await stage.adds_the_next()
    assert stage.names_sent == [FIRST, FIRST, NEXT]
    await stage.clear_outbox()


@pytest.mark.parametrize("name", NO_HTTP)
async def test_an_add_to_a_server_without_http_is_unknown(name: str, stage: Stage) -> None:
    await is_unknown(stage, raw(NO_HTTP[name][0]), NO_HTTP[name][1])


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("end", [raw, reset])
async def test_an_add_whose_connection_is_dropped_is_unknown(
    name: str, end: Callable[[bytes], Step], stage: Stage
) -> None:
    await is_unknown(stage, end(CUT[name]), "cannot read from 127.0.0.1:")


@pytest.mark.parametrize("status", REDIRECTS)
async def test_an_add_follows_no_redirect(status: int, stage: Stage) -> None:
    await is_unknown(stage, redirect(status, "/v1/there"), "an add is not sent twice")


async def test_an_add_follows_no_redirect_to_another_origin(stage: Stage) -> None:
    location = placed(NOT_FOLLOWED["another port"], stage.server, stage.other)
    await is_unknown(stage, redirect(307, location), "it leads to another origin")


@pytest.mark.parametrize("name", STEERING)
async def test_a_refusal_with_control_characters_is_shown_safely(name: str, stage: Stage) -> None:
    text, shown = STEERING[name]
    body = json.dumps({"code": text, "message": text, "status": 400})
    await is_refused(stage, http(400, body), shown[:20])


@pytest.mark.parametrize(
    ("status", "name", "said"),
    [
        (200, FIRST, "the service answered 200 instead of 201"),
        (201, "Rex", "the service stored another name than was sent"),
    ],
)
async def test_deviations_of_an_added_animal_are_pointed_out(
    status: int, name: str, said: str, stage: Stage
) -> None:
    answer = {"id": 100 + status, "name": name, "categoryId": 3}
    await stage.add(http(status, json.dumps(answer)))
    stage.shows(f"✔ {100 + status} {FIRST}  3 Dogs  – not set  {said}")
    await goes_on(stage)


async def test_an_add_whose_response_has_a_known_id_is_unknown(stage: Stage) -> None:
    """Such as a response that came twice."""
    stage.server.turn_to(http(201, json.dumps({"id": 1, "name": FIRST, "categoryId": 3})))
    await stage.driver.press(NEXT, "enter", FIRST, "enter")
    await stage.driver.until(lambda: stage.is_entered(FIRST, EntryState.UNKNOWN))
    await stage.driver.settled()
    stage.check()
    stage.shows(
        f"✔ 1 {NEXT}",
        f"▲ {FIRST}  3 Dogs  – not set  unknown",
        "has id 1, which another animal has",
    )
    assert stage.names_sent == [NEXT, FIRST]
    await stage.clear_outbox()
