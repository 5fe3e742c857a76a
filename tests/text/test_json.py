"""JSON as it came: numbers to the last digit, and equal however they are written."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.text.json import NotJsonError, json_value, on_one_line, whole_number, written


def test_line_breaks_outside_strings_become_spaces() -> None:
    assert on_one_line('{\r\n "a": "b\\n  c",\n\t"d": 1.10}') == '{ "a": "b\\n  c", "d": 1.10}'


@given(st.from_regex(r"\A-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,8})?([eE][+-]?[0-9]{1,2})?\Z"))
def test_whole_numbers_agree_with_fractions(text: str) -> None:
    value = Fraction(text)
    found = whole_number(text)
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
    "other", [2, 1.5, "1", "NaN", None, json_value("1e99999999999999999999"), json_value("NaN")]
)
def test_a_number_equals_no_other_value(other: object) -> None:
    assert json_value("1") != other
    assert json_value("1.0") != other


@pytest.mark.parametrize(
    "text",
    ["0", "-0", "12", "1.10", "1e3", "1E+03", "-1.5e-7", "1e400", "1e99999999999999999999", "NaN",
     "-Infinity", "-0.0e-99999999999999999999", "9" * 5000],
)  # fmt: skip
def test_a_number_is_one_of_pythons_and_keeps_how_it_was_written(text: str) -> None:
    number = json_value(text)
    assert isinstance(number, int | Decimal)
    for copied in (number, pickle.loads(pickle.dumps(number)), copy.deepcopy([number])[0]):
        assert written(copied) == text
        assert copied == number
        assert hash(copied) == hash(number)


def test_numbers_can_be_reckoned_with() -> None:
    price, count = json_value("[1.10, 3]")
    assert price * count == Decimal("3.30")
    assert sorted([count, price, json_value("1e-2")]) == [Decimal("0.01"), Decimal("1.1"), 3]


def test_numbers_of_python_are_written_as_json() -> None:
    value = {"a": 1.5, "b": Decimal("2.50"), "c": [True, None, "x", 3]}
    assert json_value(written(value)) == value
    with pytest.raises(TypeError):
        written({"a": object()})
