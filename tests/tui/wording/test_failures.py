"""An error of the client → the strip's words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pettui.client import ErrorBodyError, NoAnswerError, NoErrorBodyError, UnreadableAnswerError
from pettui.models import ErrorBody
from pettui.outbox import Entry, EntryState
from pettui.tui.widgets.form_fields import field_named
from pettui.tui.wording import failure_of, key_refusal, refusal_of


def an_error_body(status: int, code: str, message: str) -> ErrorBodyError:
    return ErrorBodyError(status, ErrorBody(code=code, message=message, status=status))


def test_an_error_body_is_shown_word_for_word() -> None:
    failure = failure_of(an_error_body(400, "invalid_value", "name [b]is[/b] taken"))
    assert (failure.title, failure.message) == ("400 invalid_value", "name [b]is[/b] taken")
    assert not failure.is_unauthorized


def test_the_http_status_counts_and_not_the_body_s() -> None:
    body = ErrorBody(code="x", message="y", status=200)
    assert failure_of(ErrorBodyError(404, body)).title == "404 x"


def test_a_401_offers_to_change_the_key_with_or_without_an_error_body() -> None:
    for error in (an_error_body(401, "unauthorized", "no"), NoErrorBodyError(401, "text/html")):
        failure = failure_of(error)
        assert failure.is_unauthorized
        assert failure.hint == "{enter_key} Change API key  {refresh} Retry"


def test_a_failure_without_a_response_names_the_step_the_address_and_the_reason() -> None:
    failure = failure_of(NoAnswerError("connect to", "127.0.0.1:8080", "connection refused"))
    assert failure.title == "No response"
    assert failure.message == "cannot connect to 127.0.0.1:8080: connection refused"
    assert failure.excerpt == ""


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (NoErrorBodyError(502, "text/html, 1.2 kB", excerpt="<html>"), "No Error body"),
        (
            UnreadableAnswerError(200, "expected a list", excerpt="<html>"),
            "Unexpected response",
        ),
    ],
)
def test_a_response_without_an_error_body_can_be_viewed(
    error: NoErrorBodyError | UnreadableAnswerError, title: str
) -> None:
    failure = failure_of(error)
    assert failure.title == title
    assert failure.message == str(error)
    assert failure.excerpt == "<html>"


def test_a_refused_entry_is_shown_as_the_service_put_it() -> None:
    entry = Entry("1", "Rex", 3, None, EntryState.REFUSED, 0.0, error="400 x: name is taken",
                  error_code="x", error_message="name is taken", error_status=400)  # fmt: skip
    failure = refusal_of(entry)
    assert (failure.title, failure.message) == ("400 x", "name is taken")


def test_an_entry_refused_without_an_error_body_shows_what_is_known() -> None:
    entry = Entry("1", "Rex", 3, None, EntryState.REFUSED, 0.0, error="413 from the service",
                  error_status=413)  # fmt: skip
    assert refusal_of(entry).title == "413 refused"
    assert refusal_of(entry).message == "413 from the service"


def test_a_refused_key_is_shown_word_for_word_whatever_its_code_contains() -> None:
    error = an_error_body(401, "auth: expired", "name: ask Ann")
    failure = key_refusal(SimpleNamespace(sending=SimpleNamespace(key_error=error)))
    assert (failure.title, failure.message) == ("401 auth: expired", "name: ask Ann")
    assert failure.hint == "{enter_key} Change API key  {refresh} Retry"


def test_a_key_that_is_not_refused_has_no_failure() -> None:
    assert key_refusal(SimpleNamespace(sending=SimpleNamespace(key_error=None))) is None


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("categoryId 99 does not exist", "category"),
        ("the category is unknown", "category"),
        ("Name must not be empty: name", "name"),
        ("status must be one of name", "status"),
        ("rename it", None),
        ("", None),
        ("x" * 10_000 + " name", None),
    ],
)
def test_the_field_that_a_message_names_first(message: str, field: str | None) -> None:
    assert field_named(message) == field
