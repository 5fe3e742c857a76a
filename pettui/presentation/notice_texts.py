"""The text of a deprecation notice, whole or brief; raw."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    from pettui.client import Notice


def sentence(notice: Notice, today: date) -> str:
    """Return what goes away, when, and what to use instead."""
    parts = [f"{notice.operation} is deprecated."]
    if notice.since is not None and notice.since > today:
        parts = [f"{notice.operation} will be deprecated on {_day(notice.since)}."]
    if notice.sunset is not None:
        parts.append(_sunset(notice.sunset, today))
    if notice.replacement:
        parts.append(f"Use instead: {notice.replacement}.")
    return " ".join(parts)


def brief(notice: Notice, today: date) -> str:
    """Return what goes away, and when."""
    if notice.sunset is not None:
        ends = "ends" if notice.sunset >= today else "was to end"
        return f"{notice.operation} {ends} on {_day(notice.sunset)}"
    if notice.since is not None and notice.since > today:
        return f"{notice.operation} will be deprecated on {_day(notice.since)}"
    return f"{notice.operation} is deprecated"


def _sunset(sunset: date, today: date) -> str:
    days = (sunset - today).days
    if days < 0:
        return f"It was to go away on {_day(sunset)} ({_count(-days)} ago)."
    if days == 0:
        return f"It goes away today, {_day(sunset)}."
    return f"It goes away on {_day(sunset)} (in {_count(days)})."


def _day(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _count(days: int) -> str:
    return f"{days:,} day{'' if days == 1 else 's'}"
