"""Reasons not to quit yet, and what to say after quitting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.outbox import Entry, EntryState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.outbox import Outbox
    from pettui.tui.user_session import UserSession

NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason not to quit yet: a title, and raw lines that say what quitting would mean."""

    title: str
    lines: tuple[str, ...]


def reasons_to_stay(session: UserSession) -> list[Reason]:
    """Return what a clerk has to know before quitting, the most urgent first."""
    found = (unkept_reason(session), unsent_reason(session))
    return [reason for reason in found if reason is not None]


def unsent(outbox: Outbox) -> list[Entry]:
    """Return the entries of this instance that are still waiting.

    One that is being sent gets a moment at the end, and does not count.
    """
    return [entry for entry in outbox.entries if entry.waits_here]


def unsent_reason(session: UserSession) -> Reason | None:
    """Return how many entries are not sent yet, and when they will be; None for none."""
    outbox = session.outbox
    entries = unsent(outbox)
    if not entries:
        return None
    when = (
        f"{_they(entries)} {_when(session)}."
        if outbox.is_persistent
        else "Quitting loses them: nothing is saved here."
        if len(entries) > 1
        else "Quitting loses it: nothing is saved here."
    )
    cause = [f"Waiting: {outbox.sending.waiting_for}"] if outbox.sending.waiting_for else []
    return Reason(f"{_animals(entries)} not sent yet", (_names(entries), when, *cause))


def unkept_reason(session: UserSession) -> Reason | None:
    """Return which draft could not be saved, and why; None where all are."""
    drafts = session.outbox.drafts
    if not drafts.is_unkept:
        return None
    why = str(drafts.failure or "the disk does not respond")
    name = drafts.draft.name or "(no name)"
    return Reason("A draft could not be saved", (f"Quitting loses it: {name}", why))


def farewell(session: UserSession) -> str:
    """Return one raw line on what a closed outbox holds, or could not save; "" for nothing."""
    return "; ".join(filter(None, (_unsaved_draft(session.outbox), _unsent_entries(session))))


def _unsaved_draft(outbox: Outbox) -> str:
    """Return the draft that could not be saved, for the user to type again."""
    if not outbox.drafts.is_unkept:
        return ""
    draft = outbox.drafts.draft
    category = f"category {draft.category}" if draft.category else ""
    typed = ", ".join(filter(None, (draft.name, category, draft.status)))
    return f"a draft could not be saved: {typed}"


def _unsent_entries(session: UserSession) -> str:
    outbox = session.outbox
    entries = unsent(outbox)
    if not entries or not outbox.is_persistent:
        return ""
    others = [
        f"{count} {state.value}"
        for state in (EntryState.UNKNOWN, EntryState.REFUSED)
        if (count := sum(entry.state is state for entry in outbox.entries))
    ]
    rest = f"; also in the outbox: {', '.join(others)}" if others else ""
    when = "by the server" if session.is_sent_by_server else "at the next start"
    return f"{_animals(entries)} not sent yet; {_they(entries).lower()} {when}{rest}"


def _animals(entries: list[Entry]) -> str:
    return "1 animal" if len(entries) == 1 else f"{len(entries)} animals"


def _they(entries: list[Entry]) -> str:
    return "It will be sent" if len(entries) == 1 else "They will be sent"


def _when(session: UserSession) -> str:
    label = session.settings.profile.label
    if session.is_sent_by_server:
        return f"to {label} by the server, without you"
    return f"at the next start on {label}"


def _names(entries: Iterable[Entry]) -> str:
    names = [entry.name or "(no name)" for entry in entries]
    more = len(names) - NAMES_SHOWN
    shown = ", ".join(names[:NAMES_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown
