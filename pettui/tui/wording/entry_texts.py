"""The screens' texts for an entry of the outbox."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from pettui.models import STATUSES, Pet
from pettui.outbox import EntryState
from pettui.text import safe
from pettui.tui.wording.failures import CHANGE_KEY, Failure, failure_of, field_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.outbox import Entry, Outbox
    from pettui.tui.wording.text_runs import Section


DUPLICATE_RISK = (
    "It may already have been added. Then there would be two, and neither can be deleted."
)


def refusal_of(entry: Entry) -> Failure:
    """Return the error banner of an entry that was refused, or whose outcome is unknown."""
    message = entry.error_message or entry.error or "the service refused it"
    title = f"{entry.error_status or ''} {entry.error_code or entry.state.value}".strip()
    excerpt = entry.error_excerpt or ""
    return Failure(title, message, field=field_named(message), excerpt=excerpt)


def whole_of(entry: Entry) -> Section:
    """Return all that is known of an entry, as raw texts."""
    if entry.error is None:
        return (entry.state.value, entry.name)
    failure = refusal_of(entry)
    return (failure.title, f"{entry.name}\n\n{failure.whole}")


def seconds_text(seconds: float) -> str:
    """Return a time that is left, rounded up: "3 s", "10 min"."""
    return f"{ceil(seconds)} s" if seconds <= 99 else f"{ceil(seconds / 60)} min"


def counts_text(entries: Sequence[Entry]) -> str:
    """Return how many entries there are, and how many of each state but added."""
    count = "1 entry" if len(entries) == 1 else f"{len(entries)} entries"
    states = [entry.state for entry in entries]
    others = [
        f"{states.count(state)} {state.value}"
        for state in EntryState
        if state is not EntryState.ADDED and state in states
    ]
    return ", ".join((count, *others))


def delay_reason(outbox: Outbox, key: str, *, is_brief: bool = False) -> str:
    """Return why waiting entries are not sent, in one raw line; "" if nothing delays them.

    Args:
        outbox: whose entries they are.
        key: the key that retries at once; "" for none.
        is_brief: for a narrow screen.
    """
    waits = any(entry.waits_here for entry in outbox.entries)
    if outbox.store_error is None and outbox.sending.waiting_for is not None and waits:
        tries = f", {key} tries now" if key else ""
        if (text := adds_wait_text(outbox, is_brief=is_brief)) is not None:
            return f"{text}{tries}"
        return f"waiting{tries}: {outbox.sending.waiting_for}"
    return outbox.store_error or ""


def adds_wait_text(outbox: Outbox, *, is_brief: bool = False) -> str | None:
    """Return how long entries wait though the service responds; None if they do not.

    They do after lost responses, so that few of them become unknown.
    """
    seconds = outbox.sending.adds_wait
    if not seconds or not any(entry.waits_here for entry in outbox.entries):
        return None
    text = f"adds wait {seconds_text(seconds)}"
    return text if is_brief else f"the service answers, {text}"


def key_refusal(outbox: Outbox) -> Failure | None:
    """Return the error banner where the service refused the API key; None where it did not."""
    if outbox.sending.key_error is None:
        return None
    failure = failure_of(outbox.sending.key_error)
    # It is about the API key, whatever field of the form the message may name.
    return replace(failure, hint=f"{CHANGE_KEY}  {{refresh}} Retry", field=None)


def why_not_taken_back(outbox: Outbox) -> str:
    """Return why the newest entry, if there is one, cannot be taken back into the form."""
    own = [entry for entry in outbox.entries if not entry.owned_elsewhere]
    newest = own[-1] if own else None
    if newest is None:
        return "nothing has been added here yet"
    if newest.state is EntryState.ADDED:
        return f"too late: {newest.label} was added, with id {newest.pet_id}"
    if newest.state is EntryState.SENDING:
        return f"too late: {newest.label} is being sent"
    return f"too late: {newest.label} was sent, and is {newest.state.value}; see the outbox"


def loss_text(entry: Entry) -> str:
    """Return what is lost if an entry is forgotten that is not known to be added."""
    if entry.state is EntryState.UNKNOWN:
        return "It may have been added. Once forgotten, there is no way to tell from here."
    if entry.state is EntryState.WAITING:
        return "It was not sent yet, and what you typed will be lost."
    return "It was not added, and what you typed will be lost."


def perhaps_added_text(name: str) -> str:
    """Return the risk of adding an unknown entry again, by its raw name."""
    return f"{safe(name, 16)} may have been added already: adding it again would make two"


def double_question(key: str, name: str) -> str:
    """Return the question whether an animal is added that may be there, by its raw name."""
    may_be = f"{safe(name, 16)} may have been added already"
    return f"{key} adds it anyway: {may_be}; typing begins the next"


def pasted_question(key: str, count: int) -> str:
    """Return the question whether all of a paste are added, some of which may be there."""
    return f"{key} adds all: {count:,} may be doubles"


def drop_question(key: str, name: str) -> str:
    """Return the question whether a refused animal is dropped, by its raw name."""
    return f"{key} again drops {safe(name, 16) or 'it'}, which was refused and is nowhere else"


def put_aside_texts(count: int) -> tuple[str, ...]:
    """Return how many unfinished animals come back to the form after this one, ever shorter."""
    if count == 0:
        return ("",)
    one = count == 1
    return (
        f"{count} unfinished draft{'' if one else 's'} come{'s' if one else ''} back after this",
        f"{count} draft{'' if one else 's'} come{'s' if one else ''} back after this",
        "",
    )


def pet_of(entry: Entry) -> Pet:
    """Return the animal of an added entry: the service's response, or what was sent."""
    if entry.pet is not None:
        return entry.pet
    status = STATUSES.get(entry.status or "")
    pet_id = entry.pet_id or 0  # an added one has an id
    return Pet(id=pet_id, name=entry.name, category_id=entry.category_id, status=status)
