"""The list: filters, limit, pages, refresh, panes, and what stands there when it fails."""

from __future__ import annotations

import asyncio
import re
from itertools import zip_longest

import pytest

from pettui.models.pets import NewPet, PetStatus
from pettui.remembered.last_lists import LastList, LastLists
from pettui.remembered.seen_lists import SeenLists
from pettui.settings.settings import Limits
from pettui.tui.list.pet_panes import BROAD, DIVIDED
from tests.animals import plain_pet
from tests.exhaustive import exhaustive
from tests.tui.driving import NOON, Driver, check_screen, ids_of, open_app, resized
from tests.tui.scripted_service import (
    UNAUTHORIZED,
    Response,
    ScriptedService,
    error,
    listing,
    page,
    pet,
    pets,
)

NOTICE = (("deprecation", "@1764892800"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"))
SAID = "listPets is deprecated. It goes away on 1 January 2027 (in 41 days)."


async def test_a_figure_filters_the_list(driver: Driver) -> None:
    assert await driver.answered("3") == [{"status": "pending", "limit": "20"}]
    assert {row.status for row in driver.screen.table.rows} == {"pending"}


async def test_plus_and_minus_set_the_limit_and_ask_once_the_keys_rest() -> None:
    async with open_app(limit=5) as driver:
        assert len(ids_of(driver.lines)) == 5
        await driver.press("+", "+", "+", "-")
        await driver.until(lambda: len(ids_of(driver.lines)) == 20)
        assert [asked.query["limit"] for asked in driver.service.requests] == ["5", "20"]
        assert "limit 20" in driver.bottom


async def test_a_limit_that_was_chosen_stays_for_other_filters() -> None:
    async with open_app(limit=None, size=(80, 24)) as driver:
        await driver.answered("+")
        await driver.answered("M")
        assert await driver.answered("2") == [{"status": "available", "limit": "40"}]


async def test_m_typed_twice_at_once_shows_two_pages_more() -> None:
    async with open_app(limit=10) as driver:
        gate = driver.service.hold("listPets")
        driver.type("m", "m")
        await driver.until(lambda: driver.screen.header.spinner)
        gate.set()
        await driver.until(lambda: len(driver.screen.table.rows) == 30)


async def test_m_after_a_page_that_was_stopped_asks_for_that_page_alone() -> None:
    held = Response(gate=asyncio.Event())
    async with open_app(listing(page(7, 3), held, page(4, 3), pets(3)), limit=3) as driver:
        await driver.press("m")
        await driver.sees("loading the next page")
        await driver.press("escape")
        await driver.sees("Stopped")
        await driver.press("m")
        await driver.until(lambda: ids_of(driver.lines) == [9, 8, 7, 6, 5, 4])
        await driver.until(lambda: not driver.screen.header.spinner)
        assert driver.service.requests[-1].query["cursor"] == "7"
        assert len(driver.service.requests) == 3


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
    monkeypatch.setattr("pettui.tui.session.request.SHOWN_AFTER", 3600.0)
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
        await driver.sees("500 internal", "No luck", "all animals as of 12:01:03")
        assert ids_of(driver.lines) == [3, 2, 1]
        await driver.press("escape")
        assert "No luck" not in driver.text
        assert "all animals as of 12:01:03" in driver.text
        await driver.press("f5")
        await driver.sees_no("all animals as of")


async def test_an_unreadable_row_costs_itself_alone() -> None:
    rows = [pet(3), {"id": 2, "name": "Rex", "categoryId": "3"}, pet(1)]
    async with open_app(listing(rows)) as driver:
        await driver.sees("row 2 unreadable: categoryId", "1 unreadable")
        assert ids_of(driver.lines)[:1] == [3]
        await driver.press("j", "enter")
        await driver.sees("─ Row 2 is not an animal ─", "must be a whole number", '"name": "Rex"')
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


@pytest.mark.parametrize(("count", "is_told"), [(19, False), (20, True), (100, False)])
async def test_whether_there_are_more_is_not_known_where_a_service_links_no_pages(
    count: int, is_told: bool
) -> None:
    async with open_app(listing(pets(count)), limit=100) as driver:
        await driver.sees(f"{count} shown")
        assert ("whether there are more is not known" in driver.bottom) == is_told


async def test_an_empty_list_that_cannot_be_refreshed_does_not_say_that_there_are_none() -> None:
    async with open_app(listing([], error(503, "away", "not now"))) as driver:
        await driver.sees("No animals yet.")
        await driver.press("r")
        await driver.sees("None were listed then. F5 retries. a adds: it is sent later.")


async def test_a_notice_on_a_refusal_stands_on_the_list() -> None:
    refusal = error(410, "gone_soon", "Not today", headers=NOTICE)
    async with open_app(listing(refusal, pets(3))) as driver:
        await driver.sees("✖ 410 gone_soon", SAID, "Nothing was loaded. F5 retries. a adds")
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


async def test_a_click_selects_and_a_second_one_opens(driver: Driver) -> None:
    ids = ids_of(driver.lines)
    await driver.pilot.click("PetTable", offset=(10, 3))
    assert driver.screen.table.cursor == 2
    await driver.pilot.double_click("PetTable", offset=(10, 5))
    await driver.sees(f"Id          {ids[4]}", "confirmed")


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


async def test_the_wheel_scrolls_and_the_next_entry_id_comes_back_to_the_cursor() -> None:
    async with open_app(listing(pets(60)), size=(80, 24), limit=100) as driver:
        top = ids_of(driver.lines)[0]
        for _ in range(4):
            await driver.wheel_down("PetTable", offset=(5, 5))
        await driver.until(lambda: ids_of(driver.lines)[0] < top)
        assert driver.screen.table.cursor == 0
        await driver.press("j")
        await driver.until(lambda: "▌" in driver.text)


# A filter and back


async def test_a_filter_and_back_keeps_all_pages_and_asks_for_the_first_alone() -> None:
    async with open_app(limit=10) as driver:
        await driver.answered("m")
        await driver.answered("m")
        rows = [each.id for each in driver.screen.table.rows]
        assert len(rows) == 30
        assert await driver.answered("2") == [{"status": "available", "limit": "10"}]
        driver.service.hold("listPets")
        await driver.press("1")
        assert [each.id for each in driver.screen.table.rows] == rows
        assert "all animals as of 12:01:03" in driver.bottom


async def test_what_comes_with_the_first_page_is_merged_into_the_kept_rows() -> None:
    async with open_app(limit=10) as driver:
        await driver.answered("m")
        await driver.answered("2")
        assert await driver.answered("1") == [{"limit": "10"}]
        assert "all animals as of" not in driver.bottom
        assert len(await driver.answered("1")) == 1
        assert len(await driver.answered("r")) == 2  # r still asks for all
        assert (await driver.answered("m"))[-1]["limit"] == "10"
        assert len(driver.screen.table.rows) == 30


async def test_all_filters_together_keep_a_bounded_number_of_rows() -> None:
    async with open_app(limit=10, limits=Limits(rows=25)) as driver:
        await driver.answered("m")
        await driver.answered("2")
        await driver.answered("1")
        assert len(driver.screen.table.rows) == 10  # 20 and 10 would be too many


@pytest.mark.parametrize("size", [(80, 24), (120, 30), (79, 24), (40, 12)], ids=str)
async def test_tabs_carry_how_many_of_the_loaded_rows_each_has(size: tuple[int, int]) -> None:
    shop = a_shop(available=7, pending=2, sold=3, none=1)
    async with open_app(shop, size=size, limit=10) as driver:
        tabs = driver.lines[1]
        if size[0] < 80:
            assert "(" not in tabs
            return
        assert "1 All (10+)" in tabs
        await driver.answered("M")
        tabs = driver.lines[1]
        assert "1 All (13)  2 ● Available (7)  3 ◐ Pending (2)  4 ○ Sold (3)" in tabs
        check_screen(driver, "counted")


async def test_after_all_pages_a_filter_shows_its_rows_at_once_and_asks_for_one_page() -> None:
    async with open_app(a_shop(available=130, sold=120), limit=20) as driver:
        await driver.answered("M")
        gate = driver.service.hold("listPets")
        await driver.press("4")
        assert len(driver.screen.table.rows) == 120
        assert "sold animals as of 12:01:03" in driver.bottom
        gate.set()
        await driver.until(lambda: "sold animals as of" not in driver.bottom)
        assert len(driver.screen.table.rows) == 120
        assert driver.service.requests[-1].query == {"status": "sold", "limit": "20"}
        assert await driver.answered("1") == [{"limit": "100"}]
        assert len(driver.screen.table.rows) == 250
        await driver.press("4", "M")
        await driver.sees("that is all the service lists")


async def test_where_pages_of_all_are_missing_a_filter_is_loaded_from_its_start() -> None:
    async with open_app(a_shop(available=130, sold=120), limit=20) as driver:
        driver.service.hold("listPets")
        await driver.press("4")
        assert driver.screen.tabs.active is None


def a_shop(**animals: int) -> ScriptedService:
    """Return a service with so many animals of each status, mixed."""
    statuses = [None if each == "none" else PetStatus(each) for each in animals]
    rounds = zip_longest(
        *([s] * n for s, n in zip(statuses, animals.values(), strict=True)), fillvalue=0
    )
    mixed = [status for each in rounds for status in each if status != 0]
    return ScriptedService([NewPet(name="Rex", category_id=3, status=s) for s in mixed])


async def test_the_tab_is_that_of_the_rows_and_the_loading_one_is_marked() -> None:
    async with open_app(size=(40, 12)) as driver:
        gate = driver.service.hold("listPets")
        await driver.press("2")
        assert driver.screen.tabs.active is None
        check_screen(driver, "loading")
        assert "2 ●…" in driver.text or "2 ● Available…" in driver.text
        gate.set()
        await driver.until(lambda: driver.screen.tabs.active == "available")
        assert "…" not in driver.line_with("2 ●")


async def stop_filter(driver: Driver) -> asyncio.Event:
    """Stop a filter by Esc while it loads; return what lets the service respond."""
    gate = driver.service.hold("listPets")
    await driver.press("2")
    await driver.sees("loading available animals")
    await driver.press("escape")
    await driver.sees("Stopped")
    return gate


async def test_a_filter_that_esc_stopped_is_asked_for_by_f5_alone(driver: Driver) -> None:
    gate = await stop_filter(driver)
    assert driver.screen.tabs.active is None
    assert "…" not in driver.line_with("2 ●")
    gate.set()
    assert await driver.answered("f5") == [{"status": "available", "limit": "20"}]
    assert driver.screen.tabs.active == "available"


async def test_after_esc_took_the_banner_away_r_asks_for_what_is_shown(driver: Driver) -> None:
    gate = await stop_filter(driver)
    await driver.press("escape")
    await driver.sees_no("Stopped")
    gate.set()
    assert await driver.answered("r") == [{"limit": "20"}]


async def test_what_happens_by_itself_asks_for_what_is_shown_after_a_stop(driver: Driver) -> None:
    (await stop_filter(driver)).set()
    driver.screen.refresh_first_page()
    await driver.until(lambda: driver.service.requests[-1].query == {"limit": "20"})


async def test_a_limit_that_was_chosen_goes_back_to_the_rows_of_the_screen() -> None:
    async with open_app(size=(120, 46), limit=None) as driver:
        assert await driver.answered("L", *"35", "enter") == [{"limit": "35"}]
        assert await driver.answered("L", "enter") == [{"limit": "46"}]
        assert "limit 46: automatic" in driver.bottom
        assert driver.app.session.seen.last_view.limit is None


async def test_an_enlarged_terminal_and_r_fill_the_rows() -> None:
    async with open_app(ScriptedService(), size=(80, 24), limit=None) as driver:
        assert len(driver.screen.table.rows) == 24
        await driver.pilot.resize_terminal(80, 50)
        assert await driver.answered("r") == [{"limit": "50"}]
        assert len(driver.screen.table.rows) == 50


# The preview and the counts


ANIMALS = [
    pet(4, "Luna", 1, status="sold"),
    pet(3, "Rex", 3, status="available"),
    pet(2, "Mimi", 1, status="available"),
    pet(1, "Bo", 77, status="lost"),
]
PLAIN = pets(3)
LONG_NOTE = (
    "found in the garden of the old mill, shy with children, and likes other animals very much"
)
TAGGED = [pet(4, "Tom", note=LONG_NOTE), *PLAIN]


def left_by(driver: Driver) -> SeenLists:
    """Return what the next session starts with."""
    return SeenLists(LastLists(view=driver.app.session.seen.last_view))


def of_all(driver: Driver) -> str:
    """Return the counts of all rows, with single spaces; "" where they are not shown."""
    line = next((line for line in driver.lines[2:] if " All  " in line), "")
    return " ".join(line.partition(" All  ")[2].split())


def preview_of(driver: Driver) -> str:
    """Return what stands in the preview, with single spaces; "" where there is none."""
    place = driver.screen.panes.preview.region
    lines = driver.lines[place.y : place.bottom]
    return " ".join(" ".join(line[place.x : place.right] for line in lines).split())


async def test_a_preview_that_was_switched_on_stays_on_after_a_restart_too() -> None:
    async with open_app(listing(ANIMALS)) as driver:
        assert not preview_of(driver)
        await driver.press("t", "j")
        assert preview_of(driver).startswith("Rex ● available 3 Dogs")
        await driver.press("/", *"luna", "enter")
        assert preview_of(driver).startswith("Luna ○ sold 1 Cats")
        left = left_by(driver)
    async with open_app(listing(ANIMALS), seen=left) as driver:
        assert preview_of(driver).startswith("Luna")
        await driver.press("t")
        assert not preview_of(driver)


async def test_on_a_narrow_screen_the_key_says_from_when_on_there_is_one() -> None:
    async with open_app(listing(ANIMALS), size=(80, 24)) as driver:
        await driver.press("t")
        assert "preview on: it is shown from 100 columns" in driver.bottom
        await resized(driver, (120, 30))
        assert preview_of(driver).startswith("Luna")


@pytest.mark.parametrize("size", [(120, 30), (40, 12), *exhaustive((200, 50), (80, 24))], ids=str)
async def test_counts_are_of_what_is_listed_at_every_size(size: tuple[int, int]) -> None:
    async with open_app(listing(ANIMALS), size=size) as driver:
        await driver.press(*["t"] * (size[0] < BROAD), *["c"] * (size[0] < DIVIDED))
        check_screen(driver, "counts")
        beside = size == (40, 12)  # there is no room for a head
        assert of_all(driver).startswith("4 ● 2" if beside else "4 2")
        await driver.press("/", *"luna", "enter")
        assert of_all(driver).startswith("1 ○ 1" if beside else "1 1")
        await driver.press("escape", "f6")
        if size == (40, 12):
            await driver.sees("77: 1 (1 lost)")
            await driver.press("escape")
        left = left_by(driver)
        await driver.press("c")
        assert not of_all(driver)
        off = left_by(driver)
    async with open_app(listing(ANIMALS), size=size, seen=left) as driver:
        assert of_all(driver).startswith("4 ")
    async with open_app(listing(ANIMALS), size=size, seen=off) as driver:
        assert not of_all(driver)


async def test_on_the_smallest_screens_counts_leave_the_rows_their_room() -> None:
    async with open_app(listing(ANIMALS), size=(40, 6)) as driver:
        await driver.press("c")
        assert not of_all(driver)
        assert "counts on: shown from 8 rows" in driver.bottom
        assert "Luna" in driver.text
        await resized(driver, (40, 8))
        assert of_all(driver).startswith("4 ")
        assert "Luna" in driver.text


async def test_they_say_that_pages_are_missing() -> None:
    async with open_app(limit=20) as driver:
        await driver.sees("further pages are not counted")
        await driver.press("M")
        await driver.sees_no("further pages are not counted")


async def test_rows_come_before_counts_where_a_banner_needs_the_room() -> None:
    async with open_app(listing(ANIMALS), size=(40, 12)) as driver:
        driver.service.next("listPets", error(500, "internal", "It is being repaired " * 8))
        await driver.press("c", "r")
        await driver.sees("✖ 500")
        assert not of_all(driver)
        assert all(each["name"] in driver.text for each in ANIMALS)


async def test_the_keys_of_rows_and_panes_work_while_a_request_is_under_way() -> None:
    async with open_app(listing(ANIMALS), size=(110, 30)) as driver:
        held = driver.service.hold("listPets")
        driver.type("r", "t", "c", "z", "n", "v", "j", "v", "V")
        await driver.until(lambda: "only marked" in driver.text)
        assert [int(line[3:7]) for line in driver.lines if line[2:3] == "■"] == [4, 2]
        await driver.until(lambda: of_all(driver).startswith("2 1 "))
        assert preview_of(driver).startswith("Mimi")
        held.set()
        await driver.until(lambda: not driver.screen.header.spinner)
        await driver.settled()
        assert of_all(driver).startswith("2 1 ")


def has_preview(driver: Driver) -> bool:
    return bool(driver.screen.panes.preview.region.width > 0)


@pytest.mark.parametrize(
    "row", [pet(9, "Rex", note=LONG_NOTE), {"id": "nine"}], ids=["a long text", "no animal"]
)
async def test_it_stands_there_where_one_row_has_more_to_show(row: dict[str, object]) -> None:
    async with open_app(listing([*PLAIN, row])) as driver:
        assert has_preview(driver)
        for _ in range(4):
            await driver.press("j")
            assert has_preview(driver)


async def test_further_fields_are_columns_before_a_preview() -> None:
    rows = [pet(2, "Tom", age=7, chip=None), pet(1, "Mimi", age=12)]
    async with open_app(listing(rows), size=(110, 30)) as driver:
        assert not has_preview(driver)
        assert driver.lines[3].split() == ["Id", "Name", "Category", "Status", "age", "chip"]
        assert driver.line_with("Tom").split()[-2:] == ["7", "null"]
        assert driver.line_with("Mimi").split()[-1] == "12"
        await resized(driver, (99, 30))
        assert "age" not in driver.lines[3]


async def test_a_preview_says_what_the_row_does_not() -> None:
    rows = [pet(3, "Tom", 1, note=LONG_NOTE), pet(2, "Tom", 3, status="sold"), pet(1, "Mimi")]
    async with open_app(listing(rows, [pet(4, "Bo"), *rows])) as driver:
        text = preview_of(driver)
        assert f"note: {LONG_NOTE}" in text
        assert "First seen 12:01:03" in text
        assert "Same name 2 3 Dogs ○ sold" in text
        assert "Category" not in text
        assert "{" not in text


@pytest.mark.parametrize(
    "row", [pet(3, "Tom", chip={"maker": "Acme"}), pet(3, "Tom \x1b[31m")], ids=["values", "escape"]
)
async def test_the_json_stands_there_where_it_adds_something(row: dict[str, object]) -> None:
    async with open_app(listing([row, *PLAIN])) as driver:
        await driver.press(*([] if has_preview(driver) else ["t"]))
        assert '{ "id": 3, "name": "Tom' in preview_of(driver)
        await driver.press("j")
        assert "{" not in preview_of(driver)


async def test_a_demo_has_no_earlier_sessions() -> None:
    drawn_at_once = SeenLists(
        LastLists({None: LastList((plain_pet(1, "Mimi", 1),), NOON.timestamp())})
    )
    async with open_app(listing([pet(1, "Mimi")]), seen=drawn_at_once) as driver:
        await driver.press("t")
        await driver.sees("First seen 12:01:03")


async def test_on_a_broad_screen_preview_and_counts_take_what_the_rows_leave() -> None:
    async with open_app(listing(PLAIN), size=(200, 50)) as driver:
        panes = driver.screen.panes
        widths = [each.region.width for each in (panes.table, panes.preview, panes.totals)]
        assert widths == [90, 54, 55]
        await resized(driver, (159, 50))
        assert not has_preview(driver)
        assert of_all(driver).startswith("3 ")
        assert [each.region.width for each in (panes.table, panes.totals)] == [71, 87]
        await resized(driver, (119, 50))
        assert not of_all(driver)
        assert panes.table.region.width == 119


async def test_the_preview_stands_over_the_counts_where_the_columns_beside_them_hide_a_field() -> (
    None
):
    row = pet(
        1, "Bartholomew Featherstonehaugh", 8, **dict.fromkeys(("colour", "bornIn"), "x" * 20)
    )
    async with open_app(listing([row]), size=(119, 30)) as driver:
        assert not has_preview(driver)
        await resized(driver, (120, 30))
        assert has_preview(driver)
        assert of_all(driver).startswith("1 ")
        await driver.press("c")
        assert not has_preview(driver)


async def test_bars_have_a_part_for_each_status() -> None:
    async with open_app(listing(ANIMALS)) as driver:
        assert re.search(r" 1 Cats +2 .* ━+─+ ", driver.text)


async def test_on_a_broad_screen_without_animals_nothing_stands_beside() -> None:
    async with open_app(ScriptedService([]), size=(200, 50)) as driver:
        assert driver.screen.table.region.width == 200


async def test_none_only_repeats_the_table_and_what_comes_by_itself_takes_none_away() -> None:
    """With every refresh of a watched list it would come and go."""
    async with open_app(listing(PLAIN, TAGGED, PLAIN), watch=3600.0) as driver:
        assert not has_preview(driver)
        driver.screen.refresh_first_page()
        await driver.until(lambda: len(driver.screen.table.rows) == 4)
        await driver.settled()
        assert has_preview(driver)
        driver.screen.refresh_first_page()
        await driver.until(lambda: len(driver.screen.table.rows) == 3)
        await driver.settled()
        assert has_preview(driver)
        await driver.press("r")
        await driver.until(lambda: not has_preview(driver))


async def test_f6_shows_the_whole_of_what_the_row_cuts() -> None:
    async with open_app(listing([pet(1, "T" * 300)])) as driver:
        await driver.press("f6")
        assert "T" * 100 in driver.bottom
        await driver.press("f6")  # the status line cuts it, too
        assert driver.text.count("T") >= 300
    async with open_app(listing([])) as driver:
        await driver.press("f6")
        assert "no text is cut here" in driver.bottom


# After the form


async def test_the_cursor_goes_to_what_the_form_added_last_once_it_is_listed() -> None:
    async with open_app(size=(100, 30)) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("j", "j", "a", *"Rex", "tab", "3", "enter", *"Molly", "enter", "escape")
        await driver.sees("Molly not added yet")
        assert driver.screen.target.name not in ("Rex", "Molly")
        gate.set()
        await driver.until(lambda: driver.screen.target.name == "Molly")
        await driver.sees_no("not added yet")


async def test_the_cursor_stays_once_a_key_was_pressed() -> None:
    async with open_app(size=(100, 30)) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape", "j")
        here = driver.screen.target.id
        await driver.sees_no("not added yet")
        gate.set()
        await driver.until(lambda: any(row.name == "Rex" for row in driver.screen.table.rows))
        assert driver.screen.target.id == here


async def test_after_an_add_that_is_listed_already_enter_and_y_mean_it() -> None:
    async with open_app(size=(100, 30)) as driver:
        await driver.press("j", "a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: driver.entries and driver.entries[-1].pet_id)
        await driver.press("escape")
        await driver.until(lambda: driver.screen.target.name == "Rex")
        await driver.press("y")
        assert driver.app.clipboard == f"{driver.entries[-1].pet_id}"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (["4"], "Rex is hidden by the filter: it is not set"),
        (["/", *"zzz", "enter"], "Rex is hidden by what is found"),
    ],
)
async def test_what_hides_the_animal_is_said(keys: list[str], said: str) -> None:
    async with open_app(size=(100, 30)) as driver:
        await driver.press(*keys)
        await driver.until(lambda: not driver.screen.header.spinner)
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await driver.sees(said)
        await driver.press("k")
        await driver.sees_no(said)
