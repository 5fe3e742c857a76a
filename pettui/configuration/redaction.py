"""What may be shown of a user's settings: anything but what may be an API key.

A key may have been pasted where a name or a colour belongs. Nothing distinguishes it from other
text for certain, so only what people write by hand is shown: words and short numbers, with signs
between them.
"""

from __future__ import annotations

import re
from pathlib import Path

HIDDEN = "***"
SHORTEST_KEY = 8  # characters; a shorter one would not be secret
LARGEST_SHOWN = 10**SHORTEST_KEY  # of a number
_WORD = r"(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15})[0-9]{0,3}"
_NUMBER = r"(?:[0-9]{1,3}(?![0-9])|(?<=:)[0-9]{1,5})"  # or a port
_SIGNS = r"[^A-Za-z0-9]"
_BY_HAND = re.compile(
    rf"{_SIGNS}*+(?:(?:{_WORD}|{_NUMBER})(?:{_SIGNS}++(?:{_WORD}|{_NUMBER}))*+{_SIGNS}*+)?"
)


def may_hold_key(text: str) -> bool:
    """Whether a text contains a word of visible ASCII that nobody would write by hand."""
    words = re.findall(rf"[!-~]{{{SHORTEST_KEY},}}", text)
    return any(_BY_HAND.fullmatch(word) is None for word in words)


def shown_name(name: str) -> str:
    """Return a name as an error may show it: ``***`` for what may be a key."""
    return HIDDEN if may_hold_key(name) else name


def shown_value(value: object) -> str | None:
    """Return a value as an error may show it; None where it may be a key.

    A ``Path`` is known to exist, so it is not a key in a wrong place.
    """
    if isinstance(value, Path):
        return repr(str(value))
    if isinstance(value, str):
        return None if may_hold_key(value) else repr(value)
    if isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int) and abs(value) < LARGEST_SHOWN:
        return repr(value)
    return None
