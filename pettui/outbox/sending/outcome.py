"""What a failed add means for its entry, and for those behind it.

::

    what came back                       the entry    those behind it
    ───────────────────────────────────  ───────────  ─────────────────────────────────────────
    nothing, and nothing was sent        WAITING      wait with it; tried again by itself
    not_stored, of our own service       WAITING      wait with it; tried again by itself
    401                                  WAITING      wait with it, until a key is given anew
    429                                  REFUSED      go on after a pause, once a list is answered
    any other 4xx with an Error body     REFUSED      go on
    any other 4xx without one            REFUSED      go on, once a list is answered
    3xx, 5xx, a success that is not the  UNKNOWN      go on, once a list is answered
    interface's, no answer in the end

An add is sent again by itself only where the connection could not be opened, or where the service
in this process says that it stored nothing; a service elsewhere is not believed that. So a 429 is
not sent again either: the service said no, and the clerk may say yes. A 5xx of such a service never
counts as "surely not added", not even a 503 with an Error body: it says that the service failed,
and not how far it came.
A 3xx is a proxy's or a portal's word and may follow an add (303 does). Where something else than
the service seems to answer, a list is asked for before the next entry is risked, so that an outage
costs one entry its certainty, and not all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from pettui.client import ErrorBodyError, NoErrorBodyError, PetClientError
from pettui.outbox.entries import Entry, EntryState
from pettui.outbox.sending.circuit_breaker import Next

LONGEST_KEPT: Final = 4_000  # characters of what a service says of one entry


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of an entry that was sent and not added, and what comes next."""

    entry: Entry
    then: Next


def outcome(entry: Entry, error: PetClientError) -> Outcome:
    """Give what an error of createPet means for the entry that was being sent."""
    if error.nothing_stored or (error.status is None and not error.maybe_sent):
        return Outcome(entry.becoming(EntryState.WAITING), Next.WAIT)
    if error.status == 401:
        return Outcome(entry.becoming(EntryState.WAITING), Next.NEED_KEY)
    if isinstance(error, ErrorBodyError | NoErrorBodyError) and 400 <= error.status < 500:
        return Outcome(_with_error(entry, EntryState.REFUSED, error), _after_refusal(error))
    return Outcome(_with_error(entry, EntryState.UNKNOWN, error), Next.ASK_FIRST)


def after_list(error: PetClientError) -> Next:
    """Give what those that wait do when a list was asked for first, and this came back."""
    if error.status == 401:
        return Next.NEED_KEY
    if isinstance(error, ErrorBodyError) and 400 <= error.status < 500 and error.status != 429:
        return Next.GO_ON  # it is the service that answers, if only to say no
    return Next.ASK_LATER


def _after_refusal(error: ErrorBodyError | NoErrorBodyError) -> Next:
    if error.status == 429:
        return Next.ASK_LATER
    return Next.GO_ON if isinstance(error, ErrorBodyError) else Next.ASK_FIRST


def _with_error(entry: Entry, state: EntryState, error: PetClientError) -> Entry:
    failed = entry.becoming(state, error=_kept(str(error)))
    if isinstance(error, ErrorBodyError):
        code, message = _kept(error.body.code), _kept(error.body.message)
        failed = replace(failed, error_code=code, error_message=message)
    return replace(failed, error_status=error.status, error_excerpt=error.excerpt or None)


def _kept(text: str) -> str:
    """Give a text as it is kept, since what many entries hold stays in memory and on disk."""
    return text if len(text) <= LONGEST_KEPT else f"{text[:LONGEST_KEPT]}…"
