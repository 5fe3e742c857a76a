"""When something was, in a few words."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def time_text(at: datetime, now: datetime) -> str:
    """Return "12:01:03" for today, else "yesterday 18:02", "3 March 18:02", with another's year."""
    then = at.astimezone(now.tzinfo)
    if then.date() == now.date():
        return f"{then:%H:%M:%S}"
    if then.date() == now.date() - timedelta(days=1):
        return f"yesterday {then:%H:%M}"
    year = "" if then.year == now.year else f" {then.year}"
    return f"{then.day} {then:%B}{year} {then:%H:%M}"
