"""Pages, limits and ids: all pages, the next one past the last row, and going somewhere."""

from __future__ import annotations

import asyncio

import pytest

from pettui.models.pets import NewPet
from pettui.settings.settings import Limits
from tests.tui.driving import Case, Driver, case, fits, on, open_app, sees, sees_no, table
from tests.tui.list.steps import has_asked, has_loaded, is_on
from tests.tui.scripted_service import Response, ScriptedService, error, listing, page, pets

UNAVAILABLE = error(500, "internal", "no")
ONCE = Limits(tries=0)


def asked(driver: Driver) -> list[tuple[str | None, str | None]]:
    """Return limit and cursor of each request."""
    queries = [each.query for each in driver.service.requests_for("listPets")]
    return [(query.get("limit"), query.get("cursor")) for query in queries]


def loaded(driver: Driver) -> int:
    return len(driver.screen.table.rows)


async def test_all_pages_are_loaded_at_the_largest_limit() -> None:
    service = ScriptedService([NewPet(name=f"Rex {n}", category_id=3) for n in range(250)])
    async with open_app(service, limit=20) as driver:
        await driver.answered("M")
        assert [limit for limit, _ in asked(driver)] == ["20", "100", "100", "100"]
        assert [row.id for row in driver.screen.table.rows] == [*range(250, 0, -1)]
        assert "m: more" not in driver.bottom
        await driver.press("M")
        await driver.sees("that is all the service lists")
        assert len(asked(driver)) == 4


async def test_a_refresh_of_many_pages_says_how_many_came_of_how_many() -> None:
    gate = asyncio.Event()
    pages = [page(500), page(400), page(300, last=True)]
    again = [*pages[:2], Response(body=pets(50, 300), gate=gate)]
    async with open_app(listing(*pages, *again), limit=100) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 300)
        await driver.press("r")
        await driver.sees("loading: 200 rows, 2 of 3 pages")
        assert "esc: stop" in driver.bottom
        assert loaded(driver) == 300
        gate.set()
        await driver.until(lambda: loaded(driver) == 250)
        await driver.sees_no("loading:")


async def test_esc_stops_and_keeps_what_came() -> None:
    gate = asyncio.Event()
    service = listing(page(500), page(400), Response(gate=gate), page(300), page(200, last=True))
    async with open_app(service, limit=100) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 200)
        await driver.press("escape")
        await driver.sees("stopped after 100 rows, 1 page M continues")
        assert not driver.screen.header.spinner
        assert loaded(driver) == 200
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 400)
        assert [cursor for _, cursor in asked(driver)] == [None, "500", "400", "400", "300"]


@pytest.mark.parametrize("key", ["f5", "M"])
async def test_a_failure_in_the_middle_is_retried_from_there(key: str) -> None:
    pages = (page(500), page(400), UNAVAILABLE, page(300), page(200, last=True))
    async with open_app(listing(*pages), limit=100, limits=ONCE) as driver:
        await driver.press("M")
        await driver.sees("500 internal")
        assert loaded(driver) == 200
        await driver.press(key)
        await driver.until(lambda: loaded(driver) == 400)
        await driver.sees_no("500 internal")
        assert [cursor for _, cursor in asked(driver)] == [None, "500", "400", "400", "300"]


async def test_pages_that_bring_nothing_new_are_not_followed_for_ever() -> None:
    async with open_app(listing(page(1)), limit=100) as driver:
        await driver.press("M")
        await driver.sees("stopped after 100 rows, 1 page: the last page had nothing new")
        assert loaded(driver) == 100
        assert len(asked(driver)) == 2
        await driver.press("j")
        await driver.sees_no("nothing new")


@pytest.mark.parametrize(
    ("keys", "cursor_then"), [(["j"] * 30, 20), (["j", "g"], 0)], ids=["held", "moved meanwhile"]
)
async def test_a_held_key_asks_for_one_page_and_a_cursor_that_was_moved_meanwhile_stays(
    keys: list[str], cursor_then: int
) -> None:
    gate = asyncio.Event()
    async with open_app(listing(page(200, 20), page(150, 20, gate=gate), page(100, 20))) as driver:
        await driver.press("G", *keys)
        gate.set()
        await driver.until(lambda: loaded(driver) == 40)
        assert (len(asked(driver)), driver.screen.table.cursor) == (2, cursor_then)


LINKED = page(200, 20), page(150, 20, last=True)


@table(
    case("rows a second are said after a second",
        on(lambda: listing(page(300), Response(gate=asyncio.Event())), limit=100),
        "M", sees("0 rows, 0 pages, 0 rows/s, ")),
    case("without a link a hundred are asked for, and filters named",
        on(lambda: listing(pets(20), pets(100)), limit=20),
        "M", sees("no more than 100 of one list; status filters show more"), has_loaded(100),
        "M", has_asked("listPets", {"limit": "20"}, {"limit": "100"})),
    case("the bound on rows ends the loading, and is said",
        on(lambda: listing(*map(page, range(900, 0, -100))), limit=100,
            limits=Limits(tries=0, rows=250)),
        "M", has_loaded(250), sees("more than 250 animals in this list: the rest is not loaded")),
    case("a key past the last row loads a page", on(lambda: listing(*LINKED), size=(80, 24)),
        "G", "j", has_loaded(40), is_on(169)),
    case("the end, too", on(lambda: listing(*LINKED), size=(80, 24)),
        "end", "end", has_loaded(40), is_on(150)),
    case("without a link it asks for the next larger limit",
        on(lambda: listing(pets(20, 100), pets(40, 80)), limit=20),
        "G", "j", has_loaded(40), has_asked("listPets", {"limit": "20"}, {"limit": "40"})),
    case("at the end of the whole list nothing is asked or said",
        on(lambda: listing(page(1, 7, last=True))),
        "G", "j", "pagedown", "G", has_asked("listPets", {"limit": "20"}), sees_no("that is all")),
    case("the cursor goes to an id that is loaded", on(),
        "#", *"47", "enter", is_on(47), "j", is_on(46), has_asked("getPet")),
    case("an id that is not loaded is asked for by getPet", on(),
        "#", *"7", "enter", sees("confirmed", "Id          7"), sees_no("changed", "Next"),
        "escape", is_on(60)),
    case("an id of no animal is reported by the error", on(),
        "#", *"99999", "enter", sees("404", "there is no such animal"), sees_no("(no name)"),
        "y", sees("there is no animal here to copy")),
    case("what is no id is said, and stays to be edited", on(size=(80, 24)),
        "#", "x", "enter", sees("an id is a whole number"), fits,
        "ctrl+u", *"9" * 20, "enter", sees("this number is too large"),
        "ctrl+u", *"50", "enter", is_on(50)),
    case("a line is left with nothing done", on(),
        "#", "escape", "#", "enter", "L", "5", "escape", "L", "enter", "j", is_on(59),
        has_asked("listPets", {"limit": "20"})),
    case("j in detail goes on into the next page",
        on(lambda: listing(page(50, 3), page(40, 2, last=True)), limit=3),
        "G", "enter", sees("3 of 3"), "j", sees("4 of 5", "Animal 41"),
        "j", "j", "j", sees("5 of 5", "Animal 40"), "escape", is_on(40)),
)  # fmt: skip
async def test_pages(case: Case) -> None:
    await case.run()


async def test_a_service_that_fails_is_not_asked_at_each_press() -> None:
    service = listing(page(200, 20), UNAVAILABLE, page(150, 20, last=True))
    async with open_app(service, limits=ONCE) as driver:
        await driver.press("G", "j")
        await driver.sees("500 internal")
        await driver.press(*["j"] * 9)
        assert len(asked(driver)) == 2
        await driver.press("f5")
        await driver.until(lambda: len(driver.screen.table.rows) == 40)


async def test_j_in_detail_at_a_page_that_fails_stays_and_the_list_says_why() -> None:
    service = listing(page(50, 3), UNAVAILABLE)
    service.hold("getPet")
    async with open_app(service, limit=3, limits=ONCE) as driver:
        await driver.press("G", "enter", "j")
        await driver.until(lambda: len(service.requests_for("listPets")) == 2)
        await driver.settled()
        assert "3 of 3" in driver.text
        await driver.press("escape")
        await driver.sees("500 internal")
