"""The table of the list: its columns, and what it does with keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.client import UnreadablePet
from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM, Pet
from pettui.models.validation import pet_of
from pettui.rows.columns import CATEGORY, ID, NAME, STATUS, Column
from pettui.tui.list.pet_table import GAP, SIGNS, Layout, contents_of, layout_for, shows_all

INT64 = st.integers(INT64_MINIMUM, INT64_MAXIMUM)


def total(layout: Layout) -> int:
    """Return the cells of a row, with signs, gaps and the blank at its end."""
    return SIGNS + sum(placed.width for placed in layout) + (len(layout) - 1) * GAP + 1


def width_of(column: Column, layout: Layout) -> int:
    return next(placed.width for placed in layout if placed.column is column)


def columns(width: int, *pets: tuple[int, int, str | None]) -> Layout:
    rows = [Pet(id=i, name="Rex", category_id=c, status=s) for i, c, s in pets]
    return layout_for(contents_of(rows, lambda _: "Dogs", len), width, width)


@given(
    pets=st.lists(st.tuples(INT64, INT64, st.text(max_size=30) | st.none()), max_size=5),
    width=st.integers(40, 300),
)
def test_a_row_fits_its_width_from_40_columns_on(
    pets: list[tuple[int, int, str | None]], width: int
) -> None:
    assert total(columns(width, *pets)) <= width


def test_the_word_of_a_status_goes_below_60_columns_and_the_categorys_name_below_80() -> None:
    parts = [{each.column for each in columns(w) if not each.has_all} for w in (80, 79, 60, 59)]
    assert parts == [set(), {CATEGORY}, {CATEGORY}, {CATEGORY, STATUS}]


@pytest.mark.parametrize(("width", "pet_id"), [(80, 1), (300, 123456)])
def test_the_column_of_names_ends_near_40_columns(width: int, pet_id: int) -> None:
    made = columns(width, (pet_id, 3, "sold"))
    assert SIGNS + width_of(ID, made) + GAP + width_of(NAME, made) == 40


def named(name: str, **fields: object) -> Pet:
    return pet_of({"id": 7, "name": name, "categoryId": 3} | fields)


@pytest.mark.parametrize(
    ("row", "is_all"),
    [
        (named("Rex", status="sold"), True),
        (named("N" * 65, status=None), True),
        (named("N" * 66), False),
        (named("Rex", vaccinated=True), True),
        (named("N" * 60, vaccinated=True), False),
        (named("Rex", note="n" * 31), True),
        (named("Rex", note="n" * 90), False),
        (named("Rex", **{f"field{index}": "f" for index in range(9)}), False),
        (named("Rex", status="on loan"), True),
        (named("Rex", status="on loan to a circus"), False),
        (named("Rex", categoryId=4), False),
        (UnreadablePet(0, "no name", "{}"), False),
    ],
    ids=str,
)  # fmt: skip
def test_columns_show_all_unless_something_is_cut_or_in_none_of_them(
    row: Pet | UnreadablePet, *, is_all: bool
) -> None:
    contents = contents_of([row], lambda number: "Dogs" if number == 3 else "D" * 80, len)
    assert shows_all(contents, 100, 100) is is_all
    assert not shows_all(contents, 59, 59)
