"""Notices: what headers state, what the interface announces, and neither where it is unclear."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.client import Notice
from pettui.client.headers import ANNOUNCED, notices
from tests.client.hostile.deprecations import DEPRECATIONS, END, MALFORMED


def stated(**headers: str | list[str]) -> Notice | None:
    """Return the notice that headers make of an operation that is not announced."""
    given_headers = [
        (name, value)
        for name, values in headers.items()
        for value in ([values] if isinstance(values, str) else values)
    ]
    return next(iter(notices("listPets", given_headers)), None)


def test_get_pet_is_announced_without_any_header() -> None:
    assert notices("getPet", []) == (ANNOUNCED,)
    assert ANNOUNCED.sunset == date(2030, 12, 5)


@pytest.mark.parametrize("operation", ["listPets", "createPet"])
def test_no_other_operation_is_announced(operation: str) -> None:
    assert notices(operation, [("date", END), ("link", "<x>; rel=successor-version")]) == ()


@pytest.mark.parametrize(("value", "since"), DEPRECATIONS.items())
def test_a_deprecation_is_read_in_its_new_and_old_forms(value: str, since: date | None) -> None:
    assert stated(deprecation=value) == Notice("listPets", since, None, None, announced=False)


@pytest.mark.parametrize("value", MALFORMED, ids=lambda value: repr(value[:40]))
def test_a_header_that_is_malformed_states_nothing(value: str) -> None:
    assert stated(deprecation=value) is None
    assert stated(sunset=value) is None
    assert notices("getPet", [("deprecation", value), ("sunset", value)]) == (ANNOUNCED,)


def test_a_sunset_alone_is_a_notice() -> None:
    assert stated(sunset=END) == Notice("listPets", None, date(2030, 12, 5), None, announced=False)


def test_a_year_before_100_is_itself() -> None:
    notice = stated(sunset="Mon, 01 Jan 0001 00:00:00 GMT")
    assert notice is not None
    assert notice.sunset == date(1, 1, 1)


def test_a_leap_second_is_a_time() -> None:
    assert stated(sunset="Sat, 31 Dec 2016 23:59:60 GMT") is not None


def test_a_header_that_comes_twice_the_same_counts_once() -> None:
    assert stated(sunset=[END, END]) is not None


def test_a_header_that_comes_twice_with_two_meanings_states_nothing() -> None:
    assert stated(sunset=[END, "Fri, 06 Dec 2030 00:00:00 GMT"]) is None
    assert stated(deprecation=["true", "@1"]) is None


def test_the_links_name_the_successor_and_where_to_read_more() -> None:
    notice = stated(
        deprecation="@1688169599",
        link=[
            '<https://store.example/v2/pets>; rel="successor-version"',
            '<https://store.example/why>; rel="deprecation"; type="text/html"',
        ],
    )
    assert notice is not None
    assert notice.replacement == "https://store.example/v2/pets"
    assert notice.more == "https://store.example/why"


def test_the_sunset_link_leads_on_where_no_other_does() -> None:
    notice = stated(sunset=END, link="<https://store.example/end>; rel=sunset")
    assert notice is not None
    assert notice.more == "https://store.example/end"


def test_what_headers_of_get_pet_state_counts_and_the_rest_is_as_announced() -> None:
    assert notices("getPet", [("sunset", "Sun, 01 Jan 2040 00:00:00 GMT")]) == (
        Notice("getPet", None, date(2040, 1, 1), ANNOUNCED.replacement, announced=False),
    )
    assert notices("getPet", [("deprecation", "@0"), ("link", "<x>; rel=successor-version")]) == (
        Notice("getPet", date(1970, 1, 1), ANNOUNCED.sunset, "x", announced=False),
    )


@pytest.mark.parametrize("target", ["http://[::1", "http://xn--a/"])
def test_a_successor_that_is_no_address_is_shown_as_it_was_written(target: str) -> None:
    (notice,) = notices(
        "getPet", [("deprecation", "@0"), ("link", f"<{target}>; rel=successor-version")]
    )
    assert notice.replacement == target


@given(st.lists(st.tuples(st.sampled_from(["deprecation", "sunset", "link"]), st.text())))
def test_no_header_whatever_breaks_a_notice(headers: list[tuple[str, str]]) -> None:
    (notice,) = notices("getPet", headers)
    assert notice.sunset is not None
    assert notice.replacement
