"""JSON as it came: numbers to the last digit, and equal however they are written."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.text.json import NotJsonError, Number, json_value, on_one_line


def test_line_breaks_outside_strings_become_spaces() -> None:
    assert on_one_line('{\r\n "a": "b\\n  c",\n\t"d": 1.10}') == '{ "a": "b\\n  c", "d": 1.10}'


@given(st.from_regex(r"\A-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,8})?([eE][+-]?[0-9]{1,2})?\Z"))
def test_whole_numbers_agree_with_fractions(text: str) -> None:
    value = Fraction(text)
    found = Number(text).whole()
    if value.denominator == 1 and abs(value) < 10**20:
        assert found == value
    else:
        assert found is None


@pytest.mark.parametrize("text", ["NaN", "-Infinity", '"a\nb"'])
def test_a_strict_reader_refuses_what_is_not_json(text: str) -> None:
    assert json_value(text)
    with pytest.raises(NotJsonError):
        json_value(text, strict=True)


@pytest.mark.parametrize(
    ("one", "other"), [("1.10", "1.1"), ("1e3", "1000"), ("-0", "0"), ("1e400", "10e399")]
)
def test_numbers_are_equal_however_they_are_written(one: str, other: str) -> None:
    assert json_value(one) == json_value(other)
    assert hash(json_value(one)) == hash(json_value(other))


@pytest.mark.parametrize(
    "other", [2, 1.5, True, "1", "NaN", None, Number("1e99999999999999999999")]
)
def test_a_number_equals_no_other_value(other: object) -> None:
    assert json_value("1") != other
