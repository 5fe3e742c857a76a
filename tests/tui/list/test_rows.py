"""The rows of a list: a refreshed page is merged into them, and the cursor stays on its animal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import Pet
from pettui.outbox import Entry, EntryState
from pettui.tui.list.listing import Marks, MergedRows, merged_rows, next_new_or_changed
from pettui.tui.outbox.entry_decisions import next_undecided
from pettui.tui.widgets.cursor import Cursor, cursor_at, moved_cursor
from tests.rows.animals import a_pet, an_unreadable, lists

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random
    from typing import TypeAlias

    from pettui.client import UnreadablePet
    from pettui.rows.shown import Element

    Ids: TypeAlias = Sequence[int | None]


def rows_of(ids: Ids) -> list[Element]:
    return [an_unreadable(index) if one is None else a_pet(one) for index, one in enumerate(ids)]


def merged(loaded: Ids, page: Ids, *, is_whole: bool = False, went_on: bool = True) -> MergedRows:
    return merged_rows(rows_of(loaded), rows_of(page), is_whole=is_whole, went_on=went_on)


def ids(rows: Sequence[Element]) -> list[int | None]:
    return [row.id if isinstance(row, Pet) else None for row in rows]


LOADED = (9, 8, 7, 6, 5, 4)
MERGES: dict[str, tuple[Ids, Ids, Ids]] = {
    "nothing changed": (LOADED, (9, 8, 7), LOADED),
    "one came and one vanished": (LOADED, (10, 9, 7), (10, 9, 7, 6, 5, 4)),
    "none is shared, and the page reaches into them": ((9, 7, 5, 3), (8, 6), (8, 6, 5, 3)),
    "nothing was loaded": ((), (9, 8), (9, 8)),
    "an empty page with more behind it": (LOADED, (), LOADED),
    "oldest first, one vanished": ((1, 2, 3, 4), (1, 3), (1, 3, 4)),
    "another order, a new one among them": ((5, 9, 1, 7), (5, 8, 9), (5, 8, 9, 1, 7)),
    "another order, one vanished": ((5, 9, 1, 7), (5, 1), (5, 1, 7)),
    "another order, one moved to the top": ((5, 9, 1, 7), (7, 5), (7, 5, 9, 1)),
    "another order, all are new": ((5, 9, 1, 7), (6, 8), (6, 8, 5, 9, 1, 7)),
    "one that is listed twice in the page": ((3, 2, 1), (4, 4, 3), (4, 4, 3, 2, 1)),
    "one that was listed twice": ((3, 3, 2, 1), (4, 3), (4, 3, 2, 1)),
    "one that could not be read, within the page": ((9, None, 8, 7), (9, None, 8), (9, None, 8, 7)),
    "one that can be read now": ((9, None, 7, 6), (9, 8, 7), (9, 8, 7, 6)),
    "one that ends the page": ((9, None, 7), (9, None), (9, None, 7)),
    "one that ended the page, behind a new one": ((9, 8, None, 7), (10, 9, 8), (10, 9, 8, None, 7)),
    "none that can be read": ((9, 8), (None, None), (None, None, 9, 8)),
}


@pytest.mark.parametrize(("loaded", "page", "expected"), MERGES.values(), ids=MERGES)
def test_new_rows_come_on_top_and_loaded_rows_below_stay(
    loaded: Ids, page: Ids, expected: Ids
) -> None:
    assert ids(merged(loaded, page).loaded) == list(expected)


def test_an_animal_that_was_listed_twice_and_now_once_is_not_dropped() -> None:
    marks = Marks(changed=frozenset({9}))
    before = rows_of((9, 8, 1, 9))
    now = merged_rows(before, rows_of((8,)), is_whole=False, went_on=True, marks=marks)
    assert 9 in ids(now.loaded)
    assert 9 in now.marks.changed


GAPS: dict[str, tuple[Ids, Ids, bool]] = {
    "more came than a page holds": (LOADED, (14, 13, 12), True),
    "nothing was loaded": ((), (9, 8), False),
    "the page is empty": (LOADED, (), True),
    "another order, all are new": ((5, 9, 1), (6, 8), True),
}


@pytest.mark.parametrize(("loaded", "page", "expected"), GAPS.values(), ids=GAPS)
def test_a_gap_below_the_page_is_reported(loaded: Ids, page: Ids, expected: bool) -> None:
    assert merged(loaded, page).has_gap == expected


def test_an_unknown_animal_is_new_and_one_that_differs_is_changed() -> None:
    loaded = rows_of((3, 2, 1))
    page = [*rows_of((4, 3)), a_pet(2, "Luna")]
    now = merged_rows(loaded, page, is_whole=False, went_on=True)
    assert now.marks == Marks(new=frozenset({4}), changed=frozenset({2}))


def test_a_row_that_moves_up_from_below_is_not_new() -> None:
    assert merged((9, 8, 7), (9, 7, 6)).marks == Marks()
    assert merged((9, 8, 7), (10, 9, 6)).marks.new == {10}


def test_a_row_at_the_end_of_a_whole_list_is_new() -> None:
    assert merged((1, 2), (1, 2, 3), went_on=False, is_whole=True).marks.new == {3}


def test_marks_stay_until_they_are_cleared_and_go_with_their_animals() -> None:
    marks = Marks(new=frozenset({9, 8, 4}), changed=frozenset({7, 5}))
    page = [a_pet(10), a_pet(9, "Luna"), a_pet(6, "Luna")]
    now = merged_rows(rows_of(LOADED), page, is_whole=False, went_on=True, marks=marks)
    assert now.marks == Marks(new=frozenset({10, 9, 4}), changed=frozenset({6, 5}))


newest_first = st.sets(st.integers(0, 40)).map(lambda some: sorted(some, reverse=True))


@given(newest_first, newest_first, st.integers(0, 12), st.integers(0, 30))
def test_a_merge_agrees_with_the_store_as_far_as_the_page_goes_and_keeps_the_rest(
    before: list[int], now: list[int], limit: int, depth: int
) -> None:
    # Of a store that lists the newest first, whatever was added to it and taken out of it.
    loaded, page = before[:depth], now[:limit]
    is_whole = len(page) == len(now)
    seen = merged(loaded, page, is_whole=is_whole)
    last = page[-1] if page else 10**9
    below = [] if is_whole else [one for one in loaded if one < last]
    assert ids(seen.loaded) == page + below
    assert seen.has_gap == (bool(below) and not any(one >= last for one in loaded))


orders = st.lists(st.one_of(st.integers(0, 15), st.none()), max_size=12)


@given(orders, orders, st.booleans(), st.booleans())
def test_in_any_order_the_page_is_on_top_and_no_animal_is_there_twice(
    loaded: list[int | None], page: list[int | None], is_whole: bool, went_on: bool
) -> None:
    now = merged(loaded, page, is_whole=is_whole, went_on=went_on)
    assert ids(now.loaded)[: len(page)] == page
    below = ids(now.loaded)[len(page) :]
    rest = iter(loaded)
    assert all(one in rest for one in below)
    assert not {*below} & {one for one in page if one is not None}
    there = {one for one in ids(now.loaded) if one is not None}
    assert not now.marks.new & now.marks.changed
    assert (now.marks.new | now.marks.changed) <= there


ABC = (9, 8, 7, 6, 5)
MOVES = {
    "nothing changed": (ABC, 2, ABC, 2),
    "new ones on top": (ABC, 2, (11, 10, *ABC), 4),
    "the other way round": (ABC, 1, ABC[::-1], 3),
    "gone: the one below moves up": (ABC, 2, (9, 8, 6, 5), 2),
    "gone with the one below: the one above": (ABC, 2, (9, 8, 5), 1),
    "gone, and the nearest is elsewhere now": (ABC, 2, (5, 6, 9, 8), 1),
    "all are gone: the same index": (ABC, 2, (4, 3, 2, 1), 2),
    "nothing is left": (ABC, 2, (), 0),
    "nothing was there": ((), 0, ABC, 0),
    "listed twice, the second one": ((9, 8, 9), 2, (7, 9, 8, 9, 6), 3),
    "listed twice, and then once": ((9, 8, 9), 2, (8, 9, 7), 1),
    "what could not be read stays what it is": ((9, None, 7), 1, (9, None, 6), 1),
    "what could not be read is gone": ((9, None, 7), 1, (9, 7), 1),
}


def identity(row: Element) -> int | UnreadablePet:
    return row.id if isinstance(row, Pet) else row


@pytest.mark.parametrize(("before", "index", "after", "expected"), MOVES.values(), ids=MOVES)
def test_the_cursor_follows_its_animal_or_goes_to_the_nearest(
    before: Ids, index: int, after: Ids, expected: int
) -> None:
    rows = rows_of(before)
    assert (
        moved_cursor(cursor_at(index, rows, identity), rows, rows_of(after), identity).index
        == expected
    )


def test_the_cursor_comes_back_to_its_animal_when_rows_come_back() -> None:
    rows = rows_of(ABC)
    nothing = moved_cursor(cursor_at(3, rows, identity), rows, [], identity)
    assert nothing == Cursor(0, 6)
    assert moved_cursor(nothing, [], [], identity) == nothing
    assert moved_cursor(nothing, [], rows, identity) == Cursor(3, 6)
    assert moved_cursor(nothing, [], rows_of((2, 1)), identity) == Cursor(0, 2)


def test_the_cursor_stays_on_the_same_one_of_an_animal_that_is_listed_twice() -> None:
    first, second = a_pet(9, "Rex"), a_pet(9, "Luna")
    rows: list[Element] = [first, a_pet(8), second]
    after: list[Element] = [a_pet(7), second, first]
    assert moved_cursor(cursor_at(0, rows, identity), rows, after, identity).index == 2
    assert moved_cursor(cursor_at(2, rows, identity), rows, after, identity).index == 1


@pytest.mark.parametrize(("index", "expected"), [(-1, 0), (0, 0), (2, 2), (9, 2)])
def test_a_cursor_is_on_a_row(index: int, expected: int) -> None:
    assert cursor_at(index, rows_of((3, None, 1)), identity).index == expected
    assert cursor_at(index, [], identity) == Cursor(0, None)


@given(lists, lists, st.integers(0, 30), st.randoms())
def test_the_cursor_is_on_the_same_row_or_the_nearest_one_left(
    rows: list[Element], others: list[Element], index: int, random: Random
) -> None:
    after = [row for index, row in enumerate(rows) if index % 3] + others
    random.shuffle(after)
    cursor = cursor_at(index, rows, identity)
    moved = moved_cursor(cursor, rows, after, identity)
    assert moved == (
        cursor_at(moved.index, after, identity) if after else Cursor(0, cursor.identity)
    )
    left = {identity(row) for row in after}
    distances = [
        abs(place - cursor.index) for place, row in enumerate(rows) if identity(row) in left
    ]
    if after and distances:
        reached = identity(after[moved.index])
        assert min(distances) == min(
            abs(place - cursor.index) for place, row in enumerate(rows) if identity(row) == reached
        )


@pytest.mark.parametrize(
    ("shown", "index", "step", "found"),
    [
        ((9, 8, 7), 0, 1, 2),
        ((9, 8, 7), 2, 1, 2),
        ((7, 9, 8, 6), 0, -1, 3),
        ((7, 9, 8, 6), 3, 1, 0),
        ((7, 9, 8, 6), 1, -1, 0),
        ((9, 8), 0, 1, None),
        ((), 0, 1, None),
    ],
)
def test_the_next_new_or_changed_row_is_after_the_cursor_or_at_the_other_end(
    shown: tuple[int, ...], index: int, step: int, found: int | None
) -> None:
    rows = rows_of(shown)
    marks = Marks(frozenset({7}), frozenset({6}))
    assert next_new_or_changed(index, rows, marks, step) == found
    assert next_new_or_changed(index, rows, Marks(), step) is None


STATES = {state.value[0]: state for state in EntryState}


def entries_of(states: str) -> list[Entry]:
    """Return an entry for each letter; a capital is one of another window."""
    return [
        Entry(str(n), "Rex", 3, None, STATES[each.lower()], 0.0, owned_elsewhere=each.isupper())
        for n, each in enumerate(states)
    ]


@pytest.mark.parametrize(
    ("states", "index", "step", "found"),
    [
        ("aswr", 0, 1, 3),
        ("raua", 2, 1, 0),
        ("raua", 3, -1, 2),
        ("aaua", 2, 1, 2),
        ("aaua", 2, -1, 2),
        ("aRUr", 0, 1, 3),
        ("aRUw", 0, 1, None),
        ("asw", 2, -1, None),
        ("", 0, 1, None),
    ],
)
def test_the_next_undecided_entry_is_refused_or_unknown_and_of_this_window(
    states: str, index: int, step: int, found: int | None
) -> None:
    assert next_undecided(entries_of(states), index, step) == found
