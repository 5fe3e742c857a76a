"""The limit of a page: by rows, in steps, as typed."""

from __future__ import annotations

from itertools import accumulate, repeat

import pytest

from pettui.tui.lists.listing import larger, limit_for, limit_of, smaller


@pytest.mark.parametrize(
    ("rows", "limit"), [(1, 20), (12, 20), (20, 20), (21, 21), (53, 53), (100, 100), (300, 100)]
)
def test_a_screen_is_filled_within_the_interfaces_bounds(rows: int, limit: int) -> None:
    assert limit_for(rows) == limit


def test_steps_lead_from_the_least_to_the_most_and_back() -> None:
    up = [*accumulate(repeat(0, 9), lambda limit, _: larger(limit), initial=1)]
    assert up == [1, 5, 10, 20, 40, 60, 80, 100, 100, 100]
    down = [*accumulate(repeat(0, 9), lambda limit, _: smaller(limit), initial=100)]
    assert down == [100, 80, 60, 40, 20, 10, 5, 1, 1, 1]


@pytest.mark.parametrize(("limit", "below", "above"), [(30, 20, 40), (2, 1, 5), (99, 80, 100)])
def test_a_limit_between_two_steps_goes_to_them(limit: int, below: int, above: int) -> None:
    assert (smaller(limit), larger(limit)) == (below, above)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("40", 40), (" 7 ", 7), ("1", 1), ("100", 100), ("007", 7), ("0", None), ("101", None),
        ("", None), (" ", None), ("-1", None), ("1.0", None), ("x", None), ("1e1", None),
        ("٤٠", None), ("²", None), ("1_0", None), ("9" * 5000, None), ("0" * 5000 + "5", 5),
    ],
    ids=lambda each: str(each)[:12],
)  # fmt: skip
def test_a_typed_limit_is_a_whole_number_of_the_interfaces(text: str, limit: int | None) -> None:
    assert limit_of(text) == limit
