"""Every box over a screen, resized while it is open, at every size."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import check_screen, open_app
from tests.tui.resizing import SIZES, resized
from tests.tui.scripted_service import error

if TYPE_CHECKING:
    from tests.tui.driving import Driver

pytestmark = pytest.mark.exhaustive

# How it is opened, what stands in it, what stands at its foot, and what closes it.
BOXES = {
    "help": (("f1",), "Keys", "esc Close ─╯", "escape"),
    "palette": ((":", *"lim"), "Larger limit", "↵ Run  esc Close ─╯", "escape"),
    "help of the form": (("a", *"Rex", "f1"), "Add and next", "esc Close ─╯", "f1"),
    "palette of the form": (
        ("a", *"Rex", "tab", "tab", ":", *"cle"), "Clear", "↵ Run  esc Close ─╯", "escape",
    ),
    "help of the detail": (("enter", "f1"), "Previous", "esc Close ─╯", "q"),
    "help of the outbox": (("o", "f1"), "Back", "esc Close ─╯", "escape"),
    "whole text": (("r", "f6"), "counted", "esc Close ─╯", "f6"),
}  # fmt: skip


async def opened(driver: Driver, box: str) -> None:
    """Open a box, and check that it is there."""
    keys = BOXES[box][0]
    if box == "whole text":
        driver.service.next("listPets", error(423, "locked", "being counted, " * 60))
        await driver.press("r")
        await driver.sees("✖ 423 locked")
        keys = keys[1:]
    await driver.press(*keys)
    await driver.sees(*BOXES[box][1:3])


@pytest.mark.parametrize("box", BOXES)
async def test_a_box_holds_at_every_size(box: str) -> None:
    """What is in it, what closes it, and that the screen below has its size too afterwards."""
    async with open_app() as driver:
        await opened(driver, box)
        for size in SIZES:
            await resized(driver, size)
            lines = check_screen(driver, f"{box} at {size}")
            assert BOXES[box][1] in driver.text, f"{size}: {driver.text}"
            assert BOXES[box][2] in driver.text, f"{size}: {driver.text}"
            assert re.search(r"\{\w+\}", driver.text) is None  # an action without its key
            assert all("╭" not in line or "╮" in line for line in lines)
        await resized(driver, (40, 12))
        await driver.press(BOXES[box][3])
        await driver.sees_no(BOXES[box][2])
        check_screen(driver, f"below {box}")
        await same_as_resized_without(driver)


async def same_as_resized_without(driver: Driver) -> None:
    """Check that the screen stands there as if it had been resized with nothing over it."""
    before = driver.lines
    await resized(driver, (120, 30))
    await resized(driver, (40, 12))
    assert driver.lines == before


@pytest.mark.parametrize("box", BOXES)
async def test_the_screen_below_a_box_grows_with_the_terminal(box: str) -> None:
    """Preview and key bar come, though a box lay over them when there was room."""
    async with open_app(size=(40, 12)) as driver:
        await opened(driver, box)
        await resized(driver, (120, 30))
        await driver.press(BOXES[box][3])
        await driver.sees_no(BOXES[box][2])
        await driver.settled()
        assert "F1 Help" in driver.lines[-1]
