"""The cursor of listPets: where the next page begins, as text that only this service reads."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

from pettui.models import INT64_MAXIMUM

_CONTENT = re.compile(rb"1:([1-9][0-9]{0,18})")  # a version, then an id


def cursor(before: int) -> str:
    """Give the cursor of the page with ids below ``before``."""
    return urlsafe_b64encode(b"1:%d" % before).rstrip(b"=").decode()


def before_of(text: str) -> int | None:
    """Give the id that a cursor stands for, or None for a text that this service never gave."""
    if not text.isascii() or len(text) > 32:
        return None
    padded = text + "=" * (-len(text) % 4)
    try:
        content = _CONTENT.fullmatch(urlsafe_b64decode(padded))
    except ValueError:
        return None
    if content is None or int(content[1]) > INT64_MAXIMUM or cursor(int(content[1])) != text:
        return None
    return int(content[1])
