"""Moving: all that belongs to one owner in one place goes to an owner in another.

A place is a directory or a database, for one profile and address. The two may be of one kind or of
two, so that no change is one of both, and a process may die between any two changes. An entry goes
in five steps, each of which is for good before the next one begins:

=====  ===========================  =========================
step   the entry where it was       the entry where it goes
=====  ===========================  =========================
1      ``moving_to`` the new place
2                                   kept, ``moving_to`` there
3      ``moved_to`` the new place
4                                   as it was before step 1
5      removed
=====  ===========================  =========================

What is moving is sent, shown and forgotten by nobody, so that it is sent from one place at most. A
second run goes on where the first one ended: after step 3 it was kept there, and if it is not there
any more, it was sent and forgotten since. An added entry is a record that nobody sends: it is kept
there, and removed here.

What an entry records goes with it: its id, and so its idempotency key; whose API key it is for; and
the store that it was sent to. That makes a move to another address safe for what may be out: it is
sent again to that very store alone, and waits, and says so, where another one answers. What is
unknown stays unknown, and is sent again only if somebody says so.

A draft is kept there and then forgotten here. A run that died in between knows it by what is typed,
and when.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from pettui.outbox.entries import Draft, Entry, EntryState, EntryStore
from pettui.outbox.owners import LOCAL, Owner, Owners, shown_owner, ssh_owner

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pettui.outbox.receipts import Receipts


class Moved(NamedTuple):
    """What became of what an owner had."""

    animals: int  # that are in the new place now, of those that were not added
    drafts: int
    left: int  # entries that a running pettui has open, or that are on their way to another place


def join(owners: Owners, fingerprints: Collection[str], account: str) -> Mapping[str, Moved]:
    """Move what belongs to keys to the account that their lines name by now.

    Returns what became of it, by fingerprint, of those keys that had anything: none at most logins.
    """
    keys = {owners.of(ssh_owner(each)).id: each for each in fingerprints}
    owner = ssh_owner(None, account)
    moved = {}
    for source in owners.all():
        if source.id in keys and _has_anything(source):
            where = f"{owner}, {owners.id}"
            moved[keys[source.id]] = move(source, owners.of(owner), where)
    return moved


def _has_anything(owner: Owner) -> bool:
    summary = owner.summary()
    return bool(summary.entries or summary.drafts or owner.receipts().days())


def move(source: Owner, target: Owner, place: str, *, service: str | None = None) -> Moved:
    """Move what belongs to an owner, but for what a running pettui has open; raises OutboxError.

    Args:
        source: whose it is.
        target: whose it will be.
        place: what tells where that is from all other places; stands in entries on their way.
        service: where the animals of the target are; None where that is the same.
    """
    with closing(source.open()) as old, closing(target.open()) as new:
        animals, left = _move_entries(old, new, place, service)
        drafts = _move_drafts(old, new)
    _move_receipts(source.receipts(), target.receipts())
    if source.id != LOCAL:
        _move_login(source, target)
    return Moved(animals, drafts, left)


def _move_login(source: Owner, target: Owner) -> None:
    """Let the next login be told what it would have been told; who it was, if nobody came there."""
    who = source.user()
    added = source.log_in(*who)
    if target.user() == shown_owner(target.who or ""):
        added += target.log_in(*who)
    if added:
        target.record_added(added)


def _move_entries(
    old: EntryStore, new: EntryStore, place: str, service: str | None
) -> tuple[int, int]:
    """Return how many entries that were not added went, and how many stayed."""
    begun, left = _begun(old, place)
    there = {entry.entry_id for entry in new.load().entries}
    missing = [each for each in begun if each.moved_to is None and each.entry_id not in there]
    if missing:
        for _ in new.add_all([replace(each, service=service or each.service) for each in missing]):
            pass
    records = [entry for entry in begun if entry.state is EntryState.ADDED]
    moving = [entry for entry in begun if entry.state is not EntryState.ADDED]
    kept = [moved for entry in moving if (moved := _noted(old, entry, place)) is not None]
    gone = _released(new, kept, place)
    for entry in (*records, *gone):
        old.remove(entry)
    return len(gone), left + len(moving) - len(gone)


def _begun(old: EntryStore, place: str) -> tuple[Sequence[Entry], int]:
    """Return what goes, oldest first, marked so that nobody sends it; and how many stay."""
    marked = [_marked(old, entry, place) for entry in old.load().entries]
    begun = [entry for entry in marked if entry is not None]
    return begun, len(marked) - len(begun)


def _marked(old: EntryStore, entry: Entry, place: str) -> Entry | None:
    """Return an entry as one that goes; None if it stays."""
    if entry.owned_elsewhere or entry.moved_to not in (None, place):
        return None
    if entry.state is EntryState.ADDED or place in (entry.moving_to, entry.moved_to):
        return entry
    marked = replace(entry, moving_to=place)
    return marked if old.change(entry, marked) else None


def _noted(old: EntryStore, entry: Entry, place: str) -> Entry | None:
    """Return an entry once it is noted that it is kept there; None if another one has it now."""
    if entry.moved_to is not None:
        return entry
    moved = replace(entry, moving_to=None, moved_to=place)
    return moved if old.change(entry, moved) else None


def _released(new: EntryStore, kept: Sequence[Entry], place: str) -> Sequence[Entry]:
    """Make entries like any other, and return those that are, or were already."""
    there = {entry.entry_id: entry for entry in new.load().entries}
    released = []
    for entry in kept:
        held = there.get(entry.entry_id)
        if held is not None and held.moving_to == place:
            # Also where a session took over what an earlier run left: it does nothing with that.
            like_any = replace(held, moving_to=None, owned_elsewhere=False)
            if not new.change(held, like_any):
                continue
        released.append(entry)
    return released


def _move_drafts(old: EntryStore, new: EntryStore) -> int:
    """Return how many drafts went; what an add left in a form is forgotten."""
    old.take_over_drafts()
    new.take_over_drafts()
    there = list(map(_identity, new.drafts.values()))
    free = (number for number in count() if number not in new.drafts)
    moved = 0
    for number, draft in sorted(old.drafts.items()):
        if draft.is_typed:
            if _identity(draft) not in there:
                new.keep_draft(next(free), draft)
            moved += 1
        old.keep_draft(number, Draft())
    return moved


def _identity(draft: Draft) -> tuple[Draft, str, float]:
    return draft, draft.copy_of, draft.typed_at


def _move_receipts(old: Receipts, new: Receipts) -> None:
    for day in old.days():
        new.merge(old.of(day))
        old.forget(day)
