"""Find: a line that narrows the loaded rows as one types, and what Esc undoes of it."""

from __future__ import annotations

import pytest

from tests.tui.driving import Driver, check_screen, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, pet

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


def listing(*answers: Response) -> ScriptedService:
    service = ScriptedService([])
    service.next("listPets", Response(body=ANIMALS), *answers)
    return service


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
    typed: str, found: list[int]
) -> None:
    async with open_app(listing()) as driver:
        await driver.press("/", *typed)
        assert ids_of(driver.lines) == found


async def test_enter_goes_back_to_the_rows_with_the_find_on_and_esc_clears_it() -> None:
    async with open_app(listing()) as driver:
        await driver.press("/", *"lun", "enter", "j")
        assert ids_of(driver.lines) == [9, 4]
        assert "2 of 8 loaded · /lun" in driver.bottom
        assert "esc: clear" in driver.bottom
        assert cursor_row(driver).split()[1] == "4"
        await driver.press("escape")
        assert ids_of(driver.lines) == ALL
        assert cursor_row(driver).split()[1] == "4"
        assert "/lun" not in driver.text


async def test_up_and_down_go_through_the_finds_that_enter_kept() -> None:
    """The newest first, each once; what was typed comes back behind it."""
    async with open_app(listing()) as driver:
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


async def test_keys_of_one_packet_mean_what_they_mean_typed_slowly() -> None:
    async with open_app(listing()) as driver:
        driver.send(b"/luna\rjy")
        await driver.sees("copied id 4")
        driver.send(b"\x1b/re\r")
        await driver.until(lambda: ids_of(driver.lines) == [8, 7])


async def test_the_cursor_stays_on_its_animal_also_while_nothing_is_found() -> None:
    async with open_app(listing()) as driver:
        await driver.press("j", "j", "j", "j", "j", "/", *"lunx")
        await driver.sees("No matches in 8 rows", "0 of 8 loaded")
        await driver.press("backspace")
        assert cursor_row(driver).split()[1] == "4"
        await driver.press("escape")
        assert cursor_row(driver).split()[1] == "4"


async def test_what_matched_is_underlined_also_in_the_row_of_the_cursor() -> None:
    async with open_app(listing()) as driver:
        await driver.press("/", *"una")
        assert underlined(driver) == ["una", "una"]
        await driver.press("ctrl+u", *"strasse")
        assert underlined(driver) == ["Straße"]


def underlined(driver: Driver) -> list[str]:
    """Return the texts of the table that are underlined."""
    table = driver.screen.table
    strips = [table.render_line(y) for y in range(1, 6)]
    return [each.text for strip in strips for each in strip if each.style and each.style.underline]


async def test_names_that_hold_something_harmful_are_as_harmless_when_they_are_found() -> None:
    service = ScriptedService([])
    rows = [pet(2, "a\x1b[31mred\u202eevil\tluna"), pet(1, "[b]luna[/b]" + "x" * 300)]
    service.always("listPets", Response(body=rows))
    async with open_app(service, size=(40, 12)) as driver:
        await driver.press("/", *"luna red")
        check_screen(driver, "one is found")
        await driver.press("ctrl+u", *"luna")
        check_screen(driver, "both are found")


async def test_esc_undoes_one_thing_at_a_time() -> None:
    """The line, the find, the banner."""
    failing = error(400, "no", "No luck")
    async with open_app(listing(failing)) as driver:
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


async def test_a_request_that_is_waited_for_is_stopped_before_the_line_is_closed() -> None:
    async with open_app(listing()) as driver:
        driver.service.hold("listPets")
        await driver.press("r")
        await driver.sees("loading all animals")
        await driver.press("/", *"lun", "escape")
        await driver.sees("Stopped")
        assert ids_of(driver.lines) == [9, 4]
        await driver.press("escape")
        assert ids_of(driver.lines) == ALL


async def test_the_line_names_the_key_that_searches_on_through_the_other_pages() -> None:
    async with open_app(limit=10) as driver:
        await driver.press("/", *"lun")
        await driver.sees("of 10 loaded · ↵ keep, then M: all pages · F2 mark · esc clear")
        await driver.press("enter", "M")
        await driver.sees("1 of 60 loaded")
        assert [row.name for row in driver.screen.table.rows] == ["Luna"]


async def test_a_narrow_screen_says_too_that_pages_are_missing() -> None:
    async with open_app(size=(40, 12), limit=10) as driver:
        await driver.press("/", *"lun")
        assert driver.line_with(" / ").endswith("▐     ↵ keep, M: all pages")
