"""HTTP-date (RFC 9110, section 5.6.7) in its three forms → a time of UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def http_date(text: str) -> datetime | None:
    """Return the time that a header states; None where it states none.

    What e-mail allows beyond the three forms is read too: other zones, a year of two digits.
    """
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few answers have a date to read

    if not text.isascii():
        return None
    try:
        time = parsedate_to_datetime(text.replace(":60 ", ":59 "))  # a leap second
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):  # it is none, or has no year in UTC
        return None
