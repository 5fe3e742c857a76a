"""The themes: texts stand out from their background, and no meaning hangs on colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.settings import Colours
from tests.exhaustive import exhaustive
from tests.tui.driving import open_app
from tests.tui.tour import tour, touring_service

if TYPE_CHECKING:
    from rich.segment import Segment

    from tests.tui.driving import Driver

AA = 4.5  # WCAG 2.2, 1.4.3


def luminance(triplet: tuple[int, int, int]) -> float:
    """Return the relative luminance (WCAG 2.2)."""
    parts = [value / 255 for value in triplet]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(segment: Segment) -> float:
    """Return the contrast of a text with its background."""
    style = segment.style
    assert style is not None
    assert style.color is not None, segment
    assert style.bgcolor is not None, segment
    foreground, background = style.color.get_truecolor(), style.bgcolor.get_truecolor()
    lighter, darker = sorted(
        (luminance(tuple(foreground)), luminance(tuple(background))), reverse=True
    )
    return (lighter + 0.05) / (darker + 0.05)


def segments(driver: Driver) -> list[Segment]:
    """Return the segments of text on the screen."""
    strips = driver.screen._compositor.render_strips()
    for box in driver.screen.query(".box"):  # what it covers is dimmed, and not in use
        region = box.region
        strips = [strip.crop(region.x, region.right) for strip in strips[region.y : region.bottom]]
    blocks = {chr(code) for code in range(0x2580, 0x25A0)} | {" "}
    return [segment for strip in strips for segment in strip if set(segment.text) - blocks]


@pytest.mark.parametrize("theme", ["pettui-dark", *exhaustive("pettui-light")])
async def test_every_text_on_every_screen_has_enough_contrast(theme: str) -> None:
    """4.5 to 1, measured on what is drawn, the backgrounds under boxes and cursors included."""
    async with open_app(touring_service("Tim"), theme=theme) as driver:
        async for where in tour(driver, "Tim"):
            low = {
                (segment.text.strip(), round(contrast(segment), 2))
                for segment in segments(driver)
                if contrast(segment) < AA
            }
            assert not low, where


@pytest.mark.exhaustive
async def test_a_theme_of_textuals_own_draws_every_screen() -> None:
    """With our variables added to its own."""
    async with open_app(touring_service("Tim"), size=(60, 16), theme="nord") as driver:
        async for _ in tour(driver, "Tim"):
            assert segments(driver)


@pytest.mark.exhaustive
async def test_the_terminals_own_colours_are_used_as_they_are() -> None:
    """None but its sixteen, and its default background."""
    async with open_app(touring_service("Tim"), theme="ansi") as driver:
        async for where in tour(driver, "Tim"):
            for segment in segments(driver):
                for colour in (segment.style.color, segment.style.bgcolor):
                    assert colour is None or colour.is_default or colour.number is not None, (
                        where, segment,
                    )  # fmt: skip


async def test_without_colour_glyphs_and_words_carry_every_meaning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """NO_COLOR: no colour is drawn, on the terminal's own background, and nothing is missing."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_app(touring_service("Tim")) as driver:
        async for where in tour(driver, "Tim"):
            for segment in segments(driver):
                for colour in (segment.style.color, segment.style.bgcolor):
                    assert colour is None, (where, segment)
            if where == "list with new animals":
                for text in (
                    "PRODUCTION",
                    "● available",
                    "◐ pending",
                    "○ sold",
                    "– not set",
                    "▌",
                    "+",
                ):
                    assert text in driver.text
            if where == "list with an Error body":
                assert "✖ 400" in driver.text


async def test_a_new_theme_recolours_the_screen() -> None:
    """Rows that were drawn before, too."""
    async with open_app() as driver:
        row = driver.lines.index(driver.line_with("▌")) + 1

        def background() -> str:
            strip = driver.screen._compositor.render_strips()[row]
            return str(next(iter(strip)).style.bgcolor)

        before = background()
        driver.app.theme = "pettui-light"
        await driver.until(lambda: background() != before)


@pytest.mark.parametrize(
    "colours",
    [Colours.TRUE, *exhaustive(Colours.MANY, Colours.SIXTEEN, Colours.NONE)],
    ids=lambda colours: colours.value,
)
@pytest.mark.parametrize("theme", ["pettui-dark", *exhaustive("pettui-light", "ansi")])
async def test_the_cursors_bar_runs_across_the_whole_row(theme: str, colours: Colours) -> None:
    """In one style, from the sign at its left to the last column of the table."""
    async with open_app(theme=theme, colours=colours) as driver:
        table = driver.screen.table
        for has_focus in (True, False):
            driver.screen.set_focus(table if has_focus else None)
            await driver.settled()
            strips = driver.screen._compositor.render_strips()
            row = table.region.y + 1
            bar, other = (
                {piece.style for piece in strips[y].crop(0, table.size.width)}
                for y in (row, row + 1)
            )
            assert len(bar) == 1
            assert bar.isdisjoint(other)
