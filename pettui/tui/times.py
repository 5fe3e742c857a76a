"""A point in time as text."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def time_text(at: datetime, now: datetime, *, with_seconds: bool = True) -> str:
    """Return "12:01:03" for today, else "yesterday 18:02", "3 March 18:02" or "3 March 2029 18:02".

    Both times have a zone; the text is in that of ``now``.
    """
    then = at.astimezone(now.tzinfo)
    if then.date() == now.date():
        return f"{then:%H:%M:%S}" if with_seconds else f"{then:%H:%M}"
    if then.date() == now.date() - timedelta(days=1):
        return f"yesterday {then:%H:%M}"
    year = "" if then.year == now.year else f" {then.year}"
    return f"{then.day} {then:%B}{year} {then:%H:%M}"
