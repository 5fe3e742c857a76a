"""Pages, limits and ids: all pages, the next one past the last row, and going somewhere."""

from __future__ import annotations

import asyncio
import re

import pytest

from pettui.models.pets import NewPet
from pettui.settings.settings import Limits
from tests.exhaustive import product
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, listing, page, pets

UNAVAILABLE = error(500, "internal", "no")
ONCE = Limits(tries=0)


def asked(driver: Driver) -> list[tuple[str | None, str | None]]:
    """Return limit and cursor of each request."""
    queries = [each.query for each in driver.service.requests_for("listPets")]
    return [(query.get("limit"), query.get("cursor")) for query in queries]


def loaded(driver: Driver) -> int:
    return len(driver.screen.table.rows)


def cursor_id(driver: Driver) -> int:
    return int(driver.screen.table.highlighted.id)


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


async def test_rows_a_second_and_the_time_are_shown_after_a_second() -> None:
    gate = asyncio.Event()
    async with open_app(listing(page(300), Response(gate=gate)), limit=100) as driver:
        await driver.press("M")
        await driver.until(lambda: re.search(r"0 rows, 0 pages, 0 rows/s, \d s", driver.text))
        gate.set()


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


async def test_a_refresh_keeps_the_rows_to_which_new_ones_were_added_on_top() -> None:
    service = ScriptedService([NewPet(name=f"Rex {n}", category_id=3) for n in range(90)])
    async with open_app(service, limit=20) as driver:
        await driver.answered("m")
        for n in range(15):
            await service.store.create_pet(NewPet(name=f"Tim {n}", category_id=3))
        await driver.answered("2")
        await driver.answered("1")  # which asks for the first page alone
        shown = [*range(105, 50, -1)]
        assert [row.id for row in driver.screen.table.rows] == shown
        await driver.answered("r")
        assert [row.id for row in driver.screen.table.rows] == [*shown, *range(50, 45, -1)]


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


async def test_after_esc_took_the_failure_away_r_asks_for_what_is_shown() -> None:
    service = listing(page(500), UNAVAILABLE, page(500))
    async with open_app(service, limit=100, limits=ONCE) as driver:
        await driver.press("M")
        await driver.sees("500 internal")
        await driver.press("escape")
        await driver.answered("r")
        assert [cursor for _, cursor in asked(driver)] == [None, "500", None]


async def test_a_refresh_after_another_query_does_not_go_on_from_an_old_failure() -> None:
    last = page(700, rows=2, last=True)
    service = listing(page(500), UNAVAILABLE, page(300, rows=3, last=True), last)
    async with open_app(service, limit=100, limits=ONCE) as driver:
        await driver.press("M")
        await driver.sees("500 internal")
        await driver.press("2")
        await driver.until(lambda: loaded(driver) == 3)
        await driver.press("f5")
        await driver.until(lambda: loaded(driver) == 2)
        assert [cursor for _, cursor in asked(driver)] == [None, "500", None, None]


async def test_a_filter_that_failed_after_an_old_failure_is_what_f5_retries() -> None:
    only = Response(body=pets(3, 300, status="available"))
    service = listing(page(500), UNAVAILABLE, UNAVAILABLE, only)
    async with open_app(service, limit=100, limits=ONCE) as driver:
        await driver.press("M")
        await driver.sees("500 internal")
        await driver.answered("2")
        await driver.press("f5")
        await driver.until(lambda: loaded(driver) == 3)
        assert driver.service.requests_for("listPets")[-1].query.get("status") == "available"


async def test_without_a_link_a_hundred_are_asked_for_and_filters_are_named() -> None:
    async with open_app(listing(pets(20), pets(100)), limit=20) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 100)
        await driver.sees("no more than 100 of one list; status filters show more")
        await driver.press("M")
        assert asked(driver) == [("20", None), ("100", None)]


async def test_the_bound_on_rows_ends_the_loading_and_is_said() -> None:
    pages = [page(number) for number in range(900, 0, -100)]
    limits = Limits(tries=0, rows=250)
    async with open_app(listing(*pages), limit=100, limits=limits) as driver:
        await driver.press("M")
        await driver.until(lambda: loaded(driver) == 250)
        await driver.sees("more than 250 animals in this list: the rest is not loaded")
        assert len(asked(driver)) == 3


async def test_pages_that_bring_nothing_new_are_not_followed_for_ever() -> None:
    async with open_app(listing(page(1)), limit=100) as driver:
        await driver.press("M")
        await driver.sees("stopped after 100 rows, 1 page: the last page had nothing new")
        assert loaded(driver) == 100
        assert len(asked(driver)) == 2
        await driver.press("j")
        await driver.sees_no("nothing new")


@pytest.mark.parametrize(("keys", "cursor_then"), [(["G", "j"], 20), (["end", "end"], 39)], ids=str)
async def test_a_key_past_the_last_row_loads_a_page(keys: list[str], cursor_then: int) -> None:
    async with open_app(listing(page(200, 20), page(150, 20, last=True)), size=(80, 24)) as driver:
        await driver.press(*keys)
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        assert (len(asked(driver)), driver.screen.table.cursor) == (2, cursor_then)


@pytest.mark.parametrize(("key", "part"), [("pagedown", 1), ("ctrl+d", 0.5)])
async def test_a_page_of_rows_goes_on_into_the_next_page_of_the_list(key: str, part: float) -> None:
    async with open_app(listing(page(200, 20), page(150, 40, last=True)), size=(80, 24)) as driver:
        rows = int(part * (driver.screen.table.size.height - 1))
        await driver.press("G", "k", "k", key)
        await driver.until(lambda: len(driver.screen.table.rows) == 60)
        assert driver.screen.table.cursor == 17 + rows


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


async def test_without_a_link_the_next_larger_limit_is_asked_for() -> None:
    async with open_app(listing(pets(20, 100), pets(40, 80)), limit=20) as driver:
        await driver.press("G", "j")
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        assert asked(driver)[-1] == ("40", None)


async def test_at_the_end_of_the_whole_list_nothing_is_asked_or_said() -> None:
    async with open_app(listing(page(1, 7, last=True))) as driver:
        await driver.press("G", "j", "pagedown", "G")
        assert len(asked(driver)) == 1
        assert "that is all" not in driver.text


async def test_a_service_that_fails_is_not_asked_at_each_press() -> None:
    service = listing(page(200, 20), UNAVAILABLE, page(150, 20, last=True))
    async with open_app(service, limits=ONCE) as driver:
        await driver.press("G", "j")
        await driver.sees("500 internal")
        await driver.press(*["j"] * 9)
        assert len(asked(driver)) == 2
        await driver.press("f5")
        await driver.until(lambda: len(driver.screen.table.rows) == 40)


async def test_the_cursor_goes_to_an_id_that_is_loaded(driver: Driver) -> None:
    await driver.press("#", *"47", "enter")
    assert cursor_id(driver) == 47
    assert "#" not in driver.bottom
    await driver.press("j")
    assert cursor_id(driver) == 46
    assert not driver.service.requests_for("getPet")


async def test_an_id_that_is_not_loaded_is_asked_for_by_get_pet(driver: Driver) -> None:
    gate = driver.service.hold("getPet")
    await driver.press("#", *"7", "enter")
    await driver.sees("Animal 7")
    assert "(no name)" not in driver.text
    gate.set()
    await driver.sees("confirmed", "Id          7")
    assert "changed" not in driver.text
    assert "Next" not in driver.text  # there is no other one here
    await driver.press("escape")
    assert cursor_id(driver) == 60


async def test_an_id_of_no_animal_is_reported_by_the_error(driver: Driver) -> None:
    await driver.press("#", *"99999", "enter")
    await driver.sees("404", "there is no such animal")
    assert "(no name)" not in driver.text
    await driver.press("y")
    await driver.sees("there is no animal here to copy")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("x", "an id is a whole number"), ("9" * 400, "this number is too large")],
    ids=lambda text: text[:20],
)
async def test_what_is_no_id_is_said_and_stays_to_be_edited(text: str, reason: str) -> None:
    async with open_app(size=(80, 24)) as driver:
        await driver.press("#")
        driver.paste(text)
        await driver.press("enter")
        await driver.sees(reason)
        check_screen(driver, text)
        await driver.press("end", "ctrl+u", *"50", "enter")
        assert cursor_id(driver) == 50


@pytest.mark.parametrize(
    ("opens", "keys"), product(["#", "L"], [["escape"], ["enter"], ["5", "escape"]])
)
async def test_a_line_is_left_with_nothing_done(
    driver: Driver, opens: str, keys: list[str]
) -> None:
    await driver.press(opens, *keys, "j")
    assert cursor_id(driver) == 59
    assert len(driver.service.requests) == 1


async def test_j_in_detail_goes_on_into_the_next_page() -> None:
    async with open_app(listing(page(50, 3), page(40, 2, last=True)), limit=3) as driver:
        driver.service.hold("getPet")
        await driver.press("G", "enter")
        await driver.sees("3 of 3")
        await driver.press("j")
        await driver.sees("4 of 5", "Animal 41")
        await driver.press("j", "j", "j")
        await driver.sees("5 of 5", "Animal 40")
        assert len(driver.service.requests_for("listPets")) == 2
        await driver.press("escape")
        await driver.until(lambda: hasattr(driver.screen, "table"))
        assert cursor_id(driver) == 40


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
