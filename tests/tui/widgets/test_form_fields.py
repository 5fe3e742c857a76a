"""The declarations of the form's fields."""

from __future__ import annotations

import pytest

from pettui.tui.widgets.form_fields import field_named


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("categoryId 99 does not exist", "category"),
        ("the category is unknown", "category"),
        ("Name must not be empty: name", "name"),
        ("status must be one of name", "status"),
        ("rename it", None),
        ("", None),
        ("x" * 10_000 + " name", None),
    ],
)
def test_the_field_that_a_message_names_first(message: str, field: str | None) -> None:
    assert field_named(message) == field
