"""The limit of a page: by the screen's rows, in steps, or as typed."""

from __future__ import annotations

import re
from typing import Final

from pettui.settings import LIMIT_BOUNDS, LIMIT_DEFAULT, LIMIT_MAXIMUM, LIMIT_MINIMUM

STEPS: Final = (1, 5, 10, 20, 40, 60, 80, 100)
VALID_LIMIT: Final = f"a whole number from {LIMIT_BOUNDS}"


def limit_for(rows: int) -> int:
    """Return the default limit for a screen of so many rows."""
    return max(LIMIT_DEFAULT, min(rows, LIMIT_MAXIMUM))


def larger(limit: int) -> int:
    """Return the next step above a limit, or the maximum."""
    return next((step for step in STEPS if step > limit), LIMIT_MAXIMUM)


def smaller(limit: int) -> int:
    """Return the next step below a limit, or the minimum."""
    return next((step for step in reversed(STEPS) if step < limit), LIMIT_MINIMUM)


def limit_of(text: str) -> int | None:
    """Return the limit that was typed; None where it is not valid."""
    digits = text.strip().lstrip("0")
    if re.fullmatch(r"[1-9][0-9]{0,2}", digits, re.ASCII) is None:
        return None
    return int(digits) if int(digits) <= LIMIT_MAXIMUM else None
