"""Texts that steer terminals, and headers that announce an end: wherever they can stand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.client.hostile.deprecations import DEPRECATIONS, ENDS, MALFORMED
from tests.client.hostile.refusals import AFTER
from tests.client.hostile.server import raw
from tests.client.hostile.texts import STEERING
from tests.client.hostile.usual import USUAL, USUAL_IDS
from tests.tui.hostile.stage import ATTEMPTS

if TYPE_CHECKING:
    from datetime import date

    from tests.client.hostile.server import Step
    from tests.tui.hostile.stage import Stage

STAGE = {"size": (120, 28)}
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]


def answer(status: int, body: object, *headers: tuple[str, str]) -> Step:
    """Send JSON, its escapes as they are, and headers in UTF-8."""
    content = json.dumps(body, ensure_ascii=False).encode()
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(content)}"]
    lines += [
        f"{name}: {value}" for name, value in (("Content-Type", "application/json"), *headers)
    ]
    return raw("\r\n".join([*lines, "", ""]).encode() + content, close=False)


@pytest.mark.parametrize("name", STEERING)
async def test_an_animal_with_control_characters_is_shown_safely(name: str, stage: Stage) -> None:
    """As its name, status, field and field's name: in the row, the preview, and its own screen."""
    text, shown = STEERING[name]
    animal = {"id": 112, "name": text, "categoryId": 3, "status": text, text: text}
    await stage.request(answer(200, [animal]))
    stage.shows(shown[:20])
    assert stage.ids == [112]
    stage.server.turn_to(answer(200, animal))
    await stage.driver.press("enter")
    await stage.wait_for_response()
    stage.shows(shown, "confirmed", "Others")
    await stage.driver.press("escape")
    await stage.recovers()


@pytest.mark.parametrize("name", STEERING)
async def test_an_error_with_control_characters_is_shown_safely(name: str, stage: Stage) -> None:
    text, shown = STEERING[name]
    await stage.request(answer(400, {"code": text, "message": text, "status": 400}))
    stage.shows(f"✖ 400 {shown[:20]}", shown)
    stage.keeps_rows()
    if "f6" in stage.driver.app.screen.active_bindings:
        await stage.driver.press("f6")
        stage.check()
        await stage.driver.press("escape")
    await stage.recovers()


@pytest.mark.parametrize("name", STEERING)
async def test_an_unreadable_row_with_control_characters_is_shown_safely(
    name: str, stage: Stage
) -> None:
    """Its beginning is shown in the preview."""
    text, _ = STEERING[name]
    await stage.request(answer(200, [{"id": text, "name": text, "categoryId": 3}, *USUAL]))
    await stage.driver.press("g")
    stage.check()
    stage.shows("row 1 unreadable: id: must be a whole number", "Row 1 is not an animal")
    assert stage.ids == USUAL_IDS
    await stage.recovers()


@pytest.mark.parametrize(
    "header", ["Content-Type", "Content-Encoding", "Location", "Link", "Retry-After", "Sunset"]
)
@pytest.mark.parametrize("name", ["CSI", "OSC 52", "controls of 8 bits", "bidi"])
async def test_a_header_with_control_characters_is_shown_safely(
    name: str, header: str, stage: Stage
) -> None:
    text, _ = STEERING[name]
    value = f"<http://x/{text}>; rel=next" if header == "Link" else text
    await stage.request(answer(307, {}, (header, value)))
    stage.shows("✖ No", "307 from the service")
    stage.keeps_rows()
    await stage.recovers()


@pytest.mark.parametrize("value", AFTER)
async def test_no_retry_after_keeps_the_screen_waiting(value: str, stage: Stage) -> None:
    """A time beyond the bound is not waited for, one that is none changes nothing."""
    await stage.request(answer(503, {}, ("Retry-After", value)))
    stage.shows("✖ No Error body", "503 from the service")
    stage.keeps_rows()
    assert len(stage.server.seen) in (1, ATTEMPTS)
    await stage.recovers()


@pytest.mark.parametrize(("value", "since"), DEPRECATIONS.items())
async def test_a_deprecation_is_a_notice(value: str, since: date | None, stage: Stage) -> None:
    await stage.request(answer(200, USUAL, ("Deprecation", value)))
    is_to_come = since is not None and since > stage.driver.clock.now().date()
    stage.shows("▲ listPets will be deprecated on" if is_to_come else "▲ listPets is deprecated.")
    assert stage.is_good
    await stage.recovers()
    assert "deprecated" not in stage.driver.text


@pytest.mark.parametrize("value", MALFORMED, ids=lambda value: repr(value[:40]))
async def test_a_malformed_header_is_no_notice(value: str, stage: Stage) -> None:
    await stage.request(answer(200, USUAL, ("Deprecation", value), ("Sunset", value[:9_000])))
    assert "deprecated" not in stage.driver.text
    assert stage.is_good


@pytest.mark.parametrize("name", ENDS)
async def test_a_sunset_is_shown_exactly_or_not_at_all(name: str, stage: Stage) -> None:
    headers, said = ENDS[name]
    await stage.request(answer(200, USUAL, *headers))
    if said is None:
        assert "deprecated" not in stage.driver.text
    else:
        stage.shows("▲ listPets ", said)
    assert stage.is_good
    await stage.recovers()
