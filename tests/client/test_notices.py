"""The sentence of a notice: what goes away, when, in how many days, and what to use instead."""

from __future__ import annotations

from datetime import date

import pytest

from pettui.client import Notice

TODAY = date(2026, 11, 21)


def said(
    since: date | None = None, sunset: date | None = None, replacement: str | None = None
) -> str:
    return Notice("getPet", since, sunset, replacement, announced=True).sentence(TODAY)


@pytest.mark.parametrize(
    ("sunset", "text"),
    [
        (date(2030, 12, 5), "It goes away on 5 December 2030 (in 1,475 days)."),
        (date(2026, 11, 22), "It goes away on 22 November 2026 (in 1 day)."),
        (TODAY, "It goes away today, 21 November 2026."),
        (date(2026, 11, 20), "It was to go away on 20 November 2026 (1 day ago)."),
        (date(2025, 11, 21), "It was to go away on 21 November 2025 (365 days ago)."),
        (date.max, "It goes away on 31 December 9999 (in 2,912,118 days)."),
        (date.min, "It was to go away on 1 January 1 (739,940 days ago)."),
    ],
)
def test_a_sunset_shows_its_date_and_the_days_until_then(sunset: date, text: str) -> None:
    assert said(sunset=sunset) == f"getPet is deprecated. {text}"


def test_without_a_date_only_the_deprecation_is_shown() -> None:
    assert said() == "getPet is deprecated."


def test_a_future_deprecation_shows_its_date() -> None:
    assert said(since=date(2027, 1, 1)) == "getPet will be deprecated on 1 January 2027."
    assert said(since=date(2025, 1, 1)) == "getPet is deprecated."


def test_the_replacement_is_named_last() -> None:
    assert said(replacement="GET /pets").endswith("Use instead: GET /pets.")
