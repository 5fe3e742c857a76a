"""Amounts and times in words."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil


def counted(count: int, noun: str = "animal") -> str:
    """Return a number of things, such as "1 animal", "12 entries"."""
    if count == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {plural}"


def duration(seconds: float) -> str:
    """Return a duration in whole seconds: "3 s", "2 min 5 s", "1 h 2 min"."""
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def age(seconds: float) -> str:
    """Return how long ago something was: "3 s", "2 min 5 s", "1 h 2 min", "12 days"."""
    days = int(seconds) // 86_400
    return f"{days:,} days" if days > 1 else duration(seconds)


def size_text(count: int) -> str:
    """Return a number of bytes: "45 bytes", "1.2 kB", "2.1 MB"."""
    if count < 1000:
        return f"{count} bytes"
    # Rounded up, so that a size beyond a limit never reads like the limit.
    unit, name = (1000, "kB") if count <= 999_900 else (1_000_000, "MB")
    return f"{-(-count * 10 // unit) / 10:g} {name}"


def seconds_text(seconds: float) -> str:
    """Return a time that is left, rounded up: "3 s", "10 min"."""
    return f"{ceil(seconds)} s" if seconds <= 99 else f"{ceil(seconds / 60)} min"


def duration_text(seconds: float) -> str:
    """Return how long something took: "38 ms", "2.1 s"."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


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
