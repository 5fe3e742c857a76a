"""The words in which a failure is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pettui.client import ErrorBodyError, NoErrorBodyError, UnreadableAnswerError
from pettui.models.pets import ErrorBody
from pettui.outbox import Entry, EntryState, Refusal
from pettui.tui.widgets.failures import failure_of, refusal_of

REFUSED = Entry("1", "Rex", 3, None, EntryState.REFUSED, 0.0)


def test_a_401_offers_to_change_the_key_with_or_without_an_error_body() -> None:
    body = ErrorBody(code="unauthorized", message="no", status=401)
    for error in (ErrorBodyError(401, body), NoErrorBodyError(401, "text/html")):
        failure = failure_of(error)
        assert failure.is_unauthorized
        assert failure.hint == "{enter_key} Change API key  {refresh} Retry"


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (NoErrorBodyError(502, "text/html, 1.2 kB", excerpt="<html>"), "No Error body"),
        (NoErrorBodyError(429, "text/html", excerpt="<html>"), "429 too many requests"),
        (NoErrorBodyError(503, "text/html", excerpt="<html>"), "503 unavailable"),
        (UnreadableAnswerError(200, "no list", excerpt="<html>"), "Unexpected response"),
    ],
)
def test_a_response_without_an_error_body_can_be_viewed(
    error: NoErrorBodyError | UnreadableAnswerError, title: str
) -> None:
    failure = failure_of(error)
    assert (failure.title, failure.message, failure.excerpt) == (title, str(error), "<html>")


def test_an_entry_refused_without_an_error_body_shows_what_is_known() -> None:
    failure = refusal_of(replace(REFUSED, refusal=Refusal("413 from the service", status=413)))
    assert (failure.title, failure.message) == ("413 refused", "413 from the service")
