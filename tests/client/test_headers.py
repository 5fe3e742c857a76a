"""What headers say: dates, links, and notices; nothing that a header can hold breaks any of them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pettui.client import Notice
from pettui.client.headers import ANNOUNCED, http_date, notices, targets

END = "Thu, 05 Dec 2030 00:00:00 GMT"
DEPRECATIONS: dict[str, date | None] = {
    "@1688169599": date(2023, 6, 30),
    "@0": date(1970, 1, 1),
    " @1688169599 ": date(2023, 6, 30),
    "@1688169599;a=b": date(2023, 6, 30),
    "Fri, 30 Jun 2023 23:59:59 GMT": date(2023, 6, 30),
    "True": None,
    "?1": None,
}
MALFORMED = (
    "",
    "@1688169599, @1688169600",
    "@-62135596801",
    "@\u0661\u0662",
    "false",
    "Thu, 31 Feb 2030 00:00:00 GMT",
    "Thu, 05 Dec 2030 00:00:00 PST",
    "Thu, \u0660\u0665 Dec 2030 00:00:00 GMT",
    "@1688169599\x1b]52;c;AAAA\x07",
    "@" + "1" * 90_000,
)


def stated(*headers: tuple[str, str], operation: str = "listPets") -> Notice | None:
    """Return the notice of a response, by default of an operation that is not announced."""
    return next(iter(notices(operation, headers)), None)


# ── HTTP-date: three forms, and nothing guessed ──────────────────────────────────────────────────


@given(st.datetimes(datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_the_usual_form_gives_the_time_it_states(time: datetime) -> None:
    time = time.replace(microsecond=0)
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    text = f"{days[time.weekday()]}, {time:%d} {months[time.month - 1]} {time.year:04}"
    assert http_date(f"{text} {time:%H:%M:%S} GMT") == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("Sunday, 06-Nov-26 08:49:37 GMT", datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Sun Nov  6 08:49:37 1994", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Sat, 31 Dec 2016 23:59:60 GMT", datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_old_forms_and_a_leap_second_are_times(text: str, time: datetime) -> None:
    assert http_date(text) == time


# ── Link ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_link_has_a_target_and_relations() -> None:
    found = targets([("link", '<a>; rel="Next last", <b>; rel=prev'), ("link", "<c>; rel=first")])
    assert found == {"next": "a", "last": "a", "prev": "b", "first": "c"}


@settings(deadline=None)
@given(st.text(alphabet='<>;,="\\ anchorelx*\t/?:é'), st.booleans())
def test_no_header_whatever_breaks_a_link_or_takes_long(value: str, is_long: bool) -> None:
    targets([("link", value * (90_000 // max(len(value), 1) if is_long else 1))])


# ── Deprecation and Sunset: what headers state, what is announced, neither where it is unclear ────


def test_get_pet_is_announced_without_any_header_and_no_other_operation() -> None:
    assert notices("getPet", []) == (ANNOUNCED,)
    assert ANNOUNCED.sunset == date(2030, 12, 5)
    assert notices("listPets", [("date", END), ("link", "<x>; rel=successor-version")]) == ()


@pytest.mark.parametrize(("value", "since"), DEPRECATIONS.items())
def test_a_deprecation_is_read_in_its_new_and_old_forms(value: str, since: date | None) -> None:
    expected = Notice("listPets", since, None, None, announced=False)
    assert stated(("deprecation", value)) == expected


@pytest.mark.parametrize("value", MALFORMED, ids=lambda value: repr(value[:40]))
def test_a_header_that_is_malformed_states_nothing(value: str) -> None:
    assert stated(("deprecation", value)) is None
    assert stated(("sunset", value)) is None
    assert notices("getPet", [("deprecation", value), ("sunset", value)]) == (ANNOUNCED,)


def test_a_header_that_comes_twice_counts_if_it_says_the_same() -> None:
    notice = stated(("sunset", END), ("sunset", END))
    assert notice == Notice("listPets", None, date(2030, 12, 5), None, announced=False)
    assert stated(("sunset", END), ("sunset", "Fri, 06 Dec 2030 00:00:00 GMT")) is None


def test_the_links_name_the_successor_and_where_to_read_more() -> None:
    notice = stated(
        ("deprecation", "@1688169599"),
        ("link", '<https://store.example/v2/pets>; rel="successor-version"'),
        ("link", '<https://store.example/why>; rel="deprecation"; type="text/html"'),
    )
    assert notice is not None
    assert notice.replacement == "https://store.example/v2/pets"
    assert notice.more == "https://store.example/why"


def test_what_headers_of_get_pet_state_counts_and_the_rest_is_as_announced() -> None:
    assert stated(("sunset", "Sun, 01 Jan 2040 00:00:00 GMT"), operation="getPet") == Notice(
        "getPet", None, date(2040, 1, 1), ANNOUNCED.replacement, announced=False
    )
    assert stated(("deprecation", "@0"), operation="getPet") == Notice(
        "getPet", date(1970, 1, 1), ANNOUNCED.sunset, ANNOUNCED.replacement, announced=False
    )


@pytest.mark.parametrize(
    ("target", "replacement"),
    [
        ("x", "x"),
        ("http://[::1", "http://[::1"),
        ("http://xn--a/", "http://xn--a/"),
        ("http://store.example/v1/pets", ANNOUNCED.replacement),
    ],
)
def test_a_successor_is_shown_as_it_was_written_unless_it_is_the_announced_one(
    target: str, replacement: str
) -> None:
    link = ("link", f"<{target}>; rel=successor-version")
    notice = stated(("deprecation", "@0"), link, operation="getPet")
    assert notice is not None
    assert notice.replacement == replacement


@given(st.lists(st.tuples(st.sampled_from(["deprecation", "sunset", "link"]), st.text())))
def test_no_header_whatever_breaks_a_notice(headers: list[tuple[str, str]]) -> None:
    (notice,) = notices("getPet", headers)
    assert notice.sunset is not None
    assert notice.replacement


# ── The sentence of a notice ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("since", "sunset", "text"),
    [
        (None, date(2030, 12, 5), "is deprecated. It goes away on 5 December 2030 (in 1,475 days)."),
        (None, date(2026, 11, 22), "is deprecated. It goes away on 22 November 2026 (in 1 day)."),
        (None, date(2026, 11, 21), "is deprecated. It goes away today, 21 November 2026."),
        (None, date(2026, 11, 20), "is deprecated. It was to go away on 20 November 2026 (1 day ago)."),
        (date(2027, 1, 1), None, "will be deprecated on 1 January 2027."),
        (date(2026, 11, 21), None, "is deprecated."),
    ],
)  # fmt: skip
def test_a_notice_says_when_it_ends_and_what_to_use_instead(
    since: date | None, sunset: date | None, text: str
) -> None:
    notice = Notice("getPet", since, sunset, "GET /pets", announced=True)
    said = f"getPet {text} Use instead: GET /pets."
    assert notice.sentence(date(2026, 11, 21)) == said


@pytest.mark.parametrize(
    ("since", "sunset", "text"),
    [
        (None, date(2026, 11, 21), "getPet ends 21 November 2026"),
        (date(2027, 1, 1), date(2026, 11, 20), "getPet was to end 20 November 2026"),
        (date(2026, 11, 22), None, "getPet will be deprecated on 22 November 2026"),
        (date(2026, 11, 21), None, "getPet is deprecated"),
        (None, None, "getPet is deprecated"),
    ],
)
def test_where_there_is_little_room_the_end_or_the_beginning_is_said(
    since: date | None, sunset: date | None, text: str
) -> None:
    notice = Notice("getPet", since, sunset, None, announced=True)
    assert notice.brief(date(2026, 11, 21)) == text
