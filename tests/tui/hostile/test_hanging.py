"""Calls that hang, drip or flood: keys are answered on every screen meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import EntryState
from tests.client.hostile.server import endless, stall
from tests.client.hostile.usual import USUAL_IDS
from tests.client.hostile.wire import CUT, ENDLESS
from tests.tui.driving import DEADLINE, QUICK_LIMITS
from tests.tui.hostile.stage import FIRST, NEXT

if TYPE_CHECKING:
    from tests.tui.hostile.stage import Stage

# Only the service ends a call here, however long the keys take on a busy machine.
STAGE = {"size": (120, 24), "limits": replace(QUICK_LIMITS, silence=DEADLINE, deadline=DEADLINE)}
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]
HANGING = {
    **{name: stall(data) for name, data in CUT.items()},
    **{name: endless(*parts) for name, parts in ENDLESS.items()},
}


@pytest.mark.parametrize("name", HANGING)
async def test_the_cursor_moves_while_a_list_hangs(name: str, stage: Stage) -> None:
    """When the connection drops at last the list is requested again, and comes."""
    stage.server.turn_to(HANGING[name], stage.usual)
    stage.send_request()
    await stage.driver.until(stage.server.requested.is_set)
    await stage.driver.press("g", "j", "j")
    assert f"{USUAL_IDS[2]}" in stage.driver.line_with("▌")
    assert stage.driver.screen.header.spinner
    stage.server.hang_up()
    await stage.wait_for_response()
    assert stage.is_good
    assert len(stage.server.seen) == 2


@pytest.mark.parametrize("name", HANGING)
async def test_the_next_animal_is_typed_while_an_add_hangs(name: str, stage: Stage) -> None:
    """When the connection drops at last the outcome is unknown: it is not sent again."""
    stage.server.turn_to(HANGING[name], stage.usual)
    await stage.driver.press("a", FIRST, "tab", "3", "enter")
    await stage.driver.until(stage.server.requested.is_set)
    await stage.driver.press(*NEXT)
    assert NEXT in stage.driver.line_with("Name")
    assert stage.entry(FIRST).state is EntryState.SENDING
    stage.server.hang_up()
    await stage.driver.until(lambda: stage.is_entered(FIRST, EntryState.UNKNOWN))
    await stage.driver.settled()
    stage.check()
    stage.shows(
        f"▲ {FIRST}  3 Dogs  – not set  unknown",
        f"cannot read from 127.0.0.1:{stage.server.port}: ",
    )
    await stage.adds_the_next()
    assert stage.names_sent == [FIRST, NEXT]
    await stage.clear_outbox()
    await stage.driver.press("escape")


@pytest.mark.parametrize("name", HANGING)
async def test_another_animal_is_shown_while_one_hangs(name: str, stage: Stage) -> None:
    stage.server.turn_to(HANGING[name], stage.usual)
    await stage.driver.press("g", "enter")
    await stage.driver.until(stage.server.requested.is_set)
    assert f"Usual {USUAL_IDS[0]}" in stage.driver.text
    assert stage.driver.screen.header.spinner
    await stage.driver.press("j")
    await stage.wait_for_response()
    stage.shows(f"Usual {USUAL_IDS[1]}", "confirmed")
    assert stage.server.targets == [f"/v1/pets/{pet_id}" for pet_id in USUAL_IDS[:2]]
    await stage.driver.press("escape", "g")
