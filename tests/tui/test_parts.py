"""Small parts of the screens: categories, twins, commands, and the last door of ASCII."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, Pet
from pettui.outbox.entries import Draft, Entry, EntryState
from pettui.tui.appearance.ascii_filter import AsciiFilter
from pettui.tui.lists.categories import category_of
from pettui.tui.lists.duplicates import Duplicates
from pettui.tui.widgets.command_list import Command, found


@given(st.integers(INT64_MINIMUM, INT64_MAXIMUM))
def test_every_category_of_the_interface_can_be_typed(category: int) -> None:
    assert category_of(str(category)) == category
    assert category_of(f"  {category} ") == category


@given(st.text(max_size=25))
def test_what_is_typed_is_a_category_of_the_interface_or_none(text: str) -> None:
    with suppress(ValueError):
        assert INT64_MINIMUM <= category_of(text) <= INT64_MAXIMUM
        assert text.isascii()


@pytest.mark.parametrize(
    "text", ["+3", "--3", "- 3", "3 4", "0x3", "3_000", "²", "٣", "1e3", "-", "3.0"]
)
def test_what_python_or_a_calculator_would_take_is_no_category(text: str) -> None:
    with pytest.raises(ValueError, match="whole number"):
        category_of(text)


def test_a_twin_has_the_same_name_and_category() -> None:
    twins = Duplicates([Pet(id=7, name="Rex", categoryId=3)])
    assert twins.id_of(Draft("Rex", " 3 ")) == 7
    assert twins.id_of(Draft("rex", "3")) is None
    assert twins.id_of(Draft("Rex", "4")) is None
    assert twins.id_of(Draft("Rex", "x")) is None


def test_an_animal_that_was_just_added_has_twins_too() -> None:
    twins = Duplicates([])
    twins.add(Entry("1", "Rex", 3, None, EntryState.ADDED, 0.0, pet_id=8))
    twins.add(Entry("2", "Mimi", 3, None, EntryState.WAITING, 0.0))
    assert twins.id_of(Draft("Rex", "3")) == 8
    assert twins.id_of(Draft("Mimi", "3")) is None


def test_commands_are_found_by_words_those_that_begin_with_it_first() -> None:
    async def nothing() -> None:
        """Do nothing."""

    names = ("Show all", "Add", "Add and next", "Larger limit", "Refresh")
    commands = [Command(name, "", nothing) for name in names]
    assert [each.name for each in found(commands, "")] == list(names)
    assert [each.name for each in found(commands, "ADD")] == ["Add", "Add and next"]
    assert [each.name for each in found(commands, "al")] == ["Show all"]
    assert [each.name for each in found(commands, "l")] == ["Larger limit", "Show all"]
    assert [each.name for each in found(commands, "next add")] == ["Add and next"]
    assert found(commands, "xyz") == []


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=20))
def test_the_last_door_gives_ascii_of_the_same_width(text: str) -> None:
    segments = AsciiFilter().apply([Segment(text)], Color(0, 0, 0))
    assert segments[0].text.isascii()
    if cell_len(text) == sum(cell_len(character) for character in text):
        assert cell_len(segments[0].text) == cell_len(text)
