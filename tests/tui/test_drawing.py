"""Whatever a service sends, and however large the terminal is, the screens hold."""

from __future__ import annotations

import asyncio
import re
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len
from textual.events import Resize
from textual.geometry import Size

from pettui.settings.settings import Glyphs
from pettui.tui.widgets.appearance import TALL, WIDE
from tests.exhaustive import exhaustive_rows
from tests.tui.driving import Driver, check_screen, open_app, resized
from tests.tui.scripted_service import Response, error, listing, pet, pets
from tests.tui.tour import tour, touring_service

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

CONTROLS = (
    "\x1b[31mred\x1b]52;c;aGk=\x07\x1b]8;;http://x\x1b\\\x1bP\x1b_\x9b31m\x90q\x9c\x08\x7f"
    "[red]b[/red][@click=app.quit]q[/] \\[b] [/] $x :smile: "
    "a\u202eb\u2066c\u200f\u061cd\u200be\u2060f\ufeffg\u00adh\U000e0041i\u180ej\nk\r\nl\tm\u2028n\x85o"
)
SCRIPTS = "ハチ小梅🐹 👨‍👩‍👧🇩🇪❤️e\u0301" + "\u0301" * 50 + "ﷺก็็็็ नमस्ते 한국"
LONG = "Wolfgang Amadeus " * 6000
TEXTS = {  # the text, what has to stand somewhere for it, and the size of the terminal
    "100,000 characters": (LONG, "Wolfgang", (100, 30)),
    "controls and marks": (CONTROLS + SCRIPTS, "␛[31mred", (40, 12)),
}
FURTHER = {
    "a mark alone": ("\u0301\u0301\u0301\u0301\u0301\u0301x", "◌", (200, 50)),
    "flag": ("🇩🇪🇫🇷\tRex", "DEFR", (80, 24)),
    "right to left": ("רקס הכלב شكرا", "רקס", (200, 50)),
    "keys": ("{refresh}  {quit} F5 esc", "{refresh}", (80, 24)),
}


@pytest.mark.parametrize(
    ("text", "shown", "size"),
    [*TEXTS.values(), *exhaustive_rows(*FURTHER.values())],
    ids=[*TEXTS, *FURTHER],
)
async def test_any_text_is_drawn_harmlessly_on_every_screen(
    text: str, shown: str, size: tuple[int, int]
) -> None:
    seen = ""
    async with open_app(touring_service(text), size=size) as driver:
        async for where in tour(driver, text):
            seen += "\n".join(check_screen(driver, where))
    assert shown in seen


@pytest.mark.parametrize("name", ["", "\u3000"])
async def test_an_invisible_name_is_shown_as_no_name(name: str) -> None:
    service = listing([pet(7, name)])
    service.always("getPet", Response(body=pet(7, name)))
    async with open_app(service, size=(40, 12)) as driver:
        assert "(no name)" in driver.line_with("  7  ")
        await driver.press("enter")
        await driver.sees("(no name)", "confirmed")


SIZES = [(300, 100), (120, 30), (100, 24), (99, 24), (80, 24), (79, 16), (60, 15), (59, 20),
         (40, 12), (20, 5), (8, 3), (1, 1)]  # fmt: skip


async def test_no_size_crashes_any_screen_and_without_unicode_each_is_ascii() -> None:
    text = "Zoë 🐹 \u202e"
    sizes = cycle(SIZES)
    async with open_app(touring_service(text), size=(120, 30), glyphs=Glyphs.ASCII) as driver:
        async for where in tour(driver, text):
            await resized(driver, next(sizes))
            for line in check_screen(driver, where):
                assert line.isascii(), f"{where}: {line!r}"


def a_list(**options: Any) -> AbstractAsyncContextManager[Driver]:
    """Open the app on animals with long names, numbers and statuses."""
    animals = [
        pet(7654321, "Bartholomew Featherstonehaugh", 3, status="available"),
        pet(1042, "Rex", 123456789, status="quarantined-abroad"),
        *pets(60, status="pending"),
    ]
    return open_app(listing(animals), limit=100, **options)


WHOLE = (
    "Bartholomew Featherstonehaugh", "123456789", "quarantined-abroad", "available", "pending",
    "62 shown", "limit 100", "store.example", "PRODUCTION", "Category", "Commands", "Outbox",
    "from the list, 12:01:03",
)  # fmt: skip


def cut_off(line: str, whole: str) -> str:
    """Return the start of a text that a line shows without an ellipsis; "" for none."""
    for found in re.finditer(re.escape(whole[:4]), line):
        rest = line[found.start() :]
        same = next((n for n, (a, b) in enumerate(zip(rest, whole)) if a != b), len(whole))  # noqa: B905
        shown = rest[: min(same, len(rest))]
        if len(shown) < len(whole) and not rest[len(shown.rstrip()) :].startswith("…"):
            return shown
    return ""


async def test_nothing_on_the_list_is_cut_without_an_ellipsis() -> None:
    """JSON in the preview goes on at the edge, in the next row."""
    async with a_list() as driver:
        for width in (40, 59, 60, 79, 80, 99, 100):  # where columns come and go
            await resized(driver, (width, 20))
            for line in driver.lines:
                for whole in WHOLE if '"name"' not in line else ():
                    assert not cut_off(line, whole), f"{width}: {line!r}"


async def test_the_key_bar_shows_whole_keys_only() -> None:
    async with a_list() as driver:
        bar = "Add Open Find Sort Export More Outbox Refresh Watch Commands Help Quit"
        for width in (120, 90, 75, 60, 50, 40, 30):
            await resized(driver, (width, 24))
            shown = set(re.findall(r"[A-Z][a-z]+", driver.lines[-1]))
            assert shown <= {*bar.split()}
            assert "Help" in shown


async def test_the_cursor_stays_in_sight_when_the_terminal_shrinks() -> None:
    async with a_list(size=(120, 30)) as driver:
        await driver.press("G")
        for size in ((120, 20), (60, 12), (40, 8), (120, 30)):
            await resized(driver, size)
            assert "Animal 1" in driver.line_with("▌")


async def test_columns_are_straight_with_wide_and_combined_characters() -> None:
    names = ["Rex", "ハチ", "Tiny 🐹", "Zoe\u0308", "👨‍👩‍👧 family", "e" + "\u0301" * 9, "ﷺ", "❤️"]
    animals = [pet(n, name, 77) for n, name in enumerate(names, 1)]
    async with open_app(listing(animals), size=(80, 24)) as driver:
        rows = [line for line in driver.lines if " 77 " in line]
        assert len(rows) == len(names)
        assert len({cell_len(row[: row.index(" 77 ")]) for row in rows}) == 1


async def test_in_a_short_terminal_the_rows_stay_below_a_long_failure_and_a_notice() -> None:
    message = "The catalogue is being counted, " * 20 + "until noon."
    async with open_app(touring_service("Tim"), size=(40, 12)) as driver:
        driver.service.next("listPets", Response(body=pets(9)), error(423, "locked", message))
        await driver.press("r", "r")
        await driver.sees("423 locked", "The catalogue is being counted", "…", "F5 Retry")
        assert sum("Animal" in line for line in driver.lines) >= 4
        assert "all as of" in driver.lines[-1]
        await driver.press("f6", "end")
        await driver.sees("until noon.")


BEFORE, NOW = Size(80, 24), Size(100, 30)
SCREENS = [(), ("a", "o")]


@pytest.mark.parametrize("keys", SCREENS)
async def test_if_two_resizes_cross_the_terminal_s_size_wins(keys: tuple[str, ...]) -> None:
    async with open_app(size=NOW) as driver:
        await driver.press(*keys)
        screen = driver.app.screen
        async with asyncio.timeout(60):
            # Textual answers each with another of the same size: the one would bring back the other.
            for size in (BEFORE, NOW):
                screen.post_message(Resize(size, size))
                screen.call_later(lambda: None)  # two that follow on each other would be one
            await driver.settled()
        assert all(each.size == NOW for each in driver.app.screen_stack)


@pytest.mark.parametrize("keys", SCREENS)
async def test_no_layout_of_a_new_size_is_that_of_the_former_one(keys: tuple[str, ...]) -> None:
    """Textual sets the classes after it has laid the screen out, and draws both."""
    laid_out: list[tuple[Size, frozenset[str]]] = []
    async with open_app(size=NOW) as driver:
        await driver.press(*keys)
        screen = driver.app.screen
        screen.screen_layout_refresh_signal.subscribe(
            driver.app,
            lambda _: laid_out.append((driver.laid_out, screen.classes)),
            immediate=True,
        )
        for size in (Size(60, TALL), Size(WIDE, 12), NOW):
            await resized(driver, size)
    assert {size for size, _ in laid_out} == {Size(60, TALL), Size(WIDE, 12), NOW}
    for size, classes in laid_out:
        assert ("-wide" in classes) == (size.width >= WIDE), size
        assert ("-tall" in classes) == (size.height >= TALL), size


async def test_what_fails_after_its_screen_was_closed_is_recorded_and_nothing_else() -> None:
    async with open_app() as driver:
        await driver.press("o")
        outbox = driver.screen
        await driver.press("escape")
        assert not outbox.error_banner.is_attached
        outbox.error_banner.show_problem("Can't send it again", "the disk is full")
        outbox.show_remark("added")
        await driver.press("!")
        await driver.sees("Can't send it again")
