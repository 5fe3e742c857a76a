"""Our themes in 16, 256 and true colours: chosen, never rounded, and to be read in all of them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from rich.color import Color, ColorSystem
from rich.style import Style
from textual.color import Color as TextualColor

from pettui.settings import Colours
from pettui.themes import DARK, LABELS, LIGHT, TERMINAL
from pettui.tui.appearance import colour_of_256, shown
from tests.tui.appearance.test_themes import AA, luminance, segments
from tests.tui.driving import open_app
from tests.tui.tour import tour, touring_service

if TYPE_CHECKING:
    from rich.segment import Segment

pytestmark = pytest.mark.exhaustive

LINES = 3.0  # WCAG 2.2, 1.4.11
SYSTEMS = {
    Colours.TRUE: ColorSystem.TRUECOLOR,
    Colours.MANY: ColorSystem.EIGHT_BIT,
    Colours.SIXTEEN: ColorSystem.STANDARD,
}
# As xterm has them: XTerm-col.ad and 256colres.pl.
XTERM_SIXTEEN = (
    (0x00, 0x00, 0x00), (0xCD, 0x00, 0x00), (0x00, 0xCD, 0x00), (0xCD, 0xCD, 0x00),
    (0x00, 0x00, 0xEE), (0xCD, 0x00, 0xCD), (0x00, 0xCD, 0xCD), (0xE5, 0xE5, 0xE5),
    (0x7F, 0x7F, 0x7F), (0xFF, 0x00, 0x00), (0x00, 0xFF, 0x00), (0xFF, 0xFF, 0x00),
    (0x5C, 0x5C, 0xFF), (0xFF, 0x00, 0xFF), (0x00, 0xFF, 0xFF), (0xFF, 0xFF, 0xFF),
)  # fmt: skip
CUBE = (0, 95, 135, 175, 215, 255)
XTERM = (
    *XTERM_SIXTEEN,
    *product(CUBE, CUBE, CUBE),
    *((8 + 10 * step,) * 3 for step in range(24)),
)
WHITE_PAPER, BLACK_PAPER = ((0, 0, 0), (255, 255, 255)), ((229, 229, 229), (0, 0, 0))
THEMES = {"pettui-dark": DARK, "pettui-light": LIGHT, "ansi": TERMINAL}


def seen(
    style: Style, colours: Colours, paper: tuple[tuple[int, int, int], ...]
) -> tuple[tuple[int, int, int], ...]:
    """Return a style's foreground and background as xterm shows them, with its own defaults."""

    def triplet(colour: Color | None, own: tuple[int, int, int]) -> tuple[int, int, int]:
        if colour is None or colour.is_default:
            return own
        shown = colour.downgrade(SYSTEMS[colours])
        if shown.triplet is not None:
            return tuple(shown.triplet)
        number = shown.number or 0
        if style.bold and own is paper[0] and number < 8:  # bold is bright
            number += 8
        return XTERM[number]

    pair = triplet(style.color, paper[0]), triplet(style.bgcolor, paper[1])
    return pair[::-1] if style.reverse else pair


def contrast(pair: tuple[tuple[int, int, int], ...]) -> float:
    """Return the contrast of two colours."""
    lighter, darker = sorted(map(luminance, pair), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def low(
    pieces: list[Segment], colours: Colours, paper: tuple[tuple[int, int, int], ...]
) -> set[tuple[str, float, str]]:
    """Return the texts with too little contrast."""
    found = set()
    for piece in pieces:
        text = piece.text.strip()
        wanted = LINES if set(text) <= set("│╭╮╰╯─▏▕") else AA
        ratio = contrast(seen(piece.style, colours, paper))
        if ratio < wanted:
            found.add((text, round(ratio, 2), str(piece.style)))
    return found


@pytest.mark.parametrize("colours", list(SYSTEMS), ids=lambda colours: colours.value)
@pytest.mark.parametrize("theme", THEMES)
async def test_every_text_on_every_screen_can_be_read(theme: str, colours: Colours) -> None:
    """4.5 to 1 as xterm shows it; in the terminal's own colours on white and on black paper."""
    async with open_app(touring_service("Tim"), theme=theme, colours=colours) as driver:
        async for where in tour(driver, "Tim"):
            for paper in (WHITE_PAPER, BLACK_PAPER):
                assert not low(segments(driver), colours, paper), where


@pytest.mark.parametrize("number", range(16, 256))
def test_a_number_of_the_palette_is_shown_as_itself(number: int) -> None:
    """But for those that Rich takes for another of the same looks, which no table may name."""
    named = {
        shade[1]
        for table in (DARK, LIGHT, *({"": a, "-": b} for a, b in LABELS.values()))
        for shade in table.values()
    }
    shown = Color.parse(colour_of_256(number)).downgrade(ColorSystem.EIGHT_BIT).number
    assert shown == number or number not in named


@pytest.mark.parametrize("table", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("colours", list(SYSTEMS), ids=lambda colours: colours.value)
def test_things_that_must_be_distinguishable_have_different_colours(
    table: object, colours: Colours
) -> None:
    own = shown(table, colours)

    def pair(name: str) -> tuple[str, str]:
        chip = own[f"{name}-chip"]
        return own.get(name, own.get(f"{name}-foreground", "")), chip

    statuses = {pair(name) for name in ("available", "pending", "sold")}
    assert len(statuses) == 3
    assert (own["quiet"], "transparent") not in statuses
    assert len({pair(name) for name in ("error", "notice", "key", "available")}) == 4
    backgrounds = [
        own[name]
        for name in ("background", "cursor-background", "cursor-blurred", "tab-background")
    ]
    assert backgrounds[0] not in backgrounds[1:]
    assert own["field-focused"] != own["field"]
    labels = {(own[f"label-{name}-foreground"], own[f"label-{name}-background"]) for name in LABELS}
    assert len(labels) == len(LABELS)
    assert own["band"] not in {own[f"label-{name}-background"] for name in LABELS}


@pytest.mark.parametrize("table", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("colours", list(SYSTEMS), ids=lambda colours: colours.value)
def test_the_lines_around_a_field_can_be_seen(table: object, colours: Colours) -> None:
    own = shown(table, colours)
    for line, background in product(("line", "accent-foreground"), ("background", "field")):
        names = (TextualColor.parse(own[name]).rich_color for name in (line, background))
        assert contrast(seen(Style.from_color(*names), colours, BLACK_PAPER)) >= LINES, line


@pytest.mark.parametrize("theme", THEMES)
async def test_sixteen_colours_are_the_terminals_own(theme: str) -> None:
    """And where they are bold they are of the brighter eight, which bold does not change."""
    async with open_app(touring_service("Tim"), theme=theme, colours=Colours.SIXTEEN) as driver:
        async for where in tour(driver, "Tim"):
            for segment in segments(driver):
                style = segment.style
                for colour in (style.color, style.bgcolor):
                    assert colour is None or colour.is_default or colour.number < 16, (
                        where,
                        segment,
                    )
                if style.bold and style.color is not None and not style.color.is_default:
                    assert style.color.number >= 8, (where, segment)
