"""The list: filters, limit, refresh, panes, and what stands there when it fails."""

from __future__ import annotations

import asyncio
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import NewPet, PetStatus
from pettui.remembered.last_lists import LastList, LastLists
from pettui.remembered.seen_lists import SeenLists
from pettui.settings.settings import Limits
from pettui.tui.list.pet_panes import BROAD, DIVIDED
from tests.animals import plain_pet
from tests.exhaustive import exhaustive
from tests.tui.driving import (
    NOON,
    Case,
    Driver,
    case,
    check_screen,
    fits,
    ids_of,
    on,
    open_app,
    resized,
    responds,
    sees,
    sees_no,
    table,
)
from tests.tui.list.steps import becomes, has_loaded, shows
from tests.tui.scripted_service import (
    UNAUTHORIZED,
    Response,
    ScriptedService,
    error,
    listing,
    pet,
    pets,
)

if TYPE_CHECKING:
    from tests.tui.driving import Step

NOTICE = (("deprecation", "@1764892800"), ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"))
SAID = "listPets is deprecated. It goes away on 1 January 2027 (in 41 days)."
ELSEWHERE = (("link", '<https://elsewhere.example/v1/pets?cursor=c>; rel="next"'),)
UNREADABLE = {"id": 2, "name": "Rex", "categoryId": "3"}


@table(
    case("a failure keeps the old rows, marked with their time",
        on(lambda: listing(pets(3), error(500, "internal", "No luck"), pets(3))),
        "r", sees("500 internal", "No luck", "all animals as of 12:01:03"), shows(3, 2, 1),
        "escape", sees_no("No luck"), sees("all animals as of 12:01:03"),
        "f5", sees_no("all animals as of")),
    case("an unreadable row costs itself alone", on(lambda: listing([pet(3), UNREADABLE, pet(1)])),
        sees("row 2 unreadable: categoryId", "1 unreadable", "   1  Rex"),
        "j", "enter",
        sees("─ Row 2 is not an animal ─", "must be a whole number", '"name": "Rex"')),
    case("animals of another status are shown and pointed out",
        on(lambda: listing([], [pet(2, status="sold"), pet(1, status="available")])),
        "4", sees("1 of another status than"), shows(2, 1)),
    case("a link to another origin is not followed, and said",
        on(lambda: listing(Response(body=pets(3), headers=ELSEWHERE)), limit=3),
        sees("https://elsewhere.example", "not followed")),
    case("from 20 rows on without links nobody knows whether there are more",
        on(lambda: listing(pets(20)), limit=100), sees("whether there are more is not known")),
    case("fewer are all", on(lambda: listing(pets(19)), limit=100),
        sees("19 shown"), sees_no("not known")),
    case("an empty list that can't be refreshed does not say that there are none",
        on(lambda: listing([], error(503, "away", "not now"))),
        sees("No animals yet."), "r",
        sees("None were listed then. F5 retries. a adds: it is sent later.")),
    case("a notice on a refusal stands on the list",
        on(lambda: listing(error(410, "gone_soon", "Not today", headers=NOTICE), pets(3))),
        sees("✖ 410 gone_soon", SAID, "Nothing was loaded. F5 retries. a adds"),
        "escape", sees(SAID), "f5", sees("3 shown"), sees_no("deprecated")),
    case("a limit that was chosen goes back to the rows of the screen",
        on(size=(120, 46), limit=None), "L", *"35", "enter", has_loaded(35),
        "L", "enter", has_loaded(46), sees("limit 46: automatic")),
    case("r fills the rows of a terminal that was enlarged", on(size=(80, 24), limit=None),
        has_loaded(24), becomes(80, 50), "r", has_loaded(50)),
    case("a text that the row cuts is whole by F6", on(lambda: listing([pet(1, "T" * 300)])),
        "f6", sees("T" * 100), "f6", sees(" Status ")),
    case("there is nothing to show where nothing is cut", on(lambda: listing([])),
        "f6", sees("no text is cut here")),
)  # fmt: skip
async def test_the_list(case: Case) -> None:
    await case.run()


async def test_plus_and_minus_set_the_limit_and_ask_once_the_keys_rest() -> None:
    async with open_app(limit=5) as driver:
        await driver.press("+", "+", "+", "-")
        await driver.until(lambda: len(ids_of(driver.lines)) == 20)
        assert [asked.query["limit"] for asked in driver.service.requests] == ["5", "20"]
        assert "limit 20" in driver.bottom


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
        assert ids_of(driver.lines) == [2]


async def test_the_keys_that_move_the_cursor() -> None:
    async with open_app(listing(pets(60)), size=(80, 24), limit=100) as driver:
        table = driver.screen.table
        page = table.size.height - 1
        for keys, index in (
            ("k up", 0), ("j down j", 3), ("pagedown", 3 + page), ("pageup", 3), ("ctrl+f", 3 + page),
            ("ctrl+b", 3), ("ctrl+d", 3 + page // 2), ("ctrl+u", 3), ("G", 59),
            ("j pagedown end", 59), ("g", 0), ("end home", 0),
        ):  # fmt: skip
            await driver.press(*keys.split())
            assert table.cursor == index, keys
            assert f"Animal {60 - index} " in driver.line_with("▌")


async def test_rows_tabs_and_the_key_bar_can_be_clicked(driver: Driver) -> None:
    ids = ids_of(driver.lines)
    await driver.pilot.click("PetTable", offset=(10, 3))
    assert driver.screen.table.cursor == 2
    await driver.pilot.double_click("PetTable", offset=(10, 5))
    await driver.sees(f"Id          {ids[4]}", "confirmed")
    await driver.press("escape")
    place = driver.line_with("3 ◐ Pending").index("Pending")
    await driver.pilot.click("StatusTabs", offset=(place, 0))
    await driver.until(lambda: driver.service.requests[-1].query.get("status") == "pending")
    await driver.pilot.click("KeyBar", offset=(driver.lines[-1].index("Add"), 0))
    await driver.sees("Add an animal")


async def test_the_banner_can_be_clicked() -> None:
    async with open_app(listing(UNAUTHORIZED, pets(3))) as driver:
        await driver.pilot.click("ErrorBanner", offset=(5, 0))
        await driver.until(lambda: ids_of(driver.lines) == [3, 2, 1])


async def test_the_wheel_scrolls_and_the_next_key_comes_back_to_the_cursor() -> None:
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
        assert await driver.answered("2") == [{"status": "available", "limit": "10"}]
        gate = driver.service.hold("listPets")
        await driver.press("1")
        assert [each.id for each in driver.screen.table.rows] == rows
        assert "all animals as of 12:01:03" in driver.bottom
        gate.set()
        await driver.sees_no("all animals as of")
        assert driver.service.requests[-1].query == {"limit": "10"}
        assert len(await driver.answered("r")) == 3  # all that is shown
        assert len(driver.screen.table.rows) == 30


async def test_all_filters_together_keep_a_bounded_number_of_rows() -> None:
    async with open_app(limit=10, limits=Limits(rows=25)) as driver:
        await driver.answered("m")
        await driver.answered("2")
        await driver.answered("1")
        assert len(driver.screen.table.rows) == 10  # 20 and 10 would be too many


@table(
    case("tabs carry how many of the loaded rows each has",
        on(lambda: a_shop(available=7, pending=2, sold=3, none=1), size=(80, 24), limit=10),
        sees("1 All (10+)"), "M",
        sees("1 All (13)  2 ● Available (7)  3 ◐ Pending (2)  4 ○ Sold (3)"), fits),
    case("but on a narrow screen", on(size=(79, 24), limit=10), sees_no("(10+)")),
)  # fmt: skip
async def test_tabs(case: Case) -> None:
    await case.run()


async def test_after_all_pages_a_filter_shows_its_rows_at_once_and_asks_for_one_page() -> None:
    async with open_app(a_shop(available=130, sold=120), limit=20) as driver:
        await driver.answered("M")
        gate = driver.service.hold("listPets")
        await driver.press("4")
        assert len(driver.screen.table.rows) == 120
        assert "sold animals as of 12:01:03" in driver.bottom
        gate.set()
        await driver.sees_no("sold animals as of")
        assert driver.service.requests[-1].query == {"status": "sold", "limit": "20"}
        assert await driver.answered("1") == [{"limit": "100"}]
        assert len(driver.screen.table.rows) == 250
        await driver.press("4", "M")
        await driver.sees("that is all the service lists")


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
        assert "2 ●…" in driver.text
        gate.set()
        await driver.until(lambda: driver.screen.tabs.active == "available")
        assert "…" not in driver.line_with("2 ●")


@pytest.mark.parametrize(
    ("keys", "query"),
    [(["f5"], {"status": "available", "limit": "20"}), (["escape", "r"], {"limit": "20"})],
    ids=["its banner retries it", "without the banner what is shown is refreshed"],
)
async def test_after_a_filter_that_esc_stopped(
    driver: Driver, keys: list[str], query: dict[str, str]
) -> None:
    gate = driver.service.hold("listPets")
    await driver.press("2")
    await driver.sees("loading available animals")
    await driver.press("escape")
    await driver.sees("Stopped")
    assert driver.screen.tabs.active is None
    assert "…" not in driver.line_with("2 ●")
    gate.set()
    assert await driver.answered(*keys) == [query]


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


def counts(beginning: str) -> Step:
    """Return a step that waits for the counts of all rows; "" for none."""
    return lambda driver: driver.until(lambda: of_all(driver)[: len(beginning) or 1] == beginning)


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


@table(
    case("on a narrow screen the key says from when on there is a preview",
        on(lambda: listing(ANIMALS), size=(80, 24)),
        "t", sees("preview on: it is shown from 100 columns"),
        becomes(120, 30), sees("Luna  ")),
    case("they say that pages are missing", on(limit=20),
        sees("further pages are not counted"), "M", sees_no("further pages are not counted")),
    case("rows come before counts where a banner needs the room",
        on(lambda: listing(ANIMALS), size=(40, 12)),
        responds("listPets", error(500, "internal", "It is being repaired " * 8)),
        "c", "r", sees("✖ 500", "Luna", "Rex", "Mimi", "Bo "), counts("")),
    case("bars have a part for each status", on(lambda: listing(ANIMALS)), sees("━─")),
)  # fmt: skip
async def test_panes(case: Case) -> None:
    await case.run()


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


async def test_further_fields_are_columns_before_a_preview() -> None:
    rows = [pet(2, "Tom", age=7, chip=None), pet(1, "Mimi", age=12)]
    async with open_app(listing(rows), size=(110, 30)) as driver:
        assert not has_preview(driver)
        assert driver.lines[3].split() == ["Id", "Name", "Category", "Status", "age", "chip"]
        assert driver.line_with("Tom").split()[-2:] == ["7", "null"]
        await resized(driver, (99, 30))
        assert "age" not in driver.lines[3]


async def test_a_preview_says_what_the_row_does_not() -> None:
    rows = [
        pet(3, "Tom", 1, note=LONG_NOTE),
        pet(2, "Tom", 3, status="sold", chip={"maker": "Acme"}),
        pet(1, "Mimi"),
    ]
    async with open_app(listing(rows, [pet(4, "Bo"), *rows])) as driver:
        text = preview_of(driver)
        assert f"note: {LONG_NOTE}" in text
        assert "First seen 12:01:03" in text
        assert "Same name 2 3 Dogs ○ sold" in text
        assert "Category" not in text
        assert "{" not in text
        await driver.press("j")
        assert '{ "id": 2, "name": "Tom' in preview_of(driver)


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


# After the form

REX = ("a", *"Rex", "tab", "3", "enter")


async def test_the_cursor_goes_to_what_the_form_added_last_once_it_is_listed() -> None:
    async with open_app(size=(100, 30)) as driver:
        gate = driver.service.hold("createPet")
        await driver.press("j", "j", *REX, *"Molly", "enter", "escape")
        await driver.sees("Molly not added yet")
        assert driver.screen.target.name not in ("Rex", "Molly")
        gate.set()
        await driver.until(lambda: driver.screen.target.name == "Molly")
        await driver.sees_no("not added yet")


async def test_the_cursor_stays_once_a_key_was_pressed() -> None:
    async with open_app(size=(100, 30)) as driver:
        gate = driver.service.hold("createPet")
        await driver.press(*REX, "escape", "j")
        here = driver.screen.target.id
        await driver.sees_no("not added yet")
        gate.set()
        await driver.until(lambda: any(row.name == "Rex" for row in driver.screen.table.rows))
        assert driver.screen.target.id == here


async def test_after_an_add_that_is_listed_already_y_means_it() -> None:
    async with open_app(size=(100, 30)) as driver:
        await driver.press("j", *REX)
        await driver.until(lambda: driver.entries and driver.entries[-1].pet_id)
        await driver.press("escape")
        await driver.until(lambda: driver.screen.target.name == "Rex")
        await driver.press("y")
        assert driver.app.clipboard == f"{driver.entries[-1].pet_id}"


@table(
    case("the filter", on(), "4", has_loaded(13), *REX, "escape",
        sees("Rex is hidden by the filter: it is not set"), "k", sees_no("is hidden")),
    case("the find", on(), "/", *"zzz", "enter", *REX, "escape",
        sees("Rex is hidden by what is found"), "k", sees_no("is hidden")),
)  # fmt: skip
async def test_what_hides_the_animal_is_said(case: Case) -> None:
    await case.run()
