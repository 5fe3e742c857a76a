"""The columns: by what of an animal each of them sorts."""

from __future__ import annotations

import pytest

from pettui.rows.columns import NAME, STATUS
from pettui.rows.widths import Width, divided
from tests.animals import a_pet
from tests.rows.views import in_order

NAMES = {
    "case": ["ant", "Bee", "cat", "Dog"],
    "accents": ["Zoe", "Zoé", "Zoë", "Zoea"],
    "accents among others": ["Ábel", "Adam", "Ägir", "Zoe"],
    "the same letters by the text itself": ["REX", "Rex", "rex", "réx"],
    "sharp s": ["Strasse", "Straße", "Strassf"],
    "white space in front": ["  ant", "Bee", "\u00a0cat"],
    "scripts": ["Rex", "Рекс", "שלום", "猫", "각"],
    "numbers": ["Fiona 2", "Fiona 19", "Fiona 100"],
    "numbers in front": ["2nd Rex", "10th Rex", "Rex"],
    "several numbers": ["Box 3 of 9", "Box 3 of 12", "Box 12 of 9"],
    "zeros in front": ["Rex 007", "Rex 8"],
    "numbers with signs": ["1", "1-1", "1/2", "2/A", "3", "15"],
    "points": ["250.01", "250.1", "250.02", "250.2", "251"],
    "long numbers": [f"Rex {9**300}", f"Rex {10**400}"],
}


@pytest.mark.parametrize("expected", NAMES.values(), ids=NAMES)
def test_names_are_sorted_as_people_expect(expected: list[str]) -> None:
    rows = [a_pet(index, name) for index, name in enumerate(reversed(expected))]
    assert [row.name for row in in_order(rows, NAME)] == expected
    assert [row.name for row in in_order(rows, NAME, is_descending=True)] == expected[::-1]


def test_blank_names_are_last_in_both_directions() -> None:
    rows = [a_pet(1, " "), a_pet(2, "b"), a_pet(3, ""), a_pet(4, "\u200b")]
    assert [row.id for row in in_order(rows, NAME)] == [4, 2, 1, 3]
    assert [row.id for row in in_order(rows, NAME, is_descending=True)] == [2, 4, 1, 3]


def test_statuses_are_sorted_as_in_the_interface_then_unknown_then_missing_ones() -> None:
    known = ["available", "pending", "sold", "", "lost", "Šold", "zzz"]
    rows = [a_pet(status=status) for status in (None, *reversed(known))]
    assert [row.status for row in in_order(rows, STATUS)] == [*known, None]
    assert [row.status for row in in_order(rows, STATUS, is_descending=True)] == [
        *known[::-1],
        None,
    ]


COLUMNS = (
    Width(20, least={2: 8, 4: 1}),  # a name
    Width(12, {3: 4}, {1: 8}, gap=2),
    Width(6, {3: 0}, {1: 3}, gap=2),
)


@pytest.mark.parametrize(
    ("room", "cells"),
    [
        (50, [20, 12, 6]),
        (42, [20, 12, 6]),
        (40, [20, 12, 4]),  # the last one first
        (37, [20, 10, 3]),
        (30, [15, 8, 3]),  # at the first step, before the name at the second
        (22, [16, 4, 0]),  # at once, and without a gap; the name gets what that leaves
        (9, [3, 4, 0]),
        (2, [1, 4, 0]),  # they keep what they must
    ],
)
def test_columns_take_as_few_steps_as_they_need(room: int, cells: list[int]) -> None:
    assert divided(COLUMNS, room)[1] == cells
