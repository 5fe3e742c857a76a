"""UndecidedEntries: the unknown entries of this window, as a person decides about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox import EntryState, likeness
from pettui.tui.unknown.undecided import UnknownAdd, resending_text, sent_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.models.pets import Pet
    from pettui.outbox import Entry
    from pettui.tui.session.session import UserSession


class UndecidedEntries:
    """Those of some ids, as long as they are unknown."""

    def __init__(self, session: UserSession, entry_ids: Sequence[str]) -> None:
        """Ask about these, in this order."""
        self._session = session
        self._outbox = session.outbox
        self._entry_ids = entry_ids

    @property
    def _entries(self) -> dict[str, Entry]:
        return {entry.entry_id: entry for entry in self._outbox.entries}

    @property
    def adds(self) -> Sequence[UnknownAdd]:
        """Those that are unknown, and this window's."""
        known = self._entries
        entries = (known[each] for each in self._entry_ids if each in known)
        unknown = (entry for entry in entries if entry.state is EntryState.UNKNOWN)
        return [self._add(entry) for entry in unknown if not entry.owned_elsewhere]

    def _add(self, entry: Entry) -> UnknownAdd:
        sent = sent_text(self._outbox.sent_ago(entry), self._outbox.typed_ago(entry))
        return UnknownAdd(
            entry.entry_id, entry.name, entry.category_id, entry.status, sent, entry.error or ""
        )

    def of_others(self, pets: Iterable[Pet]) -> set[int]:
        """Return the ids of those that other entries, or lines imported here, became.

        By their names, too: where ids begin anew, another animal has the id of one that was added.
        """
        added = (entry for entry in self._outbox.entries if entry.pet_id is not None)
        own = {(entry.pet_id, likeness(entry.name, entry.category_id)) for entry in added}
        imported = self._session.receipt.pets
        own |= {(each.id, likeness(each.name, each.category_id)) for each in imported}
        alike = ((each.id, likeness(each.name, each.category_id)) for each in pets)
        return {pet_id for pet_id, how in alike if (pet_id, how) in own}

    def was_seen_before(self, pet: Pet, add_id: str) -> bool:
        """Whether this session listed that very animal before the entry was typed here."""
        is_typed_here = add_id in self._outbox.typed_here
        return is_typed_here and self._session.first_seen.is_before(pet, add_id)

    async def resolve(self, add_id: str, pet: Pet) -> None:
        """Make it added, with that id; raises OutboxError."""
        await self._outbox.resolve(add_id, pet)

    def question(self, add_id: str) -> str:
        """Return how long ago it was sent, and what may come of sending it again."""
        entry = self._entries.get(add_id)
        return "" if entry is None else question_of(self._session, entry)

    async def send_again(self, add_id: str) -> None:
        """Send it again at once; raises OutboxError."""
        await self._outbox.send_again(add_id)


def question_of(session: UserSession, entry: Entry) -> str:
    """Return what is to be known before an unknown entry is sent again."""
    sent_ago, typed_ago = session.outbox.sent_ago(entry), session.outbox.typed_ago(entry)
    return resending_text(sent_ago, typed_ago, session.settings.limits.deadline)
