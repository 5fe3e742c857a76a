"""The columns of the table: numbers whole where there is room, the rest to the name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, Pet
from pettui.tui.widgets.columns import GAP, SIGNS, Columns, columns_for, contents_of

INT64 = st.integers(INT64_MINIMUM, INT64_MAXIMUM)


def total(columns: Columns) -> int:
    """Give the cells of a row, with signs, gaps and the blank at its end."""
    widths = (columns.id, columns.name, columns.category, columns.status)
    return SIGNS + sum(widths) + 3 * GAP + 1


def columns(width: int, *pets: tuple[int, int, str | None]) -> Columns:
    rows = [Pet(id=i, name="Rex", categoryId=c, status=s) for i, c, s in pets]
    return columns_for(contents_of(rows, lambda _: "Dogs"), width, width)


@given(
    pets=st.lists(st.tuples(INT64, INT64, st.text(max_size=30) | st.none()), max_size=5),
    width=st.integers(40, 300),
)
def test_a_row_fits_its_width_from_40_columns_on(
    pets: list[tuple[int, int, str | None]], width: int
) -> None:
    assert total(columns(width, *pets)) == width


def test_ids_stand_there_whole() -> None:
    assert columns(40, (INT64_MINIMUM, 1, None)).id == 20


def test_the_word_of_a_status_goes_below_60_columns_and_the_categorys_name_below_80() -> None:
    assert [(columns(w).worded, columns(w).named) for w in (80, 79, 60, 59)] == [
        (True, True), (True, False), (True, False), (False, False)
    ]  # fmt: skip


def test_a_wider_terminal_gives_its_cells_to_the_name() -> None:
    narrow, wide = columns(100, (1, 3, "sold")), columns(140, (1, 3, "sold"))
    assert wide.name - narrow.name == 40
