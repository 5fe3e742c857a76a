"""Which rows are shown: those with the words that were typed, and in which order."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pettui.models.pets import Pet
from pettui.rows.columns import COLUMNS, NAME, Column
from pettui.rows.shown import RowView, ShownRows, SortedBy, shown_rows
from pettui.text.folding import CHARACTERS_MAXIMUM
from tests.animals import a_pet, an_unreadable, awkward_texts, category_name, lists, words
from tests.rows.views import in_order, is_found, shown

if TYPE_CHECKING:
    from pettui.rows.shown import Element

LUNA = a_pet(1042, "Señora Luna", 7, "pending")


WORDS = {
    LUNA: (
        "",
        "luna",
        "LUNA",
        "senora",
        "señora",
        "una sen",
        "1042",
        "04",
        "7",
        "vogel",
        "VÖGEL",
        "7 vögel",
        "pend",
        "luna 7 pending",
        "\u0301",
        "l\u0301una",
    ),
    a_pet(status="very lost"): ("very LOST",),
    a_pet(status=None): ("not set",),
}
OTHERS = {
    LUNA: ("lunax", "luna rex", "available", "dogs", "77", "lunavögel", "a1042", "¨"),
    a_pet(status=None): ("none",),
}  # fmt: skip


@pytest.mark.parametrize(("pets", "found"), [(WORDS, True), (OTHERS, False)])
def test_a_row_must_contain_every_word_anywhere(
    pets: dict[Pet, tuple[str, ...]], *, found: bool
) -> None:
    for pet, lines in pets.items():
        for typed in lines:
            assert is_found(typed, pet) == found, typed


@pytest.mark.parametrize("typed", ["row", "missing", "{}"])
def test_an_unreadable_row_contains_no_word(typed: str) -> None:
    rows = [an_unreadable(), a_pet()]
    assert an_unreadable() not in shown_rows(rows, RowView(typed), category_name).elements


@given(awkward_texts)
def test_any_name_is_found_by_its_words(name: str) -> None:
    assume(len(name) < CHARACTERS_MAXIMUM)
    assert is_found(name, a_pet(name=name))


orders = st.lists(st.builds(SortedBy, st.sampled_from(COLUMNS), st.booleans()), max_size=2)
only = st.none() | st.frozensets(st.integers(0, 9))
views = st.builds(RowView, words, orders.map(tuple), only)


def test_found_rows_are_in_the_order_of_the_view() -> None:
    rows = [a_pet(1, "Señora"), a_pet(2, "Rex"), an_unreadable(), a_pet(3, "Senator")]
    seen = shown(rows, RowView("sen").by(NAME))
    assert seen.indexes == [3, 0]
    assert seen.elements == (rows[3], rows[0])
    assert seen.is_narrowed


@pytest.mark.parametrize("typed", ["  ", "\u0301"])
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
        st.tuples(st.just("letter"), st.sampled_from([*'rexs3가 \u0301ßi-":', "id>", "st:"])),
        st.just("backspace"),
        st.just("again"),
    ),
    max_size=8,
)


@settings(max_examples=100)
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
        assert before.terms == afresh.terms


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_unreadable_rows_are_last_in_the_service_s_order(
    column: Column, *, is_descending: bool
) -> None:
    rows = [an_unreadable(3), a_pet(1, status=None), an_unreadable(1), a_pet(2, "")]
    assert in_order(rows, column, is_descending=is_descending)[2:] == [rows[0], rows[2]]


@given(lists, orders)
def test_a_second_column_orders_what_is_equal_in_the_first(
    rows: list[Element], order: list[SortedBy]
) -> None:
    expected: list[Element] = rows
    for column, is_descending in reversed(order):
        expected = in_order(expected, column, is_descending=is_descending)
    assert [*shown(rows, RowView("", tuple(order))).elements] == expected
