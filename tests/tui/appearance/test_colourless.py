"""Without colours everything is told by words, signs, bold, reverse and lines."""

from __future__ import annotations

import pytest

from pettui.settings import Colours
from tests.tui.appearance.test_themes import segments
from tests.tui.driving import open_app


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        (" PRODUCTION ", "reverse"),
        (" 1 All ", "reverse"),
        ("Id  Name", "underline"),
        ("▌", "reverse"),
        ("Add", None),
        (" F1", "bold"),
    ],
)
async def test_without_colours_attributes_make_things_stand_out(
    text: str, attribute: str | None
) -> None:
    async with open_app(colours=Colours.NONE) as driver:
        piece = next(piece for piece in segments(driver) if text in piece.text)
        is_set = {name for name in ("reverse", "underline", "bold") if getattr(piece.style, name)}
        assert (attribute in is_set) if attribute else not is_set


async def test_colours_change_when_the_terminal_turns_out_to_have_others() -> None:
    """As an app does that was drawn before anybody came."""
    async with open_app() as driver:
        row = driver.lines.index(driver.line_with("▌")) + 1

        def background() -> object:
            return next(iter(driver.screen._compositor.render_strips()[row])).style.bgcolor

        for colours, number in ((Colours.SIXTEEN, 0), (Colours.TRUE, None), (Colours.SIXTEEN, 0)):
            driver.app.draw_in(colours)
            await driver.until(lambda number=number: background().number == number)
        driver.app.draw_in(Colours.NONE)
        await driver.until(lambda: background() is None)
