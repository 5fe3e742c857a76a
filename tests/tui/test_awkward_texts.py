"""Awkward texts in every place that shows one, cell by cell, at one of three sizes in turn."""

from __future__ import annotations

import unicodedata
from itertools import cycle, islice
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from tests.tui.driving import UNSAFE, open_app
from tests.tui.resizing import resized
from tests.tui.tour import tour, touring_service

if TYPE_CHECKING:
    from textual.strip import Strip

    from tests.tui.driving import Driver

pytestmark = pytest.mark.exhaustive

SIZES = [(40, 12), (80, 24), (200, 50)]

# The text, and what has to stand somewhere for it. What cannot be seen: see test_names.
TEXTS = {
    "long": ("Wolfgang Amadeus " * 40, "Wolfgang"),
    "wide": ("ハチ小梅ハチ小梅" * 12, "ハチ"),
    "emoji": ("🐹👨‍👩‍👧❤️👍🏽", "🐹"),
    "combining": ("e\u0301a\u0308o\u0302" * 30, "e\u0301a\u0308"),
    "a mark alone": ("\u0301\u0301\u0301\u0301\u0301\u0301x", "◌"),
    "tab": ("\tRex\tthe\tgood", "Rex"),
    "flag": ("🇩🇪🇫🇷 Rex", "DEFR"),
    "right to left": ("רקס הכלב شكرا", "רקס"),
    "overrides": ("\u202eRex\u2066\u200f", "Rex"),
    "markup": ("[red]Rex[/] [@click=app.quit]q[/]", "[red]"),
    "keys": ("{refresh}  {quit} F5 esc", "{refresh}"),
}


@pytest.mark.parametrize("name", TEXTS)
async def test_an_awkward_text_keeps_every_cell_in_its_place(name: str) -> None:
    """In rows, preview, detail, banner, notice, form, outbox, help, palette and titles.

    A place has one size with a text, and another with the next: each place is seen at each size.
    """
    text, shown = TEXTS[name]
    sizes = islice(cycle(SIZES), [*TEXTS].index(name), None)
    seen = dict.fromkeys(SIZES, "")
    async with open_app(touring_service(text), size=SIZES[-1]) as driver:
        async for where in tour(driver, text):
            size = next(sizes)
            await resized(driver, size)
            check_cells(driver, f"{name} at {size}: {where}")
            seen[size] += driver.text
    for size in SIZES:
        assert shown in seen[size], size


def check_cells(driver: Driver, where: str) -> None:
    """Check that every cell of every row holds one character, and nothing that steers."""
    with driver.app._context():
        strips = driver.app.screen._compositor.render_strips()
    width, height = driver.app.size
    assert len(strips) == height, where
    for strip in strips:
        assert sum(cells_of(strip)) == width, f"{where}: {strip.text!r}"


def cells_of(strip: Strip) -> list[int]:
    """Return the width in cells of each character of a row: 0 for marks, 2 for wide ones."""
    cells = []
    previous = ""
    for segment in strip:
        assert segment.control is None
        assert cell_len(segment.text) == segment.cell_length
        for character in segment.text:
            category = unicodedata.category(character)
            assert category not in UNSAFE, f"{character!r} in {strip.text!r}"
            assert character != "\ufffd", strip.text
            width = cell_len(character)
            if category[0] == "M" and width == 0:
                assert previous.strip(), f"a mark on nothing in {strip.text!r}"
            cells.append(width)
            previous = character
    return cells
