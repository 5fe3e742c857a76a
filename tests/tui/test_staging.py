"""What goes wrong in a demo because somebody staged it: keys in, Error bodies on the screen."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from pettui.models.staged_faults import Fault
from pettui.outbox.entries import EntryState
from pettui.outbox.outbox import Outbox
from tests.demo_page import PAGE, steps, typed
from tests.exhaustive import exhaustive
from tests.tui import demos
from tests.tui.demos import open_demo, run_command
from tests.tui.driving import QUICK_LIMITS, Case, case, on, sees, sees_no, table
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


@table(
    case("many faults are counted rather than push out what the header is for",
        lambda: open_demo(size=(40, 24), clock=lambda: 0.0),
        *(key for letters in ("400", "401", "503", "answers", "410") for key in (":", *letters, "enter")),
        sees("5 faults", "nothi", "12:01:03")),
    case("nothing can be staged outside a demo", on(),
        ":", *"stage", sees_no("Stage:", "410", "401")),
    case("a demo that is read-only says so before a form is filled in",
        lambda: open_demo(is_read_only=True), sees("read-only, in memory"), sees_no("a Add"),
        "a", sees("read-only: this demo accepts no new animals"),
        "escape", "enter", "a", sees("confirmed", "read-only: this demo"), sees_no("Add one like it"),
        "escape", ":", *"400", sees_no("the next add is refused")),
)  # fmt: skip
async def test_demos(case: Case) -> None:
    await case.run()
