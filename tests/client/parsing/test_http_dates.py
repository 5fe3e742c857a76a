"""HTTP-date: three forms, and nothing guessed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.client.headers import http_date

NOW = datetime(2026, 7, 1, tzinfo=UTC)


@given(st.datetimes(timezones=st.just(UTC)))
def test_the_usual_form_gives_the_time_it_states(time: datetime) -> None:
    time = time.replace(microsecond=0)
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    text = f"{days[time.weekday()]}, {time:%d} {months[time.month - 1]} {time.year:04}"
    assert http_date(f"{text} {time:%H:%M:%S} GMT") == time


@pytest.mark.parametrize(
    ("year", "full"), [("26", 2026), ("76", 2076), ("77", 1977), ("99", 1999), ("00", 2000)]
)
def test_a_year_of_two_digits_lies_less_than_50_years_ahead(year: str, full: int) -> None:
    time = http_date(f"Sunday, 06-Nov-{year} 08:49:37 GMT", NOW)
    assert time == datetime(full, 11, 6, 8, 49, 37, tzinfo=UTC)


def test_the_oldest_form_pads_its_day() -> None:
    assert http_date("Sun Nov  6 08:49:37 1994") == datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)


@given(st.text())
def test_no_text_whatever_breaks_it(text: str) -> None:
    assert http_date(text) is None
