"""Categories as they are typed."""

from __future__ import annotations

from pettui.models import int64


def category_of(text: str) -> int:
    """Give the category that was typed: ASCII digits with an optional sign, within int64.

    Raises:
        ValueError: it is none; the text says what would be right.
    """
    digits = text.strip().removeprefix("-")
    if not digits:
        raise ValueError("a category is needed: a whole number")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError("a whole number is needed")
    try:
        return int64(int(text.strip()) if len(digits) <= 19 else 2**63)
    except ValueError:
        raise ValueError("from -2^63 to 2^63 - 1") from None
