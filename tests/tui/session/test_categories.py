"""Categories are typed by number or by name, or by what matches one name only."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM
from pettui.tui.session.categories import Categories, SeveralFitError, category_of

NAMES = {
    1: "Cats", 3: "Dogs", 12: "Donkeys", 7: "Small pets", 30: "Señor Ñandú", -5: "Lost",
    101: "101 Dalmatians", 8: "Sold cats", 20: "Twins", 21: "twins", 40: "", 50: "魚",
}  # fmt: skip


def categories(*used: int) -> Categories:
    """Return the categories, with those that were used last."""
    return Categories(NAMES, lambda: used)


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("3", 3), (" 3 ", 3), ("-5", -5), ("4", 4), ("101", 101), ("007", 7),
        ("Dogs", 3), ("dogs", 3), ("  DOGS ", 3), ("ＤＯＧＳ", 3), ("do g", None), ("dog", 3),
        ("d", None), ("don", 12), ("3 Dogs", 3), ("3 d", 3), ("3d", None),
        ("small pets", 7), ("pets", 7), ("small  p", 7), ("mall", 7),
        ("senor", 30), ("nandu", 30), ("SEÑOR Ñ", 30),
        ("Cats", 1), ("cat", None), ("sold", 8),
        ("Twins", None), ("20 twins", 20), ("21 tw", 21),
        ("101 d", 101), ("101 Dalmatians", 101), ("dalm", 101),
        ("魚", 50), ("xyz", None), ("\u0301", None), ("", None), ("-", None), ("1.5", None),
        ("9223372036854775807", INT64_MAXIMUM), ("9223372036854775808", None), ("d" * 100_000, None),
        ("-9223372036854775808", INT64_MINIMUM), ("-9223372036854775809", None),
        *((text, None) for text in ("+3", "--3", "- 3", "3 4", "0x3", "3_000", "²", "٣", "1e3", "3.0")),
    ],
)  # fmt: skip
def test_a_category_is_found_by_number_by_name_or_by_what_matches_one_name_only(
    typed: str, number: int | None
) -> None:
    if number is None:
        with pytest.raises(ValueError, match=r"\S"):
            categories().number_of(typed)
    else:
        assert categories().number_of(typed) == number


def test_several_matching_names_are_listed() -> None:
    with pytest.raises(SeveralFitError, match=r"^fits 12 Donkeys, 3 Dogs$"):
        categories(12).number_of("do")


def test_an_unknown_name_says_what_would_be_right() -> None:
    with pytest.raises(ValueError, match=r"^a whole number, or 50 魚, 1 Cats, 3 Dogs, .*, …$"):
        categories(50).number_of("xyz")


def test_without_names_a_whole_number_is_needed() -> None:
    with pytest.raises(ValueError, match=r"^enter a whole number$"):
        Categories().number_of("dogs")


@pytest.mark.parametrize(
    ("used", "typed", "offers"),
    [
        ((), "d", [3, 12, 101]),
        ((12,), "d", [12, 3, 101]),
        ((), "dogs", []),
        ((), "3", []),
        ((), "1", []),
        ((), "10", [101]),
        ((), "2", [20, 21]),
        ((), "x", []),
        ((), "twins", [20, 21]),
        ((99, 3), "9", [99]),
        ((8, 99, 8), " ", [8, 99, 1, 3, 12, 7, 30, -5, 101, 20, 21, 40, 50]),  # all
    ],
)
def test_matches_are_offered_the_last_used_first(
    used: tuple[int, ...], typed: str, offers: list[int]
) -> None:
    """In an empty field these are all, those too that were used and have no name."""
    assert categories(*used).offers(typed) == offers


@given(st.text(max_size=25))
def test_whatever_is_typed_is_a_category_of_the_interface_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert INT64_MINIMUM <= category_of(text) <= INT64_MAXIMUM
        assert text.isascii()
