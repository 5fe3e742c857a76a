"""The themes in 16, 256 and true colours, and without: to be read, and to be told apart, in all."""

from __future__ import annotations

from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor

from pettui.settings import Colours
from pettui.themes import DARK, LABELS, LIGHT, TERMINAL
from pettui.tui.appearance import AsciiFilter, colour_of_256, shown
from tests.exhaustive import exhaustive, exhaustive_rows
from tests.tui.driving import Driver, open_app, strips_of
from tests.tui.tour import tour, touring_service

AA = 4.5  # WCAG 2.2, 1.4.3
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


def luminance(triplet: tuple[int, int, int]) -> float:
    """Return the relative luminance (WCAG 2.2)."""
    parts = [value / 255 for value in triplet]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(pair: tuple[tuple[int, int, int], ...]) -> float:
    """Return the contrast of two colours."""
    lighter, darker = sorted(map(luminance, pair), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def segments(driver: Driver) -> list[Segment]:
    """Return the segments of text on the screen."""
    strips = strips_of(driver.app)
    for box in driver.screen.query(".box"):  # what it covers is dimmed, and not in use
        region = box.region
        strips = [strip.crop(region.x, region.right) for strip in strips[region.y : region.bottom]]
    blocks = {chr(code) for code in range(0x2580, 0x25A0)} | {" "}
    return [segment for strip in strips for segment in strip if set(segment.text) - blocks]


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


@pytest.mark.parametrize(
    ("theme", "colours"),
    [("pettui-dark", Colours.TRUE), *exhaustive_rows(*islice(product(THEMES, SYSTEMS), 1, None))],
)
async def test_every_text_on_every_screen_can_be_read(theme: str, colours: Colours) -> None:
    """4.5 to 1 as xterm shows it; in the terminal's own colours on white and on black paper."""
    async with open_app(touring_service("Tim"), theme=theme, colours=colours) as driver:
        async for where in tour(driver, "Tim"):
            for paper in (WHITE_PAPER, BLACK_PAPER):
                assert not low(segments(driver), colours, paper), where


def test_the_numbers_of_the_themes_are_shown_as_themselves() -> None:
    """Rich takes some of the palette for others of the same looks."""
    tables = DARK, LIGHT, *({"": a, "-": b} for a, b in LABELS.values())
    named = {shade[1] for table in tables for shade in table.values()} & {*range(16, 256)}
    colours = {number: Color.parse(colour_of_256(number)) for number in named}
    assert named == {each.downgrade(ColorSystem.EIGHT_BIT).number for each in colours.values()}


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


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("theme", "colours"),
    [*((theme, Colours.SIXTEEN) for theme in THEMES), ("ansi", Colours.TRUE)],
)
async def test_the_terminals_own_sixteen_colours_are_used(theme: str, colours: Colours) -> None:
    """And where they are bold they are of the brighter eight, which bold does not change."""
    async with open_app(touring_service("Tim"), theme=theme, colours=colours) as driver:
        async for where in tour(driver, "Tim"):
            for text, style, _ in segments(driver):
                for colour in (style.color, style.bgcolor):
                    assert colour is None or colour.is_default or colour.number < 16, (where, text)
                is_bold = style.bold and style.color and not style.color.is_default
                if colours is Colours.SIXTEEN and is_bold:
                    assert style.color.number >= 8, (where, text)


async def test_a_new_theme_recolours_the_rows_that_were_drawn_before() -> None:
    async with open_app() as driver:
        before = background_of_the_cursor(driver)
        driver.app.theme = "pettui-light"
        await driver.until(lambda: background_of_the_cursor(driver) != before)


def background_of_the_cursor(driver: Driver) -> Color | None:
    row = driver.lines.index(driver.line_with("▌")) + 1
    return next(iter(strips_of(driver.app)[row])).style.bgcolor


@pytest.mark.parametrize(
    "colours",
    [Colours.TRUE, *exhaustive(Colours.MANY, Colours.SIXTEEN, Colours.NONE)],
    ids=lambda colours: colours.value,
)
@pytest.mark.parametrize("theme", ["pettui-dark", *exhaustive("pettui-light", "ansi")])
async def test_the_cursors_bar_runs_across_the_whole_row(theme: str, colours: Colours) -> None:
    async with open_app(theme=theme, colours=colours) as driver:
        table = driver.screen.table
        for has_focus in (True, False):
            driver.screen.set_focus(table if has_focus else None)
            await driver.settled()
            strips = strips_of(driver.app)
            row = table.region.y + 1
            bar, other = (
                {piece.style for piece in strips[y].crop(0, table.size.width)}
                for y in (row, row + 1)
            )
            assert len(bar) == 1
            assert bar.isdisjoint(other)


# Without colours


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
        for colours, number in ((Colours.SIXTEEN, 0), (Colours.TRUE, None), (Colours.SIXTEEN, 0)):
            driver.app.draw_in(colours)
            await driver.until(
                lambda number=number: background_of_the_cursor(driver).number == number
            )
        driver.app.draw_in(Colours.NONE)
        await driver.until(lambda: background_of_the_cursor(driver) is None)


async def test_without_colour_glyphs_and_words_carry_every_meaning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    signs = "PRODUCTION", "● available", "◐ pending", "○ sold", "– not set", "▌", "+"
    said = {"list with new animals": signs, "list with an Error body": ("✖ 400",)}
    async with open_app(touring_service("Tim")) as driver:
        async for where in tour(driver, "Tim"):
            for _, style, _ in segments(driver):
                assert (style.color, style.bgcolor) == (None, None), where
            await driver.sees(*said.get(where, ()))


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=20))
def test_without_unicode_every_text_is_ascii_of_the_same_width(text: str) -> None:
    segments = AsciiFilter().apply([Segment(text)], TextualColor(0, 0, 0))
    assert segments[0].text.isascii()
    if cell_len(text) == sum(cell_len(character) for character in text):
        assert cell_len(segments[0].text) == cell_len(text)
