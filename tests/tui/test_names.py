"""An animal without a name says so, in the list as in the detail."""

from __future__ import annotations

import pytest

from tests.exhaustive import exhaustive
from tests.tui.driving import open_app
from tests.tui.scripted_service import Response, ScriptedService, pet


@pytest.mark.parametrize("name", ["", "\u3000"])
@pytest.mark.parametrize("size", [(40, 12), *exhaustive((120, 30))])
async def test_an_invisible_name_is_shown_as_no_name(name: str, size: tuple[int, int]) -> None:
    animal = pet(7, name)
    service = ScriptedService([])
    service.always("listPets", Response(body=[animal]))
    service.always("getPet", Response(body=animal))
    async with open_app(service, size=size) as driver:
        assert "(no name)" in driver.line_with("  7  ")
        await driver.press("enter")
        await driver.sees("(no name)", "confirmed")


async def test_an_animal_called_no_name_looks_different() -> None:
    """By its style, in the list and in the detail."""
    service = ScriptedService([])
    animals = [pet(3, "First"), pet(2, ""), pet(1, "(no name)")]
    service.always("listPets", Response(body=animals))
    service.next("getPet", Response(body=animals[1]), Response(body=animals[2]))
    async with open_app(service) as driver:
        assert style_of(driver, "  2  ") != style_of(driver, "  1  ")
        await driver.press("j", "enter")
        await driver.sees("confirmed")
        nameless = style_of(driver, "")
        await driver.press("j")
        await driver.until(lambda: driver.screen.pet.id == 1)
        await driver.sees("confirmed")
        assert style_of(driver, "") != nameless


def style_of(driver: object, row: str) -> object:
    """Return the style of "(no name)" in the row that contains a text."""
    with driver.app._context():
        for strip in driver.app.screen._compositor.render_strips():
            if row in strip.text and "(no name)" in strip.text:
                start = strip.text.index("(no name)")
                return next(iter(strip.crop(start, start + 9))).style
    raise AssertionError(driver.text)
