"""Find narrows the loaded rows as one types; sort orders them by one column or two."""

from __future__ import annotations

import asyncio

import pytest

from pettui.remembered.last_lists import LastLists
from pettui.remembered.seen_lists import SeenLists
from tests.tui.conftest import underlined
from tests.tui.driving import (
    Case,
    Driver,
    case,
    fits,
    has_copied,
    ids_of,
    on,
    open_app,
    sees,
    sees_no,
    table,
)
from tests.tui.list.steps import is_on, shows
from tests.tui.scripted_service import Response, ScriptedService, error, listing, pet, pets

# Find


ANIMALS = [
    pet(9, "Luna", 1, status="sold"),
    pet(8, "Rex", 3, status="available"),
    pet(7, "Señor Orejas", 2, status="pending"),
    pet(6, "Straße", 3, status=None),
    pet(5, "ｆｕｌｌ", 3, status="available"),
    pet(4, "Luna the brave", 3, status="available"),
    {"id": 3, "name": "Rex", "categoryId": "3"},
    pet(2, "猫", 1, status="lost"),
]
ALL = [9, 8, 7, 6, 5, 4, 2]
UNSORTED = [
    pet(9, "zoe", 10, status="sold"),
    pet(4, "Äbbe", 3, status="available"),
    pet(30, "Abel", 3, status=None),
    pet(2, "ZOE", 9, status="pending"),
]
OWN = [9, 4, 30, 2]
LINKED = Response(body=UNSORTED, headers=(("link", '</v1/pets?limit=4&cursor=c>; rel="next"'),))
EQUALS = [
    pet(5, "Luna", 3, status="sold"),
    pet(4, "Rex", 1, status="available"),
    pet(3, "Mimi", 3, status="available"),
    pet(2, "Tiny", 1, status="sold"),
    pet(1, "Bo", 3, status="pending"),
]


def page(first: int, *others: dict[str, object], gate: asyncio.Event | None = None) -> Response:
    """Return a page of 100 animals and others before them, linked to the next one."""
    link = (("link", f'</v1/pets?limit=100&cursor={first}>; rel="next"'),)
    return Response(body=[*others, *pets(100 - len(others), first)], headers=link, gate=gate)


PAGE = page(800, pet(1000, "Luna"))


@pytest.fixture
def service() -> ScriptedService:
    """It lists these animals."""
    return listing(ANIMALS)


@pytest.mark.parametrize("keys", [("enter", "escape"), ("escape",), ("ctrl+u", "enter")], ids=str)
async def test_after_a_find_without_a_match_the_cursor_is_where_it_was(
    driver: Driver, keys: tuple[str, ...]
) -> None:
    """The letters before the last one match other rows, to which it went."""
    await driver.press("j", "/", *"lu x")
    assert ids_of(driver.lines) == []
    await driver.press(*keys)
    assert ids_of(driver.lines) == ALL
    assert driver.screen.target.id == 8


async def test_up_and_down_go_through_the_finds_that_enter_kept(driver: Driver) -> None:
    for words in ("lun", "rex", "lun", "senor"):
        await driver.press("/", *words, "enter", "escape")
    await driver.press("/", *"luna b", "up")
    assert ids_of(driver.lines) == [7]
    await driver.press("up")
    assert ids_of(driver.lines) == [9, 4]
    await driver.press("up", "up")
    assert ids_of(driver.lines) == [8]
    await driver.press("down", "down", "down", "down")
    await driver.sees("luna b")
    assert ids_of(driver.lines) == [4]


SLOW = Response(gate=asyncio.Event())
FINDS = on(lambda: listing(ANIMALS))


@table(
    case("Enter goes to the rows with the find on, and Esc clears it", FINDS,
        "/", *"lun", "enter", "j", shows(9, 4), is_on(4), sees("2 of 8 loaded · /lun", "esc: clear"),
        "escape", shows(*ALL), is_on(4), sees_no("/lun")),
    case("Esc undoes one thing at a time", on(lambda: listing(ANIMALS, error(400, "no", "No luck"))),
        "/", *"lun", "enter", "r", sees("No luck"), "/", *" brave", shows(4),
        "escape", shows(9, 4), "escape", shows(*ALL), sees("No luck"),
        "escape", sees_no("No luck")),
    case("the line names the key that searches on through the other pages", on(limit=10),
        "/", *"lun", sees("of 10 loaded · ↵ keep, then M: all pages · F2 mark · esc clear"),
        "enter", "M", sees("1 of 60 loaded", " Luna ")),
    case("on a narrow screen, too", on(size=(40, 12), limit=10),
        "/", *"lun", sees("▐     ↵ keep, M: all pages")),
    case("Esc stops the loading before it leaves the line", on(lambda: listing(PAGE, SLOW), limit=100),
        "/", *"luna", "enter", "M", "/", "escape", sees("stopped after 0 rows, 0 pages", " / "),
        "escape", shows(1000), sees_no(" / luna"), "escape", sees("100 shown")),
    case("f finds the category under the cursor, and takes it out again", FINDS,
        "j", "f", shows(8, 6, 5, 4), sees("4 of 8 loaded · /cat:3"),
        "/", *" luna", "enter", shows(4), "f", shows(9, 4), is_on(4)),
    case("f on no animal says so", FINDS, "/", *"zzz", "enter", "f",
        sees("there is no animal here whose category could be found")),
    case("s goes from column to column and back to no order", on(lambda: listing(LINKED)),
        "s", shows(2, 4, 9, 30), sees("by id ▲ · 4 rows", "Id ▲"),
        "s", shows(4, 30, 2, 9), sees("by name ▲ · 4 rows", "Name ▲"),
        "s", shows(4, 30, 2, 9), sees("by category ▲ · 4 rows", "Category ▲"),
        "s", shows(4, 2, 9, 30), sees("by status ▲ · 4 rows", "Status ▲"),
        "S", shows(9, 2, 4, 30), sees("by status ▼"),
        "s", shows(*OWN), sees_no("by status"),
        "S", shows(*OWN), sees("not sorted: the service's own order")),
    case("the next animal of the detail is the next one as it is shown", on(lambda: listing(LINKED)),
        "s", "g", "enter", sees("ZOE"), "j", sees("Äbbe")),
    case("a letter sorts by its column, and again reverses", on(lambda: listing(EQUALS)),
        "z", "n", "g", "y", shows(1, 5, 3, 4, 2), has_copied("1"),
        "z", "n", shows(2, 4, 3, 5, 1), sees("by name ▼"), "z", "u", shows(5, 4, 3, 2, 1)),
    case("a second column decides where the first is equal", on(lambda: listing(EQUALS)),
        "z", "c", "Z", "s", "Z", "i", shows(2, 4, 1, 3, 5),
        "Z", "s", shows(4, 2, 3, 1, 5), sees("by category ▲, status ▲", "Status ▲"),
        "Z", "s", "S", shows(5, 1, 3, 2, 4), sees("by category ▼, status ▼"),
        "Z", "u", shows(5, 3, 1, 4, 2), "Z", "c", sees("by category ▲ ")),
    case("the box names the letters and what is sorted by", on(lambda: listing(EQUALS), size=(40, 12)),
        "z", "c", "Z", fits, sees("Then by", "c  Category ▲"), "x", "escape", sees("1 All")),
)  # fmt: skip
async def test_finding_and_sorting(case: Case) -> None:
    await case.run()


async def test_the_order_is_there_after_a_restart() -> None:
    async with open_app(listing(EQUALS)) as driver:
        await driver.press("z", "c", "Z", "s", "Z", "s")
        left = driver.app.session.seen.last_view
    async with open_app(listing(EQUALS), seen=SeenLists(LastLists(view=left))) as driver:
        assert "by category ▲, status ▼" in driver.lines[1]


async def test_keys_of_one_packet_mean_what_they_mean_typed_slowly(driver: Driver) -> None:
    driver.send(b"/luna\rjy")
    await driver.sees("copied id 4")
    driver.send(b"\x1b/re\r")
    await driver.until(lambda: ids_of(driver.lines) == [8, 7])


async def test_what_matched_is_underlined_also_in_the_row_of_the_cursor(driver: Driver) -> None:
    await driver.press("/", *"una")
    assert underlined(driver.screen.table) == ["una", "una"]
    await driver.press("ctrl+u", *"strasse")
    assert underlined(driver.screen.table) == ["Straße"]


async def test_a_field_is_underlined_in_its_column_and_what_is_left_out_nowhere(
    driver: Driver,
) -> None:
    await driver.press("/")
    assert "name: id: category: status: -word" in driver.line_with(" / ")
    await driver.press(*"name:a -lun -st:zzz")
    assert underlined(driver.screen.table) == ["a", "a"]


async def test_what_matches_appears_as_it_is_loaded_and_the_cursor_stays() -> None:
    gates = [asyncio.Event() for _ in range(3)]
    service = listing(
        page(800, pet(1000, "Luna")),
        page(700, pet(990, "Luna II"), gate=gates[0]),
        page(600, pet(980, "Balu"), gate=gates[1]),
        Response(body=[pet(970, "luna III")], gate=gates[2]),
    )
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter")
        assert ids_of(driver.lines) == [1000]
        await driver.press("M")
        await driver.sees("loading: 0 rows", "1 of 100 loaded")
        gates[0].set()
        await driver.until(lambda: ids_of(driver.lines) == [1000, 990])
        await driver.press("j", "/")
        assert driver.screen.table.highlighted.id == 990
        gates[1].set()
        await driver.sees("2 of 300 loaded")
        await driver.press(*" i")
        await driver.until(lambda: ids_of(driver.lines) == [990])
        gates[2].set()
        await driver.until(lambda: ids_of(driver.lines) == [990, 970])
        assert driver.screen.table.highlighted.id == 990


async def test_a_found_or_sorted_list_loads_nothing_at_its_end() -> None:
    service = listing(page(800, pet(1000, "Luna")))
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter", "j", "G", "G", "pagedown", "escape")
        await driver.press("s", "G", "j", "G")
        assert len(service.requests_for("listPets")) == 1


async def test_a_click_on_a_head_sorts_and_a_second_one_turns_round() -> None:
    async with open_app(listing(LINKED), size=(40, 12)) as driver:
        head = driver.line_with(" Name ")
        row = driver.lines.index(head)
        for title, order in (
            ("Name", "name ▲"), ("Name", "name ▼"), ("Cat", "category ▲"), ("Id", "id ▲"),
        ):  # fmt: skip
            await driver.pilot.click(offset=(head.index(title) + 1, row))
            await driver.sees(f"by {order}")


# The category under the cursor


async def test_a_click_on_a_count_finds_its_category_also_while_a_find_is_typed() -> None:
    async with open_app(listing(ANIMALS), size=(160, 40)) as driver:

        async def click(label: str) -> None:
            totals = driver.screen.panes.totals
            lines = driver.lines[totals.region.y : totals.region.bottom]
            y = next(i for i, line in enumerate(lines) if f" {label}" in line[90:])
            await driver.pilot.click("Totals", offset=(4, y))
            await driver.settled()

        await click("3 Dogs")
        assert "/cat:3" in driver.bottom
        assert len(driver.screen.table.rows) == 4
        await driver.press("/", *" st:av")
        await click("3 Dogs")
        await driver.press("enter")
        assert driver.screen.panes.words == "st:av"
        await click("3 Dogs")
        await click("All")
        assert driver.screen.panes.words == "st:av"
