"""Which field of the form a refusal names."""

from __future__ import annotations

import pytest

from pettui.outbox import Draft
from pettui.tui.form.pet_form import RefusedDraft


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
    assert RefusedDraft(Draft(), message).field == field
