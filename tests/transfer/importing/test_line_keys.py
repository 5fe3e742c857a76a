"""A line is known by what it says, and by its number among those that say the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pettui.models import PetStatus
from tests.transfer.animals import INT64, NAMES, STATUS
from tests.transfer.importing.lines import a_line, keys_of

LINES = st.builds(a_line, NAMES, INT64, STATUS)


@given(st.lists(LINES, max_size=20), st.randoms(use_true_random=False))
def test_no_two_lines_have_one_key_and_their_order_makes_no_difference(lines, random) -> None:
    keys = keys_of(lines)
    random.shuffle(lines)
    assert len(set(keys)) == len(lines)
    assert set(keys_of(lines)) == set(keys)


@given(st.lists(LINES, max_size=20), LINES)
def test_another_line_more_changes_no_key_of_the_others(lines, other) -> None:
    assert set(keys_of(lines)) < set(keys_of([other, *lines]))


def test_name_category_status_and_number_each_make_another_key() -> None:
    rex = a_line("Rex")
    others = [a_line("rex"), a_line("Rex", 4), a_line("Rex", 3, PetStatus.SOLD), rex, rex]
    assert len(set(keys_of([rex, *others]))) == 6


def test_where_a_line_stands_makes_no_difference() -> None:
    assert keys_of([a_line("Rex", line=2)]) == keys_of([a_line("Rex", line=700)])


def test_a_key_is_the_same_in_every_version() -> None:
    """Or all that was imported before would be sent once more."""
    assert keys_of([a_line("Señor 🐹", 3, PetStatus.SOLD)]) == ["67b06a134361f9cdadc1ed995cb6fd98"]
