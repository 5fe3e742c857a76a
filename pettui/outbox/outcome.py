"""What a failed add means for its entry, and for those behind it.

::

    response                             the entry    those behind it
    ───────────────────────────────────  ───────────  ─────────────────────────────────────────
    none, and nothing was sent           WAITING      wait with it; tried again by itself
    401                                  WAITING      wait with it for another key
    429                                  WAITING      wait with it; then one at a time
    any other 4xx with an Error body     REFUSED      continue
    any other 4xx without one            REFUSED      continue after a probe
    3xx, 5xx, a success that is not the  UNKNOWN      continue after a probe
    interface's, none in the end

A probe is a listPets that succeeds. None comes before what met a 429: it would take its place.

That is so of a service that promises nothing. A store that promises to add once what comes with a
key, however often it comes, changes the question: an entry that may be out is sent again until an
answer proves what it is. That is one which sends the key back beside the id of that very store.

::

    response to an entry with a store    the entry    those behind it
    ───────────────────────────────────  ───────────  ─────────────────────────────────────────
    none, and nothing was sent           as before    wait with it
    401                                  as before    wait with it for another key
    429                                  SENDING      wait as long; then one at a time
    412 other_store                      SENDING      continue after a probe
    any other 4xx of that store          REFUSED      continue
    anything else                        SENDING      continue after a probe

As before is WAITING at the first try, and SENDING from then on. What is SENDING is sent again by
itself, with a backoff of its own. A 4xx that does not send the key back may come from a proxy, and
a 429 too, while the service has stored the animal. A 401 is believed at the first try alone: the
service looks at the API key before all else, so that nothing was stored by that try.

Without a store, an add is sent again by itself only where it was surely not carried out: the
connection could not be opened, or a 429 came. That is taken at its word, knowingly: what counts
requests answers it in place of the service, and a proxy that sends an add twice, and passes on the
429 of the second one, would have an animal added twice. A 503 is not: it never means "surely not
added", no more than any other 5xx, not even the ``not_stored`` of our own service. A proxy may
repeat a POST whose response it lost, and then the first one may be stored, while what the second
one is told is true of that alone. A 3xx comes from a proxy or a portal, and may follow an add (303
does). Where something else than the service seems to respond, a probe comes before the next entry,
so that an outage leaves one entry unknown and not all of them.

An entry one of whose tries had no response is UNKNOWN, whatever comes after but its 201: what is
REFUSED or WAITING after a 429 above is true of the last try alone. Only somebody has it sent again.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Final, NamedTuple

from pettui.client import TOO_MANY, ErrorBodyError, NoErrorBodyError, PetClientError
from pettui.outbox.entries import Entry, EntryState, Refusal

OTHER_STORE: Final = "other_store"  # an Error's code
EARLIER_TRY: Final = "an earlier try had no response, so it may be there"
LONGEST_KEPT: Final = 4_000  # characters of what a service says of one entry


class Next(Enum):
    """What happens to the entries behind a failed one."""

    GO_ON = "continue"
    WAIT = "try the same one again, after a backoff"
    SLOW_DOWN = "try the same one again, after a wait, and from then on one at a time"
    PROBE_FIRST = "continue once listPets succeeds"
    PROBE_LATER = "the same, after a backoff"
    NEED_API_KEY = "wait for another key"


class Outcome(NamedTuple):
    """What an entry is that was sent and not added, and what happens next."""

    entry: Entry
    then: Next


def outcome(entry: Entry, error: PetClientError) -> Outcome:
    """Return what an error of createPet means for the entry that was being sent."""
    if entry.store_id is not None:
        return _outcome_with_store(entry, error)
    if error.status is None and not error.maybe_sent:
        return Outcome(entry.becoming(EntryState.WAITING), Next.WAIT)
    if error.is_unauthorized:
        return Outcome(entry.becoming(EntryState.WAITING), Next.NEED_API_KEY)
    if error.status == TOO_MANY:
        is_lost = entry.is_earlier_try_lost
        waiting = _refused(entry, error) if is_lost else entry.becoming(EntryState.WAITING)
        return Outcome(waiting, Next.SLOW_DOWN)
    if isinstance(error, ErrorBodyError | NoErrorBodyError) and 400 <= error.status < 500:
        is_of_service = isinstance(error, ErrorBodyError)
        return Outcome(_refused(entry, error), Next.GO_ON if is_of_service else Next.PROBE_FIRST)
    return Outcome(_with_error(entry, EntryState.UNKNOWN, error), Next.PROBE_FIRST)


def _outcome_with_store(entry: Entry, error: PetClientError) -> Outcome:
    again = _with_error(entry, EntryState.SENDING, error)
    as_before = again if entry.is_sent_again else entry.becoming(EntryState.WAITING)
    if error.status is None and not error.maybe_sent:
        return Outcome(as_before, Next.WAIT)
    if error.is_unauthorized:
        return Outcome(as_before, Next.NEED_API_KEY)
    if error.status == TOO_MANY:
        return Outcome(again, Next.SLOW_DOWN)
    is_refusal = error.status is not None and 400 <= error.status < 500
    if is_refusal and error.store_id == entry.store_id and not is_of_other_store(error):
        return Outcome(_refused(entry, error), Next.GO_ON)
    return Outcome(again, Next.PROBE_FIRST)


def is_of_other_store(error: PetClientError) -> bool:
    """Whether a service says that it is not the store that was named."""
    return isinstance(error, ErrorBodyError) and error.body.code == OTHER_STORE


def after_probe(error: PetClientError) -> Next:
    """Return what happens next when a probe failed."""
    if error.is_unauthorized:
        return Next.NEED_API_KEY
    if isinstance(error, ErrorBodyError) and 400 <= error.status < 500 and error.status != TOO_MANY:
        return Next.GO_ON  # it is the service that responds, if only to refuse
    return Next.PROBE_LATER


def _refused(entry: Entry, error: PetClientError) -> Entry:
    """Return what an entry is whose last try was surely not carried out."""
    if not entry.is_earlier_try_lost:
        return _with_error(entry, EntryState.REFUSED, error)
    unknown = _with_error(entry, EntryState.UNKNOWN, error)
    refusal = unknown.refusal or Refusal("")
    text = f"{refusal.text}; {EARLIER_TRY}"
    return replace(unknown, refusal=refusal._replace(text=text))


def _with_error(entry: Entry, state: EntryState, error: PetClientError) -> Entry:
    refusal = Refusal(_shortened(str(error)), status=error.status, excerpt=error.excerpt or None)
    if isinstance(error, ErrorBodyError):
        code, message = _shortened(error.body.code), _shortened(error.body.message)
        refusal = refusal._replace(code=code, message=message)
    return entry.becoming(state, refusal=refusal)


def _shortened(text: str) -> str:
    """Return a text cut to a length that many entries can have in memory and on disk."""
    return text if len(text) <= LONGEST_KEPT else f"{text[:LONGEST_KEPT]}…"
