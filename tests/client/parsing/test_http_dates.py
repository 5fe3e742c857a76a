"""HTTP-date: three forms, and nothing guessed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.client.parsing.http_dates import http_date

FIRST = datetime(100, 1, 1)  # noqa: DTZ001 - e-mail takes those before for years of two digits


@given(st.datetimes(FIRST, timezones=st.just(UTC)))
def test_the_usual_form_gives_the_time_it_states(time: datetime) -> None:
    time = time.replace(microsecond=0)
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    text = f"{days[time.weekday()]}, {time:%d} {months[time.month - 1]} {time.year:04}"
    assert http_date(f"{text} {time:%H:%M:%S} GMT") == time


def test_a_year_of_two_digits_is_one_of_our_time() -> None:
    time = http_date("Sunday, 06-Nov-26 08:49:37 GMT")
    assert time == datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC)


def test_the_oldest_form_pads_its_day() -> None:
    assert http_date("Sun Nov  6 08:49:37 1994") == datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999 08:49:37 GMT",
        "Fri, 31 Dec 9999 23:59:59 -0100",
        "Thu, \u0660\u0665 Dec 2030 00:00:00 GMT",
        "9" * 5000,
    ],
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert http_date(text) is None


@given(
    st.lists(
        st.sampled_from(
            [
                "Sun",
                "06",
                "Nov",
                "1994",
                "08:49:37",
                "GMT",
                "+",
                "-",
                ":",
                ",",
                " ",
                "9",
                "é",
                "(",
                "%",
            ]
        )
    )
)
def test_no_text_breaks_it(parts: list[str]) -> None:
    time = http_date("".join(parts))
    assert time is None or time.tzinfo is UTC
