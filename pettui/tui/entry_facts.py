"""An entry of the outbox → what the screens say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models import Pet
from pettui.tui.failures import ANOTHER_KEY, field_named
from pettui.tui.notices import sentence
from pettui.tui.widgets.error_strip import Failure

if TYPE_CHECKING:
    from datetime import date

    from pettui.outbox.entries import Entry
    from pettui.outbox.outbox import Outbox


def refusal_of(entry: Entry) -> Failure:
    """Give the strip's words for an entry that the service refused, or told nothing of."""
    message = entry.error_message or entry.error or "the service refused it"
    title = f"{entry.error_status or ''} {entry.error_code or entry.state.value}".strip()
    beginning = entry.error_beginning or ""
    return Failure(title, message, field=field_named(message), beginning=beginning)


def held_up(outbox: Outbox, key: str) -> str:
    """Say what holds up the entries that wait, in one raw line; "" where nothing does.

    Args:
        outbox: whose entries they are.
        key: what to press to try at once.
    """
    waits = any(entry.waits_here for entry in outbox.entries)
    if outbox.trouble is None and outbox.waiting_for is not None and waits:
        return f"waiting, {key} tries now: {outbox.waiting_for}"
    return outbox.trouble or ""


def key_refusal(outbox: Outbox) -> Failure | None:
    """Give the strip's words where what waits needs another key; None where it does not."""
    if not outbox.needs_key:
        return None
    title, _, message = (outbox.waiting_for or "").partition(": ")
    return Failure(
        title, message, hint=f"{ANOTHER_KEY}  {{refresh}} Try again", is_unauthorized=True
    )


def outbox_notices(outbox: Outbox, today: date) -> tuple[str, ...]:
    """Say what could not be read from the disk, and what createPet's answers give notice of."""
    return (*outbox.problems, *(sentence(notice, today) for notice in outbox.notices))


def pet_of(entry: Entry) -> Pet:
    """Give an added entry as the animal that it became, before the service was asked for it."""
    fields = {"id": entry.pet_id, "name": entry.name, "categoryId": entry.category_id}
    return Pet.model_validate(fields | ({"status": entry.status} if entry.status else {}))
