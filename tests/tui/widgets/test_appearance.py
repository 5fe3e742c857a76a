"""The themes: chosen, and in 16, 256 and true colours and without, to be read and told apart."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.color import Color as TextualColor

from pettui.appearance.themes import DARK, LABELS, LIGHT, TERMINAL
from pettui.client import PetClient
from pettui.models.statuses import COLOURED, LOOKS, UNKNOWN
from pettui.remembered.theme_choice import ThemeChoice
from pettui.settings.settings import Colours, Settings
from pettui.tui.app import PetApp
from pettui.tui.widgets.appearance import AsciiFilter, colour_of_256, shown
from tests.exhaustive import exhaustive, exhaustive_rows
from tests.tui.driving import PRODUCTION, Driver, open_app, strips_of
from tests.tui.scripted_service import KEY
from tests.tui.tour import tour, touring_service

if TYPE_CHECKING:
    from pathlib import Path

    from rich.color_triplet import ColorTriplet

AA = 4.5  # WCAG 2.2, 1.4.3
LINES = 3.0  # WCAG 2.2, 1.4.11
SYSTEMS = {
    Colours.TRUE: ColorSystem.TRUECOLOR,
    Colours.MANY: ColorSystem.EIGHT_BIT,
    Colours.SIXTEEN: ColorSystem.STANDARD,
}
XTERM = (  # its sixteen colours, of XTerm-col.ad
    [(0x00, 0x00, 0x00), (0xCD, 0x00, 0x00), (0x00, 0xCD, 0x00), (0xCD, 0xCD, 0x00),
     (0x00, 0x00, 0xEE), (0xCD, 0x00, 0xCD), (0x00, 0xCD, 0xCD), (0xE5, 0xE5, 0xE5)],
    [(0x7F, 0x7F, 0x7F), (0xFF, 0x00, 0x00), (0x00, 0xFF, 0x00), (0xFF, 0xFF, 0x00),
     (0x5C, 0x5C, 0xFF), (0xFF, 0x00, 0xFF), (0x00, 0xFF, 0xFF), (0xFF, 0xFF, 0xFF)],
)  # fmt: skip
WHITE_PAPER = TerminalTheme((255, 255, 255), (0, 0, 0), *XTERM)
SIGNS = {" ", *(look.glyph for look in COLOURED.values())}
BLACK_PAPER = TerminalTheme((0, 0, 0), (229, 229, 229), *XTERM)
THEMES = {"pettui-dark": DARK, "pettui-light": LIGHT, "ansi": TERMINAL}


def seen(style: Style, colours: Colours, paper: TerminalTheme) -> tuple[ColorTriplet, ...]:
    """Return a style's foreground and background as xterm shows them on such a paper."""

    def triplet(colour: Color | None, *, is_text: bool) -> ColorTriplet:
        shown = (colour or Color.default()).downgrade(SYSTEMS[colours])
        if is_text and style.bold and shown.number is not None and shown.number < 8:
            shown = Color.from_ansi(shown.number + 8)  # bold is bright
        return shown.get_truecolor(paper, foreground=is_text)

    pair = triplet(style.color, is_text=True), triplet(style.bgcolor, is_text=False)
    return pair[::-1] if style.reverse else pair


def luminance(triplet: ColorTriplet) -> float:
    """Return the relative luminance (WCAG 2.2)."""
    parts = [value / 255 for value in triplet]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(pair: tuple[ColorTriplet, ...]) -> float:
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


@pytest.mark.parametrize(
    ("theme", "colours"),
    [("pettui-dark", Colours.TRUE), *exhaustive_rows(*islice(product(THEMES, SYSTEMS), 1, None))],
)
async def test_every_text_on_every_screen_can_be_read(theme: str, colours: Colours) -> None:
    """4.5 to 1 as xterm shows it; in the terminal's own colours on white and on black paper.

    Of sixteen colours bold ones are of the brighter eight, which bold does not change. Signs have
    3 to 1; in the terminal's own colours their words tell the same, which have none.
    """
    most = 16 if colours is Colours.SIXTEEN or theme == "ansi" else 256
    async with open_app(touring_service("Tim"), theme=theme, colours=colours) as driver:
        async for where in tour(driver, "Tim"):
            for text, style, _ in segments(driver):
                numbers = [each.number for each in (style.color, style.bgcolor) if each]
                assert all(number is None or number < most for number in numbers), (where, text)
                if colours is Colours.SIXTEEN and style.bold and style.color:
                    assert style.color.is_default or style.color.number >= 8, (where, text)
            for piece, paper in product(segments(driver), (WHITE_PAPER, BLACK_PAPER)):
                least = LINES if set(piece.text) <= {*"│╭╮╰╯─▏▕ ", *SIGNS} else AA
                if theme == "ansi" and set(piece.text) <= SIGNS:
                    continue
                assert contrast(seen(piece.style, colours, paper)) >= least, (where, piece)


@pytest.mark.parametrize(("theme", "colours"), [*product(THEMES, SYSTEMS)])
async def test_each_status_can_be_read_on_its_ground_and_its_bar_seen(
    theme: str, colours: Colours
) -> None:
    async with open_app(theme=theme, colours=colours) as driver:
        ground = driver.screen.rich_style
        for look, paper in product((*LOOKS.values(), UNKNOWN), (WHITE_PAPER, BLACK_PAPER)):
            for name, least in ((look.tile_style, AA), (look.bar_style, LINES)):
                style = ground + driver.app.line_style(name)
                is_sign = theme == "ansi" and name.endswith("-sign")  # which a word stands beside
                assert is_sign or contrast(seen(style, colours, paper)) >= least, (name, style)


def test_the_numbers_of_the_themes_are_shown_as_themselves() -> None:
    """Rich takes some of the palette for others of the same looks."""
    tables = DARK, LIGHT, *({"": a, "-": b} for a, b in LABELS.values())
    named = {shade[1] for table in tables for shade in table.values()} & {*range(16, 256)}
    colours = {number: Color.parse(colour_of_256(number)) for number in named}
    assert named == {each.downgrade(ColorSystem.EIGHT_BIT).number for each in colours.values()}


@pytest.mark.parametrize("table", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("colours", SYSTEMS)
def test_things_that_must_be_distinguishable_have_different_colours(
    table: object, colours: Colours
) -> None:
    own = shown(table, colours)

    signs = {own[look.sign_style] for look in COLOURED.values()}
    assert len(signs) == 3
    assert own["quiet"] not in signs
    words = ("error-foreground", "notice-foreground", "key", "available")
    assert len({own[name] for name in words}) == 4
    others = {own[name] for name in ("cursor-background", "cursor-blurred", "tab-background")}
    assert own["background"] not in others
    assert own["field-focused"] != own["field"]
    assert own["line-focused"] != own["band"]
    labels = {(own[f"label-{name}-foreground"], own[f"label-{name}-background"]) for name in LABELS}
    assert len(labels) == len(LABELS)
    assert own["band"] not in {own[f"label-{name}-background"] for name in LABELS}
    for line, background in product(("line", "accent-foreground"), ("background", "field")):
        names = (TextualColor.parse(own[name]).rich_color for name in (line, background))
        assert contrast(seen(Style.from_color(*names), colours, BLACK_PAPER)) >= LINES, line


@pytest.mark.parametrize("colours", [*exhaustive(*islice(Colours, 1, None)), Colours.SIXTEEN])
@pytest.mark.parametrize("theme", ["ansi", *exhaustive("pettui-dark", "pettui-light")])
async def test_behind_a_box_one_style_has_no_bar_and_no_key(theme: str, colours: Colours) -> None:
    async with open_app(theme=theme, colours=colours, size=(100, 30)) as driver:
        await driver.press(":", "t", "h", "e")
        box = driver.screen.box.region
        strips = strips_of(driver.app)
        label, *above = (piece for strip in strips[: box.y] for piece in strip)
        beside = (strip.crop(0, box.x) for strip in strips[box.y : box.bottom])
        below = (piece for strip in (*beside, *strips[box.bottom :]) for piece in strip)
        [style] = {piece.style for piece in (*above, *below)}
        assert "PRODUCTION" in label.text
        assert not style.bold
        assert not style.reverse


@pytest.mark.parametrize("theme", ["ansi", "pettui-light"])
async def test_in_16_colours_no_word_and_no_key_on_white_has_a_block_behind_it(theme: str) -> None:
    async with open_app(theme=theme, colours=Colours.SIXTEEN) as driver:
        words = {"PRODUCTION", "1 All", driver.screen.table.highlighted_pet.name}
        blocks = [
            piece.text
            for piece in segments(driver)
            if seen(piece.style, Colours.SIXTEEN, WHITE_PAPER)[1] != (255, 255, 255)
        ]
        assert len(blocks) == len(words)
        assert all(any(word in text for text in blocks) for word in words)


async def test_the_scroll_bar_is_as_thin_as_the_lines_between_parts() -> None:
    async with open_app(size=(100, 20)) as driver:
        await driver.until(lambda: driver.lines[4].endswith("▕"))
        assert {line[-1] for line in driver.lines[3:-2]} == {"▕", " "}
        await driver.press("end")
        await driver.until(lambda: driver.lines[-3].endswith("▕"))


def background_of_the_cursor(driver: Driver) -> Color | None:
    row = driver.lines.index(driver.line_with("▌")) + 1
    return next(iter(strips_of(driver.app)[row])).style.bgcolor


@pytest.mark.parametrize(
    "colours",
    [Colours.TRUE, *exhaustive(Colours.MANY, Colours.SIXTEEN, Colours.NONE)],
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


async def test_without_colours_attributes_make_things_stand_out() -> None:
    attributes = {" PRODUCTION ": "reverse", " 1 All ": "reverse", "Id  Name": "underline",
                  "▌": "reverse", " F1": "bold"}  # fmt: skip
    async with open_app(colours=Colours.NONE) as driver:
        for text, attribute in attributes.items():
            piece = next(piece for piece in segments(driver) if text in piece.text)
            assert getattr(piece.style, attribute), text


async def test_colours_change_when_the_terminal_turns_out_to_have_others() -> None:
    """As an app does that was drawn before anybody came."""
    async with open_app() as driver:
        driver.app.draw_in(Colours.SIXTEEN)
        await driver.until(lambda: background_of_the_cursor(driver).number == 0)
        driver.app.draw_in(Colours.TRUE)
        await driver.until(lambda: background_of_the_cursor(driver).number is None)
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


def test_an_earlier_choice_overrides_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "theme"
    client, settings = PetClient(PRODUCTION.base_url, KEY), Settings(PRODUCTION, theme="ansi")
    # The others are no themes of ours.
    for chosen, theme in (("", "ansi"), ("pettui-light",) * 2, ("gone", "ansi"), ("nord", "ansi")):
        file.write_text(chosen, encoding="utf-8")
        assert PetApp(client, settings, theme_choice=ThemeChoice(file)).theme == theme


async def test_as_configured_is_in_the_palette() -> None:
    async with open_app(theme="pettui-light") as driver:
        for words, theme in (
            ("the terminal", "ansi"),
            ("as configured", "pettui-light"),
            ("dark", "pettui-dark"),
            ("as configured", "pettui-light"),
        ):
            keys = ["space" if character == " " else character for character in words]
            await driver.press(":", *keys, "enter")
            await driver.until(lambda theme=theme: driver.app.theme == theme)
