"""Calls that hang or drip: keys are answered on every screen until the call is given up."""

from __future__ import annotations

import re

import pytest

from pettui.outbox import EntryState
from pettui.settings import Limits
from tests.client.hostile.server import endless, stall
from tests.client.hostile.usual import USUAL_IDS
from tests.client.hostile.wire import CUT, ENDLESS
from tests.tui.hostile_stage import FIRST, NEXT, Stage

LIMITS = Limits(tries=0, silence=0.15, deadline=0.3)
STAGE = {"size": (120, 24), "limits": LIMITS}
pytestmark = pytest.mark.asyncio(loop_scope="module")
HANGING = {
    **{name: stall(data) for name, data in CUT.items()},
    **{name: endless(*parts) for name, parts in ENDLESS.items()},
}
# Which of its two limits a silent call meets first, on a machine that is busy, is no matter.
GIVEN_UP = re.compile("nothing was sent for 0.15 s|no whole answer within 0.3 s")


@pytest.mark.parametrize("name", HANGING)
async def test_the_cursor_moves_while_a_list_hangs(name: str, stage: Stage) -> None:
    stage.server.turn_to(HANGING[name])
    stage.begin_asking()
    await stage.driver.until(stage.server.asked.is_set)
    await stage.driver.press("g", "j", "j")
    assert stage.driver.screen.header.waiting
    assert f"{USUAL_IDS[2]}" in stage.driver.line_with("▌")
    await stage.is_answered()
    stage.tells("✖ No answer", f"cannot read from 127.0.0.1:{stage.server.port}: ")
    assert GIVEN_UP.search(stage.driver.words)
    stage.keeps_rows()
    assert len(stage.server.seen) == 1
    await stage.recovers()


@pytest.mark.parametrize("name", HANGING)
async def test_the_next_animal_is_typed_while_an_add_hangs(name: str, stage: Stage) -> None:
    stage.server.turn_to(HANGING[name], stage.usual)
    await stage.driver.press("a", FIRST, "tab", "3", "enter")
    await stage.driver.until(stage.server.asked.is_set)
    await stage.driver.press(NEXT)
    assert stage.entry(FIRST).state is EntryState.SENDING
    assert NEXT in stage.driver.line_with("Name")
    await stage.driver.until(lambda: stage.entry(FIRST).state is EntryState.UNKNOWN)
    await stage.driver.settled()
    stage.check()
    assert GIVEN_UP.search(stage.entry(FIRST).error)
    stage.tells(f"▲ {FIRST}  unknown", f"cannot read from 127.0.0.1:{stage.server.port}: no")
    await stage.adds_the_next()
    assert stage.names_sent == [FIRST, NEXT]
    await stage.clear_outbox()
    await stage.driver.press("escape")


@pytest.mark.parametrize("name", ["headers alone", "drips", "floods chunks"])
async def test_another_animal_is_opened_while_one_hangs(name: str, stage: Stage) -> None:
    stage.server.turn_to(HANGING[name])
    await stage.driver.press("g", "enter")
    await stage.driver.until(stage.server.asked.is_set)
    await stage.driver.press("j")
    assert f"Usual {USUAL_IDS[1]}" in stage.driver.text
    await stage.is_answered()
    stage.tells("✖ No answer", f"Usual {USUAL_IDS[1]}", "from the list, 12:")
    assert GIVEN_UP.search(stage.driver.words)
    await stage.ask(stage.usual)
    stage.tells("read by getPet")
    await stage.driver.press("escape", "g")
