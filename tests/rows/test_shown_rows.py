"""Which rows are shown, in which order, also from what was shown before."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pettui.client import UnreadablePet
from pettui.columns import CATEGORY, COLUMNS, ID, NAME, STATUS, Column
from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, Pet
from pettui.rows import Direction, RowView, ShownRows, shown_rows
from tests.rows.animals import (
    a_pet,
    an_unreadable,
    category_name,
    lists,
    untimed,
    words,
)

if TYPE_CHECKING:
    from pettui.rows import Element

UP, DOWN = Direction.ASCENDING, Direction.DESCENDING
columns, directions = st.sampled_from(COLUMNS), st.sampled_from(Direction)
only = st.none() | st.frozensets(st.integers(0, 9))
views = st.builds(
    RowView, words, st.none() | columns, directions, st.none() | columns, directions, only
)


def shown(rows: list[Element], view: RowView, before: ShownRows | None = None) -> ShownRows:
    return shown_rows(rows, view, category_name, before)


def test_found_rows_are_in_the_order_of_the_view() -> None:
    rows = [a_pet(1, "Señora"), a_pet(2, "Rex"), an_unreadable(), a_pet(3, "Senator")]
    seen = shown(rows, RowView("sen", NAME))
    assert seen.indexes == [3, 0]
    assert seen.elements == (rows[3], rows[0])
    assert seen.is_narrowed


@pytest.mark.parametrize("typed", ["", "  ", "\u0301", "\u200b"])
def test_blanks_and_lone_accents_do_not_filter(typed: str) -> None:
    rows = [a_pet(), an_unreadable()]
    seen = shown(rows, RowView(typed))
    assert seen.elements == tuple(rows)
    assert not seen.is_narrowed


changes = st.lists(
    st.one_of(
        views,
        st.tuples(st.just("page"), lists),
        st.tuples(st.just("refresh"), lists),
        st.tuples(st.just("letter"), st.sampled_from("rexs3가 \u0301ßi")),
        st.just("backspace"),
        st.just("again"),
    ),
    max_size=8,
)


@settings(untimed, max_examples=100)
@given(lists, changes)
def test_reusing_an_earlier_result_changes_nothing(
    rows: list[Element], steps: list[object]
) -> None:
    before: ShownRows | None = None
    view = RowView()
    for step in steps:
        match step:
            case RowView():
                view = step
            case "page", list(page):
                rows = [*rows, *page]
            case "refresh", list(other):
                rows = [*other, *rows[len(other) :]]
            case "letter", str(letter):
                view = view.with_words(view.words + letter)
            case "backspace":
                view = view.with_words(view.words[:-1])
            case _:  # the same animals, read once more
                rows = [copy(row) if isinstance(row, Pet) else row for row in rows]
        before = shown(rows, view, before)
        afresh = shown(rows, view)
        assert list(before.indexes) == list(afresh.indexes)
        assert list(before.order) == list(afresh.order)
        assert before.folded == afresh.folded
        assert before.words == afresh.words


@pytest.mark.parametrize("column", [None, *COLUMNS])
@pytest.mark.parametrize("direction", Direction)
def test_a_page_after_many_rows_is_sorted_in_as_if_all_had_come_at_once(
    column: Column | None, direction: Direction
) -> None:
    statuses = ("available", "pending", "sold", None, "lost", "Lost")
    rows: list[Element] = [
        an_unreadable(index)
        if index % 50 == 9
        else a_pet(
            index * 7919 % 1000,
            f"Rex {index % 13}" * (index % 11 > 0),
            index % 8,
            statuses[index % 6],
        )
        for index in range(1_000)
    ]
    view = RowView("e", column, direction)
    before = shown(rows[:980], view)
    assert list(shown(rows, view, before).order) == list(shown(rows, view).order)


def test_each_animal_is_folded_once() -> None:
    asked: list[int] = []

    def name(category: int) -> str:
        asked.append(category)
        return category_name(category)

    rows: list[Element] = [a_pet(index, f"Rex {index}") for index in range(40)]
    seen = shown_rows(rows[:20], RowView(), name)
    for view in (RowView("r"), RowView("re", NAME), RowView("", ID, Direction.DESCENDING)):
        seen = shown_rows(rows[:20], view, name, seen)
    seen = shown_rows(rows, RowView("rex"), name, seen)
    assert len(asked) == 40
    read_again = [copy(row) for row in rows if isinstance(row, Pet)]
    shown_rows([a_pet(7, "Luna"), *read_again[8:]], RowView("rex"), name, seen)
    assert len(asked) == 41


# The order


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


@pytest.mark.parametrize("direction", Direction)
def test_equal_rows_stay_in_the_service_s_order(direction: Direction) -> None:
    rows: list[Element] = [a_pet(number, "Rex") for number in (3, 1, 2)]
    assert in_order(rows, NAME, direction) == rows


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
