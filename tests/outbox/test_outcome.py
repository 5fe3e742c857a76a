"""What a failed add means for its entry and for those behind it."""

from __future__ import annotations

import pytest

from pettui.client import (
    NoErrorBodyError,
    PetClientError,
    UnreadableAnswerError,
)
from pettui.models import ErrorBody
from pettui.outbox import EntryState
from pettui.outbox.outcome import Next, after_probe, outcome
from tests.outbox.scripted import an_entry, cut, offline, refusal

SENDING = an_entry(state=EntryState.SENDING)


def page(status: int) -> NoErrorBodyError:
    return NoErrorBodyError(status, "text/html, 1.2 kB")


@pytest.mark.parametrize(
    ("error", "state", "then"),
    [
        (offline(), EntryState.WAITING, Next.WAIT),
        (cut(), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (refusal(401), EntryState.WAITING, Next.NEED_KEY),
        (page(401), EntryState.WAITING, Next.NEED_KEY),
        (refusal(429), EntryState.REFUSED, Next.PROBE_LATER),
        (page(429), EntryState.REFUSED, Next.PROBE_LATER),
        (refusal(400), EntryState.REFUSED, Next.GO_ON),
        (refusal(403), EntryState.REFUSED, Next.GO_ON),
        (page(404), EntryState.REFUSED, Next.PROBE_FIRST),
        (refusal(500), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (refusal(503), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (page(502), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (page(302), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (UnreadableAnswerError(201, "no JSON"), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (UnreadableAnswerError(200, "a portal"), EntryState.UNKNOWN, Next.PROBE_FIRST),
    ],
    ids=str,
)
def test_each_failure_has_its_outcome(error: PetClientError, state: EntryState, then: Next) -> None:
    result = outcome(SENDING, error)
    assert (result.entry.state, result.then) == (state, then)


def test_only_what_was_never_sent_or_lacks_a_key_waits_to_be_sent_again() -> None:
    statuses = [status for status in range(300, 600) if status != 401]
    errors = [make(status) for status in statuses for make in (refusal, page)]
    assert all(outcome(SENDING, error).entry.state is not EntryState.WAITING for error in errors)


def test_a_refused_entry_has_the_error_body_word_for_word() -> None:
    entry = outcome(SENDING, refusal(400)).entry
    assert (entry.error_code, entry.error_message, entry.error_status) == ("no", "No.", 400)
    assert entry.error == "400 no: No."


def test_an_error_body_of_a_megabyte_is_kept_by_its_beginning() -> None:
    error = refusal(400)
    error.body = ErrorBody(code="c" * 10**6, message="m" * 10**6, status=400)
    entry = outcome(SENDING, error).entry
    assert entry.error == f"400 {'c' * 3_996}…"
    assert (entry.error_code, entry.error_message) == ("c" * 4_000 + "…", "m" * 4_000 + "…")


def test_an_unknown_entry_says_why_and_with_which_status() -> None:
    entry = outcome(SENDING, page(502)).entry
    assert entry.error == "502 from the service, no Error body: text/html, 1.2 kB"
    assert (entry.error_code, entry.error_status) == (None, 502)


@pytest.mark.parametrize(
    ("error", "then"),
    [
        (refusal(401), Next.NEED_KEY),
        (refusal(403), Next.GO_ON),
        (refusal(429), Next.PROBE_LATER),
        (refusal(503), Next.PROBE_LATER),
        (page(302), Next.PROBE_LATER),
        (offline(), Next.PROBE_LATER),
        (UnreadableAnswerError(200, "a portal"), Next.PROBE_LATER),
    ],
    ids=str,
)
def test_a_list_that_the_service_refuses_lets_the_next_one_go(
    error: PetClientError, then: Next
) -> None:
    assert after_probe(error) is then
