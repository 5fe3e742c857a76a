"""How columns share a width: step by step, what matters least gives way."""

from __future__ import annotations

import pytest

from pettui.rows.widths import Width, divided

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
