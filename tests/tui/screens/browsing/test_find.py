"""Find: a line that narrows the loaded rows as one types, and what Esc undoes of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import Driver, check_screen, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, listing, pet, pets

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

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
async def driver() -> AsyncIterator[Driver]:
    """The list of these animals."""
    async with open_app(listing(ANIMALS)) as driver:
        yield driver


def cursor_row(driver: Driver) -> str:
    """Return the row that the cursor stands on."""
    return next(line for line in driver.lines if line.startswith("▌"))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("lun", [9, 4]),
        ("dogs luna", [4]),
        (" ", ALL),
    ],
)
async def test_each_letter_narrows_the_rows_to_those_that_hold_all_words(
    driver: Driver, typed: str, found: list[int]
) -> None:
    await driver.press("/", *typed)
    assert ids_of(driver.lines) == found


async def test_enter_goes_back_to_the_rows_with_the_find_on_and_esc_clears_it(
    driver: Driver,
) -> None:
    await driver.press("/", *"lun", "enter", "j")
    assert ids_of(driver.lines) == [9, 4]
    assert "2 of 8 loaded · /lun" in driver.bottom
    assert "esc: clear" in driver.bottom
    assert cursor_row(driver).split()[1] == "4"
    await driver.press("escape")
    assert ids_of(driver.lines) == ALL
    assert cursor_row(driver).split()[1] == "4"
    assert "/lun" not in driver.text


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


async def test_names_that_hold_something_harmful_are_as_harmless_when_they_are_found() -> None:
    rows = [pet(2, "a\x1b[31mred\u202eevil\tluna"), pet(1, "[b]luna[/b]" + "x" * 300)]
    async with open_app(listing(rows), size=(40, 12)) as driver:
        await driver.press("/", *"luna red")
        check_screen(driver, "one is found")
        await driver.press("ctrl+u", *"luna")
        check_screen(driver, "both are found")


async def test_what_matched_is_underlined_also_in_the_row_of_the_cursor(driver: Driver) -> None:
    await driver.press("/", *"una")
    assert underlined(driver) == ["una", "una"]
    await driver.press("ctrl+u", *"strasse")
    assert underlined(driver) == ["Straße"]


def underlined(driver: Driver) -> list[str]:
    """Return the texts of the table that are underlined."""
    table = driver.screen.table
    strips = [table.render_line(y) for y in range(1, 6)]
    return [each.text for strip in strips for each in strip if each.style and each.style.underline]


async def test_esc_undoes_one_thing_at_a_time() -> None:
    failing = error(400, "no", "No luck")
    async with open_app(listing(ANIMALS, failing)) as driver:
        await driver.press("/", *"lun", "enter", "r")
        await driver.sees("No luck")
        await driver.press("/", *" brave")
        assert ids_of(driver.lines) == [4]
        await driver.press("escape")
        assert ids_of(driver.lines) == [9, 4]
        await driver.sees("No luck")
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


def found(driver: Driver) -> list[int]:
    return ids_of(driver.lines)


async def test_a_narrow_screen_says_too_that_pages_are_missing() -> None:
    async with open_app(size=(40, 12), limit=10) as driver:
        await driver.press("/", *"lun")
        assert driver.line_with(" / ").endswith("▐     ↵ keep, M: all pages")


async def test_what_matches_appears_as_it_is_loaded_and_the_cursor_stays() -> None:
    gates = [asyncio.Event() for _ in range(3)]
    service = ScriptedService([])
    service.next(
        "listPets",
        page(800, pet(1000, "Luna")),
        page(700, pet(990, "Luna II"), gate=gates[0]),
        page(600, pet(980, "Balu"), gate=gates[1]),
        Response(body=[pet(970, "luna III")], gate=gates[2]),
    )
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter")
        assert found(driver) == [1000]
        await driver.press("M")
        await driver.sees("loading: 0 rows", "1 of 100 loaded")
        gates[0].set()
        await driver.until(lambda: found(driver) == [1000, 990])
        await driver.press("j", "/")
        assert driver.screen.table.highlighted.id == 990
        gates[1].set()
        await driver.sees("2 of 300 loaded")
        await driver.press(*" i")
        await driver.until(lambda: found(driver) == [990])
        gates[2].set()
        await driver.until(lambda: found(driver) == [990, 970])
        assert driver.screen.table.highlighted.id == 990


async def test_esc_stops_the_loading_before_it_leaves_the_line() -> None:
    service = ScriptedService([])
    service.next("listPets", page(800, pet(1000, "Luna")), Response(gate=asyncio.Event()))
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter", "M", "/", "escape")
        await driver.sees("stopped after 0 rows, 0 pages")
        assert driver.screen.open_line is not None
        await driver.press("escape")
        assert driver.screen.open_line is None
        assert found(driver) == [1000]
        await driver.press("escape")
        assert len(found(driver)) > 10


async def test_a_found_or_sorted_list_loads_nothing_at_its_end() -> None:
    service = ScriptedService([])
    service.next("listPets", page(800, pet(1000, "Luna")))
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter", "j", "G", "G", "pagedown", "escape")
        await driver.press("s", "G", "j", "G")
        assert len(service.requests_for("listPets")) == 1
