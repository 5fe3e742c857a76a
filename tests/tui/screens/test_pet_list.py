"""The list: filters, limit, pages, refresh, and what stands there while it asks and when it fails."""

from __future__ import annotations

import asyncio

import pytest
from textual import events

from tests.tui.driving import Driver, ids_of, open_app
from tests.tui.scripted_service import (
    UNAUTHORIZED,
    Response,
    ScriptedService,
    error,
    html,
    listing,
    pet,
    pets,
)

LINKED = (("link", '</v1/pets?limit=3&cursor=c>; rel="next"'),)
NOTICE = (("deprecation", "@1764892800"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"))
SAID = "listPets is deprecated. It goes away on 1 January 2027 (in 41 days)."


@pytest.mark.parametrize(("key", "status"), [("3", "pending"), ("1", None)])
async def test_a_figure_filters_on_the_service(
    driver: Driver, key: str, status: str | None
) -> None:
    await driver.press("2")
    await driver.until(lambda: driver.screen.listing.query.status is not None)
    await driver.press(key)
    await driver.until(lambda: driver.screen.listing.query.status == status)
    assert driver.service.requests[-1].query.get("status") == status
    shown = {row.status for row in driver.screen.table.rows}
    assert shown == ({status} if status else {"available", "pending", "sold", None})


async def test_plus_and_minus_set_the_limit_and_ask_once_the_keys_rest() -> None:
    async with open_app(limit=5) as driver:
        assert len(ids_of(driver.lines)) == 5
        await driver.press("+", "+", "+", "-")
        await driver.until(lambda: len(ids_of(driver.lines)) == 20)
        assert [asked.query["limit"] for asked in driver.service.requests] == ["5", "20"]
        assert "limit 20" in driver.bottom


async def test_a_limit_that_was_chosen_stays_for_other_filters() -> None:
    async with open_app(limit=None, size=(80, 24)) as driver:
        await driver.press("+")
        await driver.until(lambda: len(driver.screen.table.rows) == 40)
        await driver.press("M")
        await driver.until(lambda: len(driver.screen.table.rows) == 60)
        await driver.press("2")
        await driver.until(lambda: driver.screen.listing.query.status == "available")
        assert driver.service.requests[-1].query["limit"] == "40"


async def test_more_appends_the_page_that_the_service_links() -> None:
    service = listing(Response(body=pets(3, 4), headers=LINKED), pets(3))
    async with open_app(service, limit=3) as driver:
        assert "m: more" in driver.bottom
        await driver.press("m")
        await driver.until(lambda: ids_of(driver.lines) == [6, 5, 4, 3, 2, 1])
        assert service.requests[-1].query == {"limit": "3", "cursor": "c"}
        assert "m: more" not in driver.bottom


async def test_m_typed_twice_at_once_shows_two_pages_more() -> None:
    async with open_app(limit=10) as driver:
        gate = driver.service.hold("listPets")
        driver.type("m", "m")
        await driver.until(lambda: driver.screen.header.spinner)
        gate.set()
        await driver.until(lambda: len(driver.screen.table.rows) == 30)


async def test_m_after_a_page_that_was_stopped_asks_for_that_page_alone() -> None:
    first = Response(body=pets(3, 7), headers=LINKED)
    held = Response(gate=asyncio.Event())
    last = (("link", '</v1/pets?limit=3&cursor=d>; rel="next"'),)
    answers = (first, held, Response(body=pets(3, 4), headers=last), pets(3))
    async with open_app(listing(*answers), limit=3) as driver:
        await driver.press("m")
        await driver.sees("loading the next page")
        await driver.press("escape")
        await driver.sees("Stopped")
        await driver.press("m")
        await driver.until(lambda: ids_of(driver.lines) == [9, 8, 7, 6, 5, 4])
        await driver.until(lambda: not driver.screen.header.spinner)
        assert len(driver.service.requests) == 3


async def test_new_and_changed_rows_are_marked() -> None:
    changed = [pet(4, "New"), pet(3, "Animal 3"), pet(2, "Other name"), pet(1, "Animal 1")]
    async with open_app(listing(pets(3), changed)) as driver:
        await driver.press("r")
        await driver.sees("+    4  New", "~    2  Other name", "1 new", "1 changed")


async def test_a_late_response_to_an_older_query_is_dropped() -> None:
    gate = asyncio.Event()
    late = Response(body=[pet(1, "Late", status="available")], gate=gate)
    prompt = Response(body=[pet(2, "Prompt", status="sold")])
    async with open_app(listing(pets(3), late, prompt)) as driver:
        await driver.press("2")
        await driver.until(lambda: len(driver.service.requests) == 2)
        await driver.press("4")
        await driver.sees("Prompt")
        gate.set()
        await driver.settled()
        assert "Late" not in driver.text
        assert ids_of(driver.lines) == [2]


async def test_the_spinner_turns_at_once_and_the_rows_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words come later: here they would take an hour."""
    monkeypatch.setattr("pettui.tui.screens.screen.SHOWN_AFTER", 3600.0)
    async with open_app() as driver:
        rows = ids_of(driver.lines)
        driver.service.hold("listPets")
        await driver.press("r")
        await driver.until(lambda: set(driver.lines[0]) & set("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"))
        first = driver.lines[0]
        await driver.until(lambda: driver.lines[0] != first)
        assert ids_of(driver.lines) == rows
        assert "loading all animals" not in driver.text


async def test_a_failure_keeps_the_old_rows_marked_with_their_time() -> None:
    answers = (pets(3), error(500, "internal", "No luck"), pets(3))
    async with open_app(listing(*answers)) as driver:
        await driver.press("r")
        await driver.sees("500 internal", "No luck", "all as of 12:01:03")
        assert ids_of(driver.lines) == [3, 2, 1]
        await driver.press("escape")
        assert "No luck" not in driver.text
        assert "all as of 12:01:03" in driver.text
        await driver.press("f5")
        await driver.sees_no("all as of")


async def test_the_next_success_closes_the_banner() -> None:
    answers = (error(500, "internal", "No luck"), pets(3))
    async with open_app(listing(*answers)) as driver:
        await driver.sees("No luck", "Nothing was loaded. F5 retries.")
        await driver.press("f5")
        await driver.until(lambda: ids_of(driver.lines) == [3, 2, 1])
        assert "No luck" not in driver.text


async def test_what_came_in_place_of_an_error_body_is_said_and_can_be_looked_at() -> None:
    async with open_app(listing(html(500))) as driver:
        await driver.sees("500 from the service, no Error body: text/html", "F6 Full text")
        await driver.press("f6")
        await driver.sees("<html><h1>Oops</h1></html>")
        await driver.press("escape")
        await driver.sees_no("<h1>")


async def test_an_empty_list_says_so_and_what_to_press() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.sees("No animals yet. a adds one.")
        await driver.press("4")
        await driver.sees("No sold animals. 1 shows all, a adds one.")


async def test_an_unreadable_row_costs_itself_alone() -> None:
    rows = [pet(3), {"id": 2, "name": "Rex", "categoryId": "3"}, pet(1)]
    async with open_app(listing(rows)) as driver:
        await driver.sees("row 2 unreadable: categoryId", "1 unreadable")
        assert ids_of(driver.lines)[:1] == [3]
        await driver.press("j")
        await driver.sees("Row 2 is not an animal")
        await driver.press("enter")
        await driver.sees(
            "─ Row 2 is not an animal ─", "categoryId: must be a whole number", '"name": "Rex"'
        )
        await driver.press("escape", "k")
        assert driver.screen.table.cursor == 0


async def test_animals_of_another_status_are_shown_and_pointed_out() -> None:
    rows = [pet(2, status="sold"), pet(1, status="available")]
    async with open_app(listing([], rows)) as driver:
        await driver.press("4")
        await driver.sees("1 of another status than")
        assert ids_of(driver.lines) == [2, 1]


async def test_a_link_to_another_origin_is_not_followed_and_said() -> None:
    elsewhere = (("link", '<https://elsewhere.example/v1/pets?cursor=c>; rel="next"'),)
    async with open_app(listing(Response(body=pets(3), headers=elsewhere)), limit=3) as driver:
        await driver.sees("https://elsewhere.example", "not followed")


async def test_a_notice_on_a_refusal_stands_on_the_list() -> None:
    refusal = error(410, "gone_soon", "Not today", headers=NOTICE)
    async with open_app(listing(refusal, pets(3))) as driver:
        await driver.sees("✖ 410 gone_soon", SAID)
        await driver.press("escape")
        assert SAID in driver.words
        await driver.press("f5")
        await driver.sees("3 shown")
        assert "deprecated" not in driver.text


async def test_the_keys_that_move_the_cursor() -> None:
    async with open_app(listing(pets(60)), size=(80, 24), limit=100) as driver:
        table = driver.screen.table

        async def at(*keys: str) -> int:
            await driver.press(*keys)
            return int(table.cursor)

        assert await at("k", "up") == 0
        assert await at("j", "down", "j") == 3
        page = await at("pagedown") - 3
        assert 10 < page < 24
        assert await at("pageup") == 3
        assert await at("ctrl+f") == 3 + page
        assert await at("ctrl+b") == 3
        assert await at("ctrl+d") == 3 + page // 2
        assert await at("ctrl+u") == 3
        assert await at("G") == 59
        assert "Animal 1 " in driver.line_with("▌")
        assert await at("j", "pagedown", "end") == 59
        assert await at("g") == 0
        assert "Animal 60 " in driver.line_with("▌")
        assert await at("end", "home") == 0


async def test_the_preview_shows_the_animal_under_the_cursor() -> None:
    rows = [pet(2, "Mimi"), pet(1, "Rex", 3, status="sold", vaccinated=True, tags=["a", 1])]
    async with open_app(listing(rows)) as driver:
        assert "Others" not in driver.text
        await driver.press("j")
        await driver.sees("Others    vaccinated: true", 'tags: ["a", 1]', "from the list, 12:01:03")


async def test_a_click_selects_and_a_second_one_opens(driver: Driver) -> None:
    ids = ids_of(driver.lines)
    await driver.pilot.click("PetTable", offset=(10, 3))
    assert driver.screen.table.cursor == 2
    await driver.pilot.double_click("PetTable", offset=(10, 5))
    await driver.sees(f"Id        {ids[4]}", "confirmed")


async def test_tabs_can_be_clicked(driver: Driver) -> None:
    place = driver.line_with("3 ◐ Pending").index("Pending")
    await driver.pilot.click("StatusTabs", offset=(place, 0))
    await driver.until(lambda: driver.service.requests[-1].query.get("status") == "pending")


async def test_the_key_bar_can_be_clicked(driver: Driver) -> None:
    place = driver.lines[-1].index("Add")
    await driver.pilot.click("KeyBar", offset=(place, 0))
    await driver.sees("Add an animal")


async def test_the_banner_can_be_clicked() -> None:
    async with open_app(listing(UNAUTHORIZED, pets(3))) as driver:
        await driver.pilot.click("ErrorBanner", offset=(5, 0))
        await driver.until(lambda: ids_of(driver.lines) == [3, 2, 1])


async def test_the_wheel_scrolls_and_the_next_key_comes_back_to_the_cursor() -> None:
    async with open_app(listing(pets(60)), size=(80, 24), limit=100) as driver:
        top = ids_of(driver.lines)[0]
        for _ in range(4):
            await driver.pilot._post_mouse_events(
                [events.MouseScrollDown], "PetTable", offset=(5, 5), button=0
            )
        await driver.until(lambda: ids_of(driver.lines)[0] < top)
        assert driver.screen.table.cursor == 0
        await driver.press("j")
        await driver.until(lambda: "▌" in driver.text)


@pytest.mark.parametrize("turns", range(0, 8, 3))
async def test_nothing_is_said_to_load_after_the_response_even_if_that_was_just_due(
    turns: int, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine: the timer of the text fires, and its call waits behind the response."""
    monkeypatch.setattr("pettui.tui.screens.screen.SHOWN_AFTER", 0.01)
    screen, loop = driver.screen, asyncio.get_running_loop()

    async def load() -> None:
        with screen.busy("loading"):
            for _ in range(3):
                await asyncio.sleep(0)  # the timer starts
            due = loop.time() + 0.01
            while loop.time() <= due:
                pass  # the loop is held up until the timer is due
            for _ in range(turns):
                await asyncio.sleep(0)

    screen.start_request(load)
    await driver.until(lambda: not screen.is_requesting)
    await driver.settled()
    assert screen.busy_text == ""
    assert not driver.screen.header.spinner
