"""How many of the animals that are shown are of each category and status."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from pettui.rows.columns import NAME
from pettui.rows.shown import RowView, ShownRows, pets_of, shown_rows
from pettui.tui.session import counts as module
from pettui.tui.session.counts import Counts
from tests.animals import a_pet, category_name, lists, words

if TYPE_CHECKING:
    from pettui.rows.shown import Element

views = st.builds(
    RowView,
    words,
    st.sampled_from([(), RowView().by(NAME).order]),
    only=st.none() | st.frozensets(st.integers(-3, 30)),
)


@given(st.lists(st.tuples(lists, st.booleans(), st.none() | views), max_size=6))
def test_counts_of_what_came_before_are_never_wrong(
    steps: list[tuple[list[Element], bool, RowView | None]],
) -> None:
    rows: list[Element] = []
    counts, view, before = Counts(), RowView(), ShownRows()
    for new, is_further, other in steps:
        rows = [*rows, *new] if is_further else new
        view = other or view
        before = shown_rows(rows, view, category_name, before)
        counted = Counter((pet.category_id, pet.status) for pet in pets_of(before.elements))
        assert counts.of(before) == counted


def test_of_a_further_page_only_its_rows_are_counted() -> None:
    """Or to load all pages would take longer for each of them."""
    rows = [a_pet(number) for number in range(300)]
    counts, before = Counts(), ShownRows()
    for view in (RowView(), RowView("rex").by(NAME)):
        with patch.object(module, "pets_of", wraps=pets_of) as counted:
            for end in (100, 200, 300):
                before = shown_rows(rows[:end], view, category_name, before)
                counts.of(before)
        assert [len(call.args[0]) for call in counted.call_args_list] == [100, 100, 100]
