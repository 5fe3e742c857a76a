"""HTTP-date (RFC 9110, section 5.6.7) in its three forms → a time of UTC.

The standard library guesses: ``email.utils`` takes the year 0001 for 2001, and ``strptime`` expects
the month in the user's language.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

_MONTHS: Final = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
_TIME: Final = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
_FORMS: Final = tuple(
    re.compile(form, re.ASCII | re.IGNORECASE)
    for form in (
        rf"[a-z]{{3}}, (?P<day>\d\d?) (?P<month>[a-z]{{3}}) (?P<year>\d{{4}}) {_TIME} (GMT|UTC)",
        rf"[a-z]{{6,9}}, (?P<day>\d\d)-(?P<month>[a-z]{{3}})-(?P<year>\d\d) {_TIME} GMT",
        rf"[a-z]{{3}} (?P<month>[a-z]{{3}}) (?P<day>[ \d]\d) {_TIME} (?P<year>\d{{4}})",
    )
)


def http_date(text: str, now: datetime | None = None) -> datetime | None:
    """Return the time that a header states; None where it states none.

    Args:
        text: the header's value.
        now: decides the century of a year of two digits; by default, the current time.
    """
    for form in _FORMS:
        if found := form.fullmatch(text.strip()):
            return _time(found, now or datetime.now(UTC))
    return None


def _time(found: re.Match[str], now: datetime) -> datetime | None:
    month = found["month"].lower()
    if month not in _MONTHS:
        return None
    try:
        return datetime(
            _year(found["year"], now.year),
            _MONTHS.index(month) + 1,
            int(found["day"]),
            int(found["hour"]),
            int(found["minute"]),
            min(int(found["second"]), 59),  # 60 is a leap second
            tzinfo=UTC,
        )
    except ValueError:
        return None


def _year(digits: str, this_year: int) -> int:
    """Return a year; one of two digits that seems more than 50 years ahead lies in the past."""
    if len(digits) == 4:
        return int(digits)
    year = this_year - this_year % 100 + int(digits)
    return year - 100 if year > this_year + 50 else year
