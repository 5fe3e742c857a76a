"""What goes wrong in a demo because somebody staged it: keys in, Error bodies on the screen."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from pettui.client import Backoff
from pettui.models.staged_faults import Fault
from pettui.outbox import EntryState, Outbox
from tests.demo_page import PAGE, steps, typed
from tests.exhaustive import exhaustive
from tests.tui import demos
from tests.tui.demos import open_demo, run_command
from tests.tui.driving import QUICK_LIMITS, open_app
from tests.waiting import PATIENCE

LONG = 3600.0  # seconds, more than a test has


@pytest.mark.parametrize("size", [(100, 24), *exhaustive((120, 30))], ids=str)
async def test_the_demo_does_what_its_page_says(size: tuple[int, int]) -> None:
    titles = ("Look around", "Add animals", "Let it go wrong")
    async with open_demo(size=size, delay=3.0) as driver:
        for step in (step for title in titles for step in steps(title)):
            await driver.press(*typed(step.pressed))
            if not {"F8", "F5"} & {*step.pressed} and "waiting" not in step.seen:
                driver.app.session.outbox.hurry()  # in place of three seconds
            await driver.sees(*step.seen)
            await driver.sees_no(*step.gone)


def test_the_page_describes_every_fault() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"| {fault.title} |" in text for fault in Fault)


async def test_a_refresh_that_succeeds_sends_what_waited_for_the_service() -> None:
    async with open_demo(away=1000.0, backoff=Backoff(first=1000.0, longest=1000.0)) as driver:
        await run_command(driver, "503")
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await driver.sees("1 unsent: no service")
        await run_command(driver, "503")
        await driver.press("r")
        await driver.sees("added this session: 1")


async def test_the_header_drops_a_fault_once_its_time_is_over() -> None:
    now = [0.0]
    async with open_demo(clock=lambda: now[0], away=0.3) as driver:
        await run_command(driver, "503")
        await driver.sees("staged: away 503")
        now[0] = 0.3
        await driver.sees_no("staged: away 503")


async def test_quitting_a_demo_does_not_wait_for_the_response_to_an_add(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Outbox.close, "__defaults__", (LONG,))  # that others wait
    monkeypatch.setattr(demos, "QUICK_LIMITS", replace(QUICK_LIMITS, deadline=LONG))
    never = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await never.wait()

    monkeypatch.setattr("pettui.service.demo.sleep", sleep)
    async with asyncio.timeout(PATIENCE), open_demo() as driver:
        await driver.press("a", *"Mimi", "tab", "3", "enter", "escape")
        await driver.sees("added this session: 1")
        await run_command(driver, "answers")
        driver.type("a", *"Rex", "tab", "3", "enter", "escape")
        await driver.sees("staged: slow 3 s", "1 on the way")
        driver.type("q")
        await driver.until(lambda: driver.app.return_code == 0)
    assert driver.entries[-1].state is EntryState.SENDING  # a store adds it once


@pytest.mark.parametrize(
    ("columns", "faults"),
    [(40, "5 faults"), (160, "staged: add 400, key 401, away 503, slow 3 s, getPet 410")],
)
async def test_many_faults_are_counted_rather_than_push_out_what_the_header_is_for(
    columns: int, faults: str
) -> None:
    async with open_demo(size=(columns, 24), clock=lambda: 0.0) as driver:
        for letters in ("400", "401", "503", "answers", "410"):
            await run_command(driver, letters)
        await driver.until(lambda: faults in driver.lines[0])
        assert "nothi" in driver.lines[0]
        assert "12:01:03" in driver.lines[0]
        for keys in (("enter",), ("escape", "a"), ("escape", "o")):
            await driver.press(*keys)
            assert faults in driver.lines[0]
        assert "Outbox" in driver.lines[0]


async def test_the_palette_shows_which_faults_are_staged() -> None:
    async with open_demo() as driver:
        await driver.press(":", *"stage:")
        await driver.sees(*(f"Stage: {fault.title}" for fault in Fault))
        await driver.press("escape")
        await run_command(driver, "410")
        await driver.press(":", *"410")
        await driver.sees("End: getPet is gone (410)")


async def test_nothing_can_be_staged_outside_a_demo() -> None:
    async with open_app() as driver:
        await driver.press(":", *"stage")
        await driver.sees_no("Stage:", "410", "401")


async def test_a_demo_that_is_read_only_says_so_before_a_form_is_filled_in() -> None:
    async with open_demo(is_read_only=True) as driver:
        await driver.sees("read-only, in memory")
        assert "a Add" not in driver.text
        await driver.press("a")
        await driver.sees("read-only: this demo accepts no new animals")
        await driver.press("escape", "enter", "a")
        await driver.sees("confirmed", "read-only: this demo")
        assert "Add one like it" not in driver.text
        await driver.press("escape", ":", *"400")
        await driver.sees_no("the next add is refused")
