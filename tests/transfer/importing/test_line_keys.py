"""The key of a line depends on its content, and on its number among equal lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pettui.models import PetStatus
from tests.transfer.animals import INT64, NAMES, STATUS
from tests.transfer.importing.lines import a_line, keys_of

LINES = st.builds(a_line, NAMES, INT64, STATUS)


@given(st.lists(LINES, max_size=20), st.randoms(use_true_random=False))
def test_keys_are_unique_and_independent_of_order(lines, random) -> None:
    keys = keys_of(lines)
    random.shuffle(lines)
    assert len(set(keys)) == len(lines)
    assert set(keys_of(lines)) == set(keys)


@given(st.lists(LINES, max_size=20), LINES)
def test_an_additional_line_changes_no_other_key(lines, other) -> None:
    assert set(keys_of(lines)) < set(keys_of([other, *lines]))


def test_name_category_status_and_number_each_change_the_key() -> None:
    rex = a_line("Rex")
    others = [a_line("rex"), a_line("Rex", 4), a_line("Rex", 3, PetStatus.SOLD), rex, rex]
    assert len(set(keys_of([rex, *others]))) == 6


def test_the_position_of_a_line_makes_no_difference() -> None:
    assert keys_of([a_line("Rex", line=2)]) == keys_of([a_line("Rex", line=700)])


def test_a_key_is_the_same_in_every_version() -> None:
    """Otherwise everything that was imported before would be sent again."""
    assert keys_of([a_line("Señor 🐹", 3, PetStatus.SOLD)]) == ["67b06a134361f9cdadc1ed995cb6fd98"]
