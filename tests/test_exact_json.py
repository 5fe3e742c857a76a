"""JSON as it came: what is shown of a field, and what is copied."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.exact_json import field_texts, on_one_line

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("1e400", "1e400"),
        ("-1E+400", "-1E+400"),
        ("1.10", "1.10"),
        ("0.1000000000000000055", "0.1000000000000000055"),
        ("-0", "-0"),
        ("-0.0", "-0.0"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ('[1e400,{"a":1.50}]', '[1e400, {"a": 1.50}]'),
        ('{"\\u30dd": ["\\u30c1", 1e2, null, true]}', '{"ポ": ["チ", 1e2, null, true]}'),
        ("[]", "[]"),
        ("{}", "{}"),
        ("null", "null"),
        ('"1e400"', "1e400"),
        ('"R\\u0065x \\"1.10\\""', 'Rex "1.10"'),
        ('["1.10"]', '["1.10"]'),
    ],
)
def test_a_number_is_shown_as_it_was_written(written: str, shown: str) -> None:
    assert field_texts(f'{{"x": {written}}}'.encode()) == {"x": shown}


@given(st.dictionaries(st.text(), VALUES))
def test_values_without_inexact_numbers_are_plain_json(fields: dict[str, object]) -> None:
    shown = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in fields.items()
    }
    assert field_texts(json.dumps(fields).encode()) == shown


def test_line_breaks_outside_strings_become_spaces() -> None:
    assert on_one_line(b'{\r\n "a": "b\\n  c",\n\t"d": 1.10}') == '{ "a": "b\\n  c", "d": 1.10}'
