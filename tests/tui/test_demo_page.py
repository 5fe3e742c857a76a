"""``docs/demo.md``: every key of the demo is pressed, and what people are to see is there."""

from __future__ import annotations

import pytest

from pettui.staged_faults import Fault
from tests.demo_page import PAGE, steps, typed
from tests.exhaustive import exhaustive
from tests.tui.demos import open_demo


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
