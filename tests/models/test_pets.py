"""The further fields of an animal, as they are shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import shown
from pettui.text.json import json_value

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("1e400", "1e400"),
        ("1.10", "1.10"),
        ("0.1000000000000000055", "0.1000000000000000055"),
        ("-0", "-0"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ('[1e400,{"a":1.50}]', '[1e400, {"a": 1.50}]'),
        ('{"\\u30dd": ["\\u30c1", 1e2, null, true]}', '{"ポ": ["チ", 1e2, null, true]}'),
        ("[]", "[]"),
        ('"1e400"', "1e400"),
        ('"R\\u0065x \\"1.10\\""', 'Rex "1.10"'),
        ('["1.10"]', '["1.10"]'),
    ],
)
def test_a_number_is_shown_as_it_was_written(written: str, text: str) -> None:
    assert shown(json_value(written)) == text


@given(st.dictionaries(st.text(), VALUES))
def test_values_without_inexact_numbers_are_plain_json(fields: dict[str, object]) -> None:
    texts = [
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for value in fields.values()
    ]
    assert [shown(value) for value in json_value(json.dumps(fields)).values()] == texts
