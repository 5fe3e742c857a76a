"""Find narrows the loaded rows as one types; sort orders them by one column or two."""

from __future__ import annotations

import asyncio

import pytest

from pettui.remembered.last_lists import LastLists
from pettui.remembered.seen_lists import SeenLists
from tests.tui.conftest import underlined
from tests.tui.driving import Driver, check_screen, ids_of, open_app
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


@pytest.fixture
def service() -> ScriptedService:
    """It lists these animals."""
    return listing(ANIMALS)


async def test_enter_goes_to_the_rows_with_the_find_on_and_esc_clears_it(driver: Driver) -> None:
    await driver.press("/", *"lun", "enter", "j")
    assert ids_of(driver.lines) == [9, 4]
    assert "2 of 8 loaded · /lun" in driver.bottom
    assert "esc: clear" in driver.bottom
    assert driver.screen.target.id == 4
    await driver.press("escape")
    assert ids_of(driver.lines) == ALL
    assert driver.screen.target.id == 4
    assert "/lun" not in driver.text


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


async def test_esc_undoes_one_thing_at_a_time() -> None:
    failing = error(400, "no", "No luck")
    async with open_app(listing(ANIMALS, failing)) as driver:
        await driver.press("/", *"lun", "enter", "r")
        await driver.sees("No luck")
        await driver.press("/", *" brave")
        assert ids_of(driver.lines) == [4]
        await driver.press("escape")
        assert ids_of(driver.lines) == [9, 4]
        await driver.press("escape")
        assert ids_of(driver.lines) == ALL
        await driver.sees("No luck")
        await driver.press("escape")
        await driver.sees_no("No luck")


async def test_the_line_names_the_key_that_searches_on_through_the_other_pages() -> None:
    async with open_app(limit=10) as driver:
        await driver.press("/", *"lun")
        await driver.sees("of 10 loaded · ↵ keep, then M: all pages · F2 mark · esc clear")
        await driver.press("enter", "M")
        await driver.sees("1 of 60 loaded")
        assert [row.name for row in driver.screen.table.rows] == ["Luna"]


def page(first: int, *others: dict[str, object], gate: asyncio.Event | None = None) -> Response:
    """Return a page of 100 animals and others before them, linked to the next one."""
    link = (("link", f'</v1/pets?limit=100&cursor={first}>; rel="next"'),)
    return Response(body=[*others, *pets(100 - len(others), first)], headers=link, gate=gate)


async def test_a_narrow_screen_says_too_that_pages_are_missing() -> None:
    async with open_app(size=(40, 12), limit=10) as driver:
        await driver.press("/", *"lun")
        assert driver.line_with(" / ").endswith("▐     ↵ keep, M: all pages")


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


async def test_esc_stops_the_loading_before_it_leaves_the_line() -> None:
    service = listing(page(800, pet(1000, "Luna")), Response(gate=asyncio.Event()))
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter", "M", "/", "escape")
        await driver.sees("stopped after 0 rows, 0 pages")
        assert driver.screen.prompt.line is not None
        await driver.press("escape")
        assert driver.screen.prompt.line is None
        assert ids_of(driver.lines) == [1000]
        await driver.press("escape")
        assert len(ids_of(driver.lines)) > 10


async def test_a_found_or_sorted_list_loads_nothing_at_its_end() -> None:
    service = listing(page(800, pet(1000, "Luna")))
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter", "j", "G", "G", "pagedown", "escape")
        await driver.press("s", "G", "j", "G")
        assert len(service.requests_for("listPets")) == 1


@pytest.mark.usefixtures("directory")
async def test_an_export_of_what_is_found_in_a_whole_list_has_no_other_scope_but_all_rows(
    driver: Driver,
) -> None:
    await driver.do("/luna enter e")
    assert "2 rows, as shown" in driver.text
    assert "F3 all rows" in driver.text
    await driver.do("escape space e f3 enter")
    await driver.sees("1 row could not be read: the same key again leaves it out")


# Sort


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


async def test_s_goes_from_column_to_column_and_back_to_no_order() -> None:
    async with open_app(listing(LINKED)) as driver:
        for ids, words, head in (
            ([2, 4, 9, 30], "by id ▲ · 4 rows", "Id ▲"),
            ([4, 30, 2, 9], "by name ▲ · 4 rows", "Name ▲"),
            ([4, 30, 2, 9], "by category ▲ · 4 rows", "Category ▲"),
            ([4, 2, 9, 30], "by status ▲ · 4 rows", "Status ▲"),
        ):
            await driver.press("s")
            assert ids_of(driver.lines) == ids, words
            await driver.sees(words, head)
        await driver.press("s")
        assert ids_of(driver.lines) == OWN
        assert "by " not in driver.lines[1]


async def test_capital_s_reverses_no_own_order_and_what_is_missing_stays_last() -> None:
    async with open_app(listing(LINKED)) as driver:
        await driver.press("S")
        assert ids_of(driver.lines) == OWN
        await driver.sees("not sorted: the service's own order")
        await driver.press("s", "s", "s", "s", "S")
        assert ids_of(driver.lines) == [9, 2, 4, 30]
        await driver.sees("by status ▼")


async def test_a_click_on_a_head_sorts_and_a_second_one_turns_round() -> None:
    async with open_app(listing(LINKED), size=(40, 12)) as driver:
        head = driver.line_with(" Name ")
        column = head.index("Name") + 1
        row = driver.lines.index(head)
        await driver.pilot.click(offset=(column, row))
        await driver.sees("by name ▲")
        assert ids_of(driver.lines) == [4, 30, 2, 9]
        await driver.pilot.click(offset=(column, row))
        await driver.sees("by name ▼")
        await driver.pilot.click(offset=(head.index("Cat") + 1, row))
        await driver.sees("by category ▲")
        await driver.pilot.click(offset=(head.index("Id") + 1, row))
        await driver.sees("by id ▲")


async def test_the_next_animal_of_the_detail_is_the_next_one_as_it_is_shown() -> None:
    async with open_app(listing(LINKED)) as driver:
        await driver.press("s", "g", "enter")
        await driver.sees("ZOE")
        await driver.press("j")
        await driver.sees("Äbbe")


async def test_a_letter_sorts_by_its_column_and_again_reverses() -> None:
    async with open_app(listing(EQUALS)) as driver:
        await driver.press("z", "n", "g", "y")  # in one packet
        assert ids_of(driver.lines) == [1, 5, 3, 4, 2]
        assert driver.app.clipboard == "1"
        await driver.press("z", "n")
        assert ids_of(driver.lines) == [2, 4, 3, 5, 1]
        assert "by name ▼" in driver.lines[1]
        await driver.press("z", "u")
        assert ids_of(driver.lines) == [5, 4, 3, 2, 1]


async def test_a_second_column_decides_where_the_first_is_equal() -> None:
    async with open_app(listing(EQUALS)) as driver:
        await driver.press("z", "c", "Z", "s", "Z", "i")
        assert ids_of(driver.lines) == [2, 4, 1, 3, 5]
        await driver.press("Z", "s")
        assert ids_of(driver.lines) == [4, 2, 3, 1, 5]
        assert "by category ▲, status △" in driver.lines[1]
        assert "Status △" in driver.line_with("Category ▲")
        await driver.press("Z", "s", "S")
        assert ids_of(driver.lines) == [5, 1, 3, 2, 4]
        assert "by category ▼, status ▽" in driver.lines[1]
        await driver.press("Z", "u")
        assert ids_of(driver.lines) == [5, 3, 1, 4, 2]
        await driver.press("Z", "c")
        assert "by category ▲ " in driver.lines[1]


async def test_the_box_names_the_letters_and_what_is_sorted_by() -> None:
    async with open_app(listing(EQUALS), size=(40, 12)) as driver:
        await driver.press("z", "c", "Z")
        check_screen(driver, "the box")
        assert "Then by" in driver.text
        assert "c  Category ▲" in driver.line_with("c  Category")
        await driver.press("x", "escape")
        await driver.sees("1 All")


async def test_the_second_column_is_there_after_a_restart() -> None:
    async with open_app(listing(EQUALS)) as driver:
        await driver.press("z", "c", "Z", "s", "Z", "s")
        left = driver.app.session.seen.last_view
    async with open_app(listing(EQUALS), seen=SeenLists(LastLists(view=left))) as driver:
        assert "by category ▲, status ▽" in driver.lines[1]


# The category under the cursor


async def test_f_finds_the_category_under_the_cursor_and_takes_it_out_again(driver: Driver) -> None:
    await driver.press("j", "f")
    assert ids_of(driver.lines) == [8, 6, 5, 4]
    assert "4 of 8 loaded · /cat:3" in driver.bottom
    await driver.press("/", *" luna", "enter")
    assert ids_of(driver.lines) == [4]
    await driver.press("f")
    assert ids_of(driver.lines) == [9, 4]
    assert driver.screen.target.id == 4


async def test_f_on_no_animal_says_so(driver: Driver) -> None:
    await driver.press("/", *"zzz", "enter", "f")
    assert "there is no animal here whose category could be found" in driver.bottom


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
