"""Ordering: by a column, as people expect it; and the view that says which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.client import UnreadablePet
from pettui.columns import CATEGORY, COLUMNS, ID, NAME, STATUS, Column
from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, Pet
from pettui.rows import Direction, RowView, shown_rows
from tests.rows.animals import a_pet, an_unreadable, category_name, lists, untimed

if TYPE_CHECKING:
    from pettui.rows import Element

UP, DOWN = Direction.ASCENDING, Direction.DESCENDING
columns = st.sampled_from(COLUMNS)
directions = st.sampled_from(Direction)


def in_order(
    rows: list[Element], column: Column | None, direction: Direction = UP
) -> list[Element]:
    return list(shown_rows(rows, RowView("", column, direction), category_name).elements)


def names(rows: list[Element]) -> list[str]:
    return [row.name for row in rows if isinstance(row, Pet)]


NAMES = {
    "case": ["ant", "Bee", "cat", "Dog"],
    "accents": ["Zoe", "Zoé", "Zoë", "Zoea"],
    "accents among others": ["Ábel", "Adam", "Ägir", "Zoe"],
    "the same letters by the text itself": ["REX", "Rex", "rex", "réx"],
    "ligatures": ["fim", "ﬁn", "fio"],
    "sharp s": ["Strasse", "Straße", "Strassf"],
    "width": ["ful", "ｆｕｌｌ", "fullest"],
    "white space in front": ["  ant", "Bee", "\u00a0cat"],
    "scripts": ["Rex", "Рекс", "שלום", "猫", "각"],
}


@pytest.mark.parametrize("expected", NAMES.values(), ids=NAMES)
def test_names_are_sorted_as_people_expect(expected: list[str]) -> None:
    rows: list[Element] = [a_pet(index, name) for index, name in enumerate(reversed(expected))]
    assert names(in_order(rows, NAME)) == expected
    assert names(in_order(rows, NAME, DOWN)) == expected[::-1]


def test_blank_names_are_last_in_both_directions() -> None:
    rows: list[Element] = [a_pet(1, " "), a_pet(2, "b"), a_pet(3, ""), a_pet(4, "\u200b")]
    assert names(in_order(rows, NAME)) == ["\u200b", "b", " ", ""]
    assert names(in_order(rows, NAME, DOWN)) == ["b", "\u200b", " ", ""]


def test_ids_and_categories_are_sorted_as_numbers() -> None:
    numbers = [INT64_MINIMUM, -10, -9, 0, 2, 10, 100, INT64_MAXIMUM - 1, INT64_MAXIMUM]
    by_id: list[Element] = [a_pet(number) for number in reversed(numbers)]
    assert [row.id for row in in_order(by_id, ID) if isinstance(row, Pet)] == numbers
    rows: list[Element] = [a_pet(category=number) for number in reversed(numbers)]
    categories = [row.category_id for row in in_order(rows, CATEGORY) if isinstance(row, Pet)]
    assert categories == numbers


def test_statuses_are_sorted_as_in_the_interface_then_unknown_then_missing_ones() -> None:
    known = ["available", "pending", "sold", "", "lost", "Šold", "zzz"]
    rows: list[Element] = [a_pet(1, status=None), an_unreadable()]
    rows += [a_pet(2, status=status) for status in reversed(known)]
    for direction, expected in ((UP, known), (DOWN, known[::-1])):
        ordered = in_order(rows, STATUS, direction)
        assert [row.status for row in ordered if isinstance(row, Pet)] == [*expected, None]
        assert isinstance(ordered[-1], UnreadablePet)


def test_unreadable_rows_are_last_in_the_service_s_order() -> None:
    rows: list[Element] = [an_unreadable(3), a_pet(1), an_unreadable(1), a_pet(2, "")]
    for column in COLUMNS:
        for direction in Direction:
            assert in_order(rows, column, direction)[2:] == [rows[0], rows[2]]


def test_without_a_column_rows_are_in_the_service_s_order() -> None:
    rows: list[Element] = [a_pet(2), an_unreadable(), a_pet(3), a_pet(1)]
    assert in_order(rows, None) == in_order(rows, None, DOWN) == rows


@untimed
@given(lists, columns, directions, columns, directions)
def test_a_second_column_orders_what_is_equal_in_the_first(
    rows: list[Element], first: Column, one: Direction, second: Column, other: Direction
) -> None:
    view = RowView("", first, one, second, other)
    both = shown_rows(rows, view, category_name).elements
    assert list(both) == in_order(in_order(rows, second, other), first, one)


@untimed
@given(lists, columns, directions)
def test_sorting_is_stable(rows: list[Element], column: Column, direction: Direction) -> None:
    shown = shown_rows(rows, RowView("", column, direction), category_name)
    values: dict[object, list[int]] = {}
    for index in shown.indexes:
        row = rows[index]
        value = (
            isinstance(row, Pet)
            and {
                ID: row.id,
                NAME: row.name,
                CATEGORY: row.category_id,
                STATUS: row.status,
            }[column]
        )
        values.setdefault((type(value), value), []).append(index)
    assert all(indexes == sorted(indexes) for indexes in values.values())


@untimed
@given(lists, columns)
def test_the_other_direction_reverses_only_rows_with_a_value(
    rows: list[Element], column: Column
) -> None:
    def is_missing(row: Element) -> bool:
        if not isinstance(row, Pet):
            return True
        if column is STATUS:
            return row.status is None
        return column is NAME and not row.name.strip()

    up, down = in_order(rows, column), in_order(rows, column, DOWN)
    missing = [row for row in up if is_missing(row)]
    assert missing == up[len(up) - len(missing) :] == down[len(down) - len(missing) :]
    first = [(row.id, row.name, row.category_id, row.status) for row in up if isinstance(row, Pet)]
    other = [
        (row.id, row.name, row.category_id, row.status) for row in down if isinstance(row, Pet)
    ]
    assert sorted(map(repr, first)) == sorted(map(repr, other))
    key = {ID: 0, NAME: 1, CATEGORY: 2, STATUS: 3}[column]
    present = len(up) - len(missing)
    assert [one[key] for one in first[:present]] == [one[key] for one in other[:present]][::-1]


def test_the_next_column_goes_from_left_to_right_and_back_to_the_service_s_order() -> None:
    view = RowView("rex")
    seen = []
    for _ in range(5):
        view = view.by_next_column()
        seen.append(view.column)
    assert seen == [ID, NAME, CATEGORY, STATUS, None]
    assert view == RowView("rex")


def test_reversing_and_clicking_a_column() -> None:
    by_name = RowView("rex", NAME)
    assert by_name.reversed() == RowView("rex", NAME, DOWN)
    assert by_name.reversed().reversed() == by_name
    assert by_name.reversed().by_next_column() == RowView("rex", CATEGORY, UP)
    assert RowView().reversed() == RowView()
    assert RowView("rex").by(NAME) == by_name
    assert by_name.by(NAME) == by_name.reversed()
    assert by_name.reversed().by(ID) == RowView("rex", ID, UP)
    assert by_name.is_sorted
    assert not RowView("rex").is_sorted
    assert by_name.with_words("") == RowView("", NAME)
