"""Boxes over a screen: the welcome of a demo, whole texts, and keys of the bar below."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.exhaustive import first
from tests.tui.demos import open_demo
from tests.tui.driving import (
    PRODUCTION,
    Case,
    Driver,
    case,
    fits,
    on,
    open_app,
    resized,
    responds,
    sees,
    sees_no,
    table,
    typed,
)
from tests.tui.scripted_service import Response, error, pet

if TYPE_CHECKING:
    from tests.tui.driving import Start, Step

TEXT = ("Welcome to our animals!", "", "  one", "  two")
ESCAPES = ("\x1b[31mred\x1b[0m \x1b]0;title\x07", "\u202eevil\u202c [b]bold[/b]", "\x9b2J \u200b")


def welcome(text: tuple[str, ...] = TEXT, **options: Any) -> Start:
    """Return a start: a demo with a welcome."""
    return lambda: open_demo(welcome=text, **options)


async def paste(driver: Driver) -> None:
    driver.paste("Rex\nTim")
    await driver.settled()


async def click(driver: Driver) -> None:
    await driver.pilot.click(".box")


async def quits(driver: Driver) -> None:
    await driver.until(lambda: driver.app.return_code == 0)


@table(
    case("it stands over the list", welcome(),
        sees("─ Welcome ─", *TEXT, "any key continues", "Mitzi")),
    *(
        case(f"{key} puts it away and means nothing else", welcome(),
            key, sees("▌    60  Mitzi", "20 shown"), sees_no("Welcome", "Add an animal"))
        for key in ("q", "a", "enter", ":")
    ),
    case("what is typed behind that key is the list's", welcome(loaded=False),
        "x", "a", *"Rex", sees("Add an animal", "Rex ")),
    case("a paste goes on too", welcome(), paste, sees_no("─ Welcome ─")),
    case("a click goes on too", welcome(), click, sees_no("─ Welcome ─")),
    case("ctrl+q quits, and ctrl+c says how", welcome(),
        "ctrl+c", sees("ctrl+q quits"), typed("ctrl+q"), quits),
    case("nothing in the text steers the terminal", welcome(ESCAPES, size=(40, 12)),
        fits, sees("␛[31mred", "<U+202E>evil", "[b]bold[/b]")),
)  # fmt: skip
async def test_the_welcome(case: Case) -> None:
    await case.run()


async def test_a_text_that_has_no_room_is_read_page_by_page() -> None:
    text = tuple(f"Line {n} of twenty, which is wider than forty cells" for n in range(20))
    async with open_demo(welcome=text, size=(40, 12)) as driver:
        seen = ""
        while "any key shows more" in driver.text:
            seen += driver.text
            await driver.press("enter")
        seen += driver.text
        assert all(f"Line {n} of" in seen for n in range(20))
        await driver.sees("any key continues")
        await driver.press("enter")
        await driver.sees_no("─ Welcome ─")


# Whole texts, by F6


REASON = "The catalogue is being counted, " * 30 + "until noon."
NOTICE = (
    ("deprecation", "@1764892800"),
    ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"),
    ("link", f'</v1/{"animals/" * 60}the-last>; rel="successor-version"'),
)
LONG_DIRECTORY = "where-the-shop-keeps-what-it-counted-in-the-year-before-the-last"


def is_whole(*texts: str) -> Step:
    """Return a step that checks that texts without blanks stand in the full text, and closes it."""

    async def check(driver: Driver) -> None:
        await driver.press("f6")
        await resized(driver, (40, 100))
        whole = "".join(line.strip("│ ") for line in driver.lines).replace(" ", "")
        assert all(text in whole for text in texts), whole
        await driver.press("escape")
        await resized(driver, (40, 12))

    return check


SMALL = on(size=(40, 12))
REX = ("a", *"Rex", "tab", "3", "enter", sees("✔ 61 Rex"), "escape")
REFUSED = "categoryId 99 does not exist, as the store's catalogue of 2026 has it, page 7, below"
FAINT = error(400, "invalid_value", f"{REFUSED} the picture of a small dog, where the ink is faint")


@table(
    *(
        case(f"the banner and the notice are whole: {operation}", SMALL,
            responds(operation, Response(body=body, headers=NOTICE), error(423, "locked", REASON)),
            key, sees("▲"), "f5", sees("✖ 423 locked", "F6 Full text"),
            is_whole("untilnoon.", "the-last"))
        for operation, key, body in (("listPets", "r", [pet(60)]), ("getPet", "enter", pet(60)))
    ),
    case("the reason of an entry, in form and outbox", SMALL, responds("createPet", FAINT),
        "a", *"Rex", "tab", *"99", "enter", sees("F10 adds"), "f10", sees("✖ 400"), "escape",
        sees("F6 Full text"), sees_no("faint"), is_whole("theinkisfaint"),
        "f9", sees("refused"), sees_no("faint"), is_whole("theinkisfaint")),
    *(
        case(f"why nothing was exported from the {where}", SMALL, *REX, *keys, "e", "ctrl+u",
            *f"{LONG_DIRECTORY}/pets.csv", "enter", sees("F6"),
            is_whole(LONG_DIRECTORY, "nosuch"), "!", sees("ets.csv!"))
        for where, keys in (("list", ()), ("receipt", ("R",)))
    ),
)  # fmt: skip
async def test_whole_texts(case: Case) -> None:
    await case.run()


async def test_f6_is_not_offered_where_nothing_is_cut(driver: Driver) -> None:
    driver.service.next("listPets", error(400, "odd", "A reason of some forty characters or so."))
    await driver.press("r")
    await driver.sees("✖ 400 odd", "or so.")
    assert "F6" not in driver.text
    await driver.press("f6")
    assert driver.screen.error_banner.failure is not None


async def test_warnings_that_have_no_room_are_counted_and_shown_whole() -> None:
    profile = PRODUCTION._replace(warnings=tuple(f"Warning {number}" for number in range(30)))
    async with open_app(profile=profile, size=(80, 24)) as driver:
        assert "… and 22 more · F6" in driver.text
        await driver.press("f6", "end")
        await driver.sees("Warning 29")


# Keys of the bar below a box

BOXES = {
    "palette": (":",),
    "sorting": ("z",),
    "requests": ("f3",),
    "one request": ("f3", "enter"),
    "what happened": ("f12",),
    "help": ("f1",),
}
IN_BOXES = first(*(pytest.param(keys, id=box) for box, keys in BOXES.items()))


@pytest.mark.parametrize("opened", IN_BOXES)
async def test_f1_and_f12_work_in_a_box(driver: Driver, opened: tuple[str, ...]) -> None:
    for key, title in (("f1", "╭─ Keys ─"), ("f12", "╭─ What happened ─")):
        await driver.press(*opened)
        had = title in driver.text
        await driver.press(key)
        assert (title in driver.text) != had
        await driver.press(*["escape"] * 3)


@pytest.mark.parametrize("opened", IN_BOXES)
async def test_another_key_of_the_dimmed_bar_says_that_it_does_nothing(
    driver: Driver, opened: tuple[str, ...]
) -> None:
    await driver.press(*opened)
    for _ in range(2):
        before = driver.text
        await driver.press("f5")
        assert re.search(r"F5 does nothing here(  esc \w+)? ─╯", driver.text)
        await driver.press("pageup")
        assert driver.text == before
