"""The bell and the mark in the title: when an animal is refused, or adds wait for an API key."""

from __future__ import annotations

from datetime import timedelta

from pettui.models.staged_faults import StagedFaults
from pettui.tui.session.session import Demo
from tests.tui.driving import Driver, FixedClock, open_app
from tests.tui.scripted_service import UNAUTHORIZED, ScriptedService, error

REFUSED = error(400, "invalid_value", "name: too long")
MARK, UNMARK, BELL = "\x1b[22;2t\x1b]2;(!) pettui\x07", "\x1b]2;pettui\x07\x1b[23;2t", "\x07"


async def add(driver: Driver, name: str) -> None:
    """Add an animal in the form, and go back to the list."""
    await driver.press("a", *name, "tab", "3", "enter", "escape")


async def test_a_refusal_is_said_and_rung_and_marks_the_title_until_the_next_key() -> None:
    gate_service = ScriptedService([])
    async with open_app(gate_service) as driver:
        gate_service.next("createPet", REFUSED)
        gate = gate_service.hold("createPet")
        await add(driver, "Rex")
        with driver.written() as texts:
            gate.set()
            await driver.sees("Rex was refused")
            assert texts == [MARK + BELL]
            await driver.press("j")
            assert texts == [MARK + BELL, UNMARK]
            assert "Rex was refused" not in driver.text


async def test_it_rings_once_in_ten_seconds() -> None:
    clock = FixedClock()
    async with open_app(ScriptedService([]), clock=clock) as driver:
        driver.service.next("createPet", REFUSED, REFUSED, REFUSED)
        with driver.written() as texts:
            for seconds in (0, 9, 1):
                clock.time += timedelta(seconds=seconds)
                before = len(driver.entries)
                await driver.press("a")
                await driver.press(*"Rex", "tab", "3", "enter")
                await driver.until(lambda n=before: len(driver.entries) > n)
                await driver.until(lambda: driver.entries[-1].error)
                await driver.settled()
                await driver.press("escape", "escape")
            assert "".join(texts).count(MARK) == 3
            assert "".join(texts).replace(MARK, "").replace(UNMARK, "") == BELL * 2


async def test_adds_that_wait_for_an_api_key_ring_once_and_bell_turns_that_off() -> None:
    for bell in (True, False):
        async with open_app(ScriptedService([]), bell=bell) as driver:
            driver.service.always("createPet", UNAUTHORIZED)
            with driver.written() as texts:
                await driver.press("a", *"Rex", "tab", "3", "enter")
                await driver.until(lambda: MARK in "".join(texts))
                assert texts == [MARK + BELL if bell else MARK]


async def test_a_demo_neither_rings_nor_marks() -> None:
    async with open_app(ScriptedService([]), demo=Demo(StagedFaults())) as driver:
        driver.service.next("createPet", REFUSED)
        with driver.written() as texts:
            await driver.press("a", *"Rex", "tab", "3", "enter")
            await driver.sees("400 invalid_value")
            await driver.settled()
            assert texts == []
