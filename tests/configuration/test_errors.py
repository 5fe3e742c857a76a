"""What a mistyped name was meant to be."""

from __future__ import annotations

import pytest

from pettui.configuration.errors import edit_distance, nearest


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--verison", "--version"),
        ("--VERSION", "--version"),
        ("--thme", "--theme"),
        ("--prfile", "--profile"),
        ("--json", None),
        ("-v", None),
        ("", None),
        ("x" * 100_000, None),
    ],
)
def test_a_guess_is_a_slip_or_two_away(typed: str, meant: str | None) -> None:
    assert nearest(typed, ["--version", "--theme", "--profile", "--limit"]) == meant


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("ab", "ba", 1), ("kitten", "sitting", 3),
     ("serve", "sevre", 1), ("flaw", "lawn", 2)],
)  # fmt: skip
def test_the_edit_distance_counts_slips(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == distance
