"""Whatever is typed into any field, it shows it as the list does, and its cursor, at every size."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest
from rich.cells import cell_len
from textual.widgets import Input

from pettui.text.safe import safe
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, key_event, open_app, strips_of
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from rich.style import Style

    Cell: TypeAlias = tuple[str, Style]

SIZES = [(40, 12), *exhaustive((80, 24), (200, 50))]
VALUES = {
    "long": "Bartholomew Featherstonehaugh the Third of Upper Slaughter, " * 5 + "esq.",
    "digits": "12345678901234567890123456789012345678901234567890",
    "wide": "ハチ小梅柴犬" * 20,
    "emoji": "Rex 🐹👨‍👩‍👧👍🏽❤️",
    "combining": "Zoe\u0308 n\u0303 e" + "\u0301" * 9 + " नमस्ते",
    "tab": "Rex\tthe\tdog",
    "flag": "🇩🇪 Rex 🇫🇷🇮🇹",
    "right-to-left": "שלום Rex سلام",
    "override": "a\u202eb\u200fc",
    "control": "R\x1b[31me\x9bx",
    "empty": "",
}
FIELDS = {
    "name": ("a",), "category": ("a", "tab"), "palette": (":",), "find": ("/",), "key": ("f7",),
}  # fmt: skip


async def field_of(driver: Driver, field: str) -> Input:
    """Put the cursor into a field."""
    await driver.press(*FIELDS[field])
    assert isinstance(driver.app.focused, Input)
    return driver.app.focused


async def fill(driver: Driver, widget: Input, value: str) -> None:
    await driver.press("end", "ctrl+u")
    if value:
        driver.paste(value)
    await driver.settled()
    assert widget.value in (value, value.strip())


async def field_with(driver: Driver, field: str, value: str) -> Input:
    widget = await field_of(driver, field)
    await fill(driver, widget, value)
    return widget


def drawn_of(field: str, value: str) -> str:
    """Return the whole line: what a list draws, but that it keeps every blank; a key is masked."""
    blanks = "".join(" " if character.isspace() else character for character in value)
    return "•" * len(value.strip()) if field == "key" else safe(blanks)


def cells_of(driver: Driver, field: Input) -> list[Cell]:
    """Return the text and the style of each cell; "" in the second half of a wide character."""
    region = field.content_region
    cells: list[Cell] = []
    for segment in strips_of(driver.app)[region.y].crop(region.x, region.right):
        for character in segment.text:
            width = cell_len(character)
            if width == 0 and cells:
                cells[-1] = (cells[-1][0] + character, cells[-1][1])
            else:
                cells += [(character, segment.style), *[("", segment.style)] * (width - 1)]
    assert len(cells) == region.width
    return cells


def text_of(cells: list[Cell]) -> str:
    return "".join(text for text, _ in cells).rstrip()


def cursor_in(field: Input, cells: list[Cell]) -> list[int]:
    """Return the columns in which the cursor is drawn."""
    cursor = field.get_component_rich_style("input--cursor").bgcolor
    return [column for column, (_, style) in enumerate(cells) if style.bgcolor == cursor]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("field", ["name", "key", *exhaustive("category", "palette", "find")])
async def test_a_field_shows_what_is_typed_and_its_cursor(
    field: str, size: tuple[int, int]
) -> None:
    async with open_app(ScriptedService([]), size=size) as driver:
        widget = await field_of(driver, field)
        width = widget.content_size.width
        assert width >= 8, f"{field} at {size}"
        for name, value in VALUES.items():
            await fill(driver, widget, value)
            line = drawn_of(field, value) or widget.placeholder
            where = f"{name} in {field} at {size}"
            if value:
                check_end(driver, widget, line, where)
            await driver.press("home")
            check_beginning(driver, widget, line, where)


def check_end(driver: Driver, widget: Input, line: str, where: str) -> None:
    """Check that the end of a line stands there, and the cursor behind it."""
    cells = cells_of(driver, widget)
    shown, width = text_of(cells), len(cells)
    if cell_len(line) < width:
        assert shown == line.rstrip(), where
        assert cursor_in(widget, cells) == [cell_len(line)], where
    else:
        assert shown.startswith("…"), where
        assert line.endswith(shown.removeprefix("…").lstrip()), where
        assert cursor_in(widget, cells) == [width - 1], where


def check_beginning(driver: Driver, widget: Input, line: str, where: str) -> None:
    """Check that the beginning of a line stands there, and the cursor on it."""
    cells = cells_of(driver, widget)
    shown = text_of(cells)
    assert cursor_in(widget, cells)[:1] == [0], where
    if cell_len(line) <= len(cells):
        assert shown == line.rstrip(), where
    elif widget.value:
        assert line.startswith(shown.removesuffix("…").rstrip()), where
        assert shown.endswith("…"), where


@pytest.mark.parametrize(
    "name", ["flag", *exhaustive("wide", "long", "emoji", "combining", "tab", "control")]
)
async def test_the_cursor_is_in_sight_at_every_place_of_a_line(name: str) -> None:
    value = VALUES[name][:70]
    async with open_app(ScriptedService([]), size=(40, 12)) as driver:
        widget = await field_with(driver, "category", value)
        places = [len(value)]
        for key in ("left", "right"):
            while True:
                await driver.press(key)
                cells = cells_of(driver, widget)
                columns = cursor_in(widget, cells)
                assert columns, f"{widget.cursor_position} of {value!r}"
                assert text_of(cells), value
                if widget.cursor_position == places[-1]:
                    break
                places.append(widget.cursor_position)
        assert 0 in places
        assert places == places[: places.index(0) + 1] + places[: places.index(0)][::-1]


NOT_PRINTABLE = {  # to Python
    "no-break space": "a\u00a0b",
    "ideographic space": "山田\u3000花子",
    "zero width non-joiner": "می\u200cخواهم",
    "zero width joiner": "👨\u200d👩\u200d👧",
    "soft hyphen": "a\u00adb",
    "right-to-left mark": "א\u200fב",
    "private use": "\ue000z",
    "line separator": "a\u2028b",
}


@pytest.mark.parametrize("field", ["name", *exhaustive("category", "palette")])
async def test_what_a_keyboard_types_is_in_the_field_printable_or_not(field: str) -> None:
    async with open_app(ScriptedService([])) as driver:
        widget = await field_of(driver, field)
        typed = ""
        for what, text in NOT_PRINTABLE.items():
            driver.send(f"[{text}]".encode())
            await driver.settled()
            typed += f"[{text}]"
            assert widget.value == typed, what


async def test_every_character_is_deleted_by_one_key() -> None:
    async with open_app(ScriptedService([])) as driver:
        widget = await field_with(driver, "name", "👨‍👩‍👧")
        for left in ("👨‍👩‍", "👨‍", ""):
            await driver.press("backspace")
            assert widget.value == left
        driver.paste("e\u0301x")
        await driver.press("home", "delete")
        assert widget.value == "x"


@pytest.mark.parametrize(
    ("field", "text", "keys", "left"),
    [
        ("palette", "Señor Rex Kim", "ctrl+w ctrl+w ctrl+y", "Señor Rex Kim"),
        ("name", "Rex Kim", "left left ctrl+k ctrl+u ctrl+y ctrl+y", "Rex KimRex Kim"),
        ("name", "Rex Kim", "ctrl+w x ctrl+w ctrl+y", "Rex x"),
        ("name", "Rex", "ctrl+u tab ctrl+y shift+tab ctrl+y", ""),
    ],
)
async def test_what_was_deleted_last_in_one_go_comes_back_until_the_focus_goes(
    field: str, text: str, keys: str, left: str
) -> None:
    async with open_app(ScriptedService([])) as driver:
        widget = await field_with(driver, field, text)
        await driver.press(*keys.split())
        assert widget.value == left


async def test_what_was_deleted_of_an_api_key_does_not_come_back() -> None:
    async with open_app(ScriptedService([])) as driver:
        widget = await field_with(driver, "key", "secret")
        await driver.press("ctrl+u", "ctrl+y")
        assert widget.value == ""
        assert "secret" not in str(vars(widget))


async def test_a_click_puts_the_cursor_on_the_character_that_is_seen() -> None:
    async with open_app(ScriptedService([])) as driver:
        widget = await field_with(driver, "name", "ハチ🇩🇪x")
        for column, index in ((0, 0), (1, 0), (2, 1), (4, 2), (5, 3), (6, 4), (30, 5)):
            await driver.pilot.click(widget, offset=(column + 1, 0))
            await driver.until(lambda index=index: widget.cursor_position == index)


async def test_what_the_mouse_is_drawn_over_is_selected_as_far_as_it_is_held() -> None:
    async with open_app(ScriptedService([])) as driver:
        widget = await field_with(driver, "name", "ハチ公x")
        await driver.pilot.mouse_down(widget, offset=(3, 0))
        await driver.pilot.hover(widget, offset=(7, 0))
        await driver.until(lambda: widget.selected_text == "チ公")
        await driver.pilot.mouse_up(widget, offset=(7, 0))
        await driver.pilot.hover(widget, offset=(1, 0))
        await driver.press("y")
        assert widget.value == "ハyx"


async def test_the_terminals_own_cursor_stands_where_the_fields_is() -> None:
    """An input method shows its box there."""
    async with open_app(ScriptedService([])) as driver:
        widget = await field_with(driver, "name", "ハチ🇩🇪")
        region = widget.content_region
        assert driver.app.cursor_position == (region.x + 6, region.y)
        await driver.press("left")
        assert driver.app.cursor_position == (region.x + 5, region.y)


async def test_an_enter_that_comes_as_a_line_feed_is_an_enter() -> None:
    """From a terminal that is cooked still; from one that sends both halves it is one."""
    async with open_app(ScriptedService([]), delay=3600) as driver:
        await driver.press("a", *"Rex", "tab", "3", "ctrl+j", *"Mimi", "ctrl+j")
        assert [entry.name for entry in driver.entries] == ["Rex", "Mimi"]
        for key in ("T", "enter", "ctrl+j"):
            driver.post(key_event(key))
        await driver.settled()
        assert [entry.name for entry in driver.entries] == ["Rex", "Mimi", "T"]
        assert "a name is required" not in driver.text


@pytest.mark.parametrize("field", ["name", "key", *exhaustive("find", "palette")])
async def test_ctrl_w_deletes_a_word_and_of_an_api_key_all(field: str) -> None:
    async with open_app(ScriptedService([])) as driver:
        widget = await field_with(driver, field, "Zoe\u0308 Rex Kim")
        await driver.press("ctrl+w", "ctrl+w")
        assert widget.value == ("" if field == "key" else "Zoe\u0308 ")
