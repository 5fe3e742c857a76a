"""Reconciling: what was added, and what a store that was restored to an earlier state has of it.

An entry whose store said of its key that it added it once can be sent there again, with its key:
the answer says whether the store has it, and it is never there twice. Of everything else that was
added nobody can be told that, so it is named for a person, and never sent: what was sent without a
key or to another store, what an import or a command added, and what only the receipts have.
"""

from __future__ import annotations

from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.models.validation import new_pet_of
from pettui.outbox import EntryState, Source, idempotency_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.client import OnWait, PetAnswer, PetClient
    from pettui.outbox import Added, Author, Entry, Receipts

_OTHERS: Final = MappingProxyType(
    {
        Source.IMPORT.value: "imported: import its file again with --skip-duplicates",
        Source.COMMAND.value: "added by pettui add: run it again, with its key if it had one",
    }
)
_GONE: Final = "the outbox no longer has it"
_WITHOUT_KEY: Final = (
    "no store confirmed its key, or it was typed with an API key of the user's own"
)
_OTHER_STORE: Final = "added to another store"


class Doubtful(NamedTuple):
    """What was added, and for a person to look for."""

    key: str
    at: float  # wall-clock seconds
    pet_id: int | None  # as which it was added
    name: str
    category_id: int
    status: str | None
    source: str
    why: str
    author: Author | None = None  # who typed it; no receipt says


class AddedSince(NamedTuple):
    """What one owner added since a time."""

    entries: Sequence[Entry]  # that the store is asked for
    doubtful: Sequence[Doubtful]
    uncounted: int  # more of those days, of which the receipts have only the numbers


def added_since(
    entries: Iterable[Entry], receipts: Receipts, since: float, store_id: str
) -> AddedSince:
    """Return what was added since a time, as the outbox and the receipts know it. It blocks.

    Args:
        entries: of the owner.
        receipts: of the owner.
        since: wall-clock seconds.
        store_id: of the store that was restored.

    Raises:
        OutboxError: a receipt cannot be read.
    """
    recorded: dict[str, Added] = {}
    uncounted = 0
    for day in receipts.days():
        if day >= datetime.fromtimestamp(since).astimezone().date():
            receipt = receipts.of(day)
            uncounted += receipt.total - len(receipt.added)
            recorded |= {each.key: each for each in receipt.added if each.at >= since}
    asked, others = [], []
    for entry in entries:
        if entry.state is not EntryState.ADDED:
            continue
        record = recorded.pop(entry.entry_id, None)
        if record is None and _added_at(entry) < since:
            continue
        if entry.store_id == store_id:
            asked.append(entry)
        else:
            others.append(doubtful(entry, _WITHOUT_KEY if entry.store_id is None else _OTHER_STORE))
    others += map(_of_record, recorded.values())
    return AddedSince(asked, sorted(others, key=lambda each: each.at), uncounted)


def _added_at(entry: Entry) -> float:
    """Return when an entry was added, or was typed where that is not known; to some seconds."""
    return entry.typed_at if entry.sent_at is None else entry.sent_at


def doubtful(entry: Entry, why: str = "") -> Doubtful:
    """Return an entry as a person finds it."""
    values = (entry.name, entry.category_id, entry.status, Source.EARLIER.value, why, entry.author)
    return Doubtful(entry.entry_id, _added_at(entry), entry.pet_id, *values)


def _of_record(added: Added) -> Doubtful:
    pet, why = added.pet, _OTHERS.get(added.source, _GONE)
    status = None if pet.status is None else str(pet.status)
    return Doubtful(
        added.key, added.at, pet.id, pet.name, pet.category_id, status, added.source, why
    )


async def sent_again(client: PetClient, entry: Entry, on_wait: OnWait) -> PetAnswer:
    """Send an added entry again, with its key, to its store; raises PetClientError."""
    status = {} if entry.status is None else {"status": entry.status}
    return await client.create_pet(
        new_pet_of({"name": entry.name, "categoryId": entry.category_id, **status}),
        on_wait=on_wait,
        idempotency_key=idempotency_key(entry),
        store_id=entry.store_id,
    )
