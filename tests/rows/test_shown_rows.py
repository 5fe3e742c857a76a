"""Shown rows: find and sort together, and from what was shown before."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pettui.columns import COLUMNS, ID, NAME, Column
from pettui.models import Pet
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

columns, directions = st.none() | st.sampled_from(COLUMNS), st.sampled_from(Direction)
only = st.none() | st.frozensets(st.integers(0, 9))
views = st.builds(RowView, words, columns, directions, columns, directions, only)


class Names:
    """The shop's names, counted how often they were asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, category: int) -> str:
        self.asked += 1
        return category_name(category)


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


@untimed
@given(lists, views, st.data())
def test_a_longer_word_finds_no_more(
    rows: list[Element], view: RowView, data: st.DataObject
) -> None:
    shorter = view.words[: data.draw(st.integers(0, len(view.words)))]
    fewer = shown(rows, view.with_words(f"{shorter} {view.words}"))
    assert set(fewer.indexes) <= set(shown(rows, view.with_words(shorter)).indexes)


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
    names = Names()
    rows: list[Element] = [a_pet(index, f"Rex {index}") for index in range(40)]
    seen = shown_rows(rows[:20], RowView(), names)
    for view in (
        RowView("r"),
        RowView("re", NAME),
        RowView("", ID, Direction.DESCENDING),
    ):
        seen = shown_rows(rows[:20], view, names, seen)
    seen = shown_rows(rows, RowView("rex"), names, seen)
    assert names.asked == 40
    read_again = [copy(row) for row in rows if isinstance(row, Pet)]
    changed = a_pet(7, "Luna")
    shown_rows([changed, *read_again[8:]], RowView("rex"), names, seen)
    assert names.asked == 41
