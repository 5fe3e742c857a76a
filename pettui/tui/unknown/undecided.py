"""What is decided: adds whose responses were lost, and where a decision about them is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pettui.outbox.candidates import Likeness, likeness
from pettui.outbox.entries import Entry, EntryState
from pettui.text.amounts import age

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.models.pets import Pet
    from pettui.tui.session.session import UserSession

NEITHER_DELETED: Final = "there would be two, and neither can be deleted"


class UnknownAdd(NamedTuple):
    """An add of which no response says whether it was stored; its texts are raw."""

    add_id: str
    name: str
    category_id: int
    status: str | None
    sent: str  # when, as far as it is known
    why: str  # no response came, or none that counts

    @property
    def likeness(self) -> Likeness:
        """What it has in common with the animals that it could be."""
        return likeness(self.name, self.category_id)


class Undecided(Protocol):
    """The unknown entries of the outbox, or the unknown lines of an import."""

    @property
    def adds(self) -> Sequence[UnknownAdd]:
        """Those that are unknown now, in the order in which they are asked about."""
        ...

    def of_others(self, pets: Iterable[Pet]) -> set[int]:
        """Return the ids of those that other adds of the same user became."""
        ...

    def was_seen_before(self, pet: Pet, add_id: str) -> bool:
        """Whether that animal surely stood in a list before an add was sent."""
        ...

    async def resolve(self, add_id: str, pet: Pet) -> None:
        """Keep that an add became an animal; raises OutboxError or TransferError."""
        ...


class UndecidedEntries:
    """Those of some ids, as long as they are unknown; a line of an import is not sent alone."""

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


def sent_text(sent_ago: float | None, typed_ago: float) -> str:
    """Return when an add was sent; where that was not recorded, when it was typed."""
    if sent_ago is not None:
        return f"sent {age(sent_ago)} ago"
    return f"typed {age(typed_ago)} ago; when it was sent was not recorded"


def resending_text(sent_ago: float | None, typed_ago: float, timeout: float) -> str:
    """Return what sending an add again could do, and what to do first.

    A request is given up after the time-out of a client, and may go on behind it: through a proxy,
    or in a service that is slow. Twice that time says much, and proves nothing.

    Args:
        sent_ago: seconds; None where that was not recorded.
        typed_ago: seconds.
        timeout: of one request, in seconds.
    """
    was = f"It was {sent_text(sent_ago, typed_ago)}."
    if (typed_ago if sent_ago is None else sent_ago) < 2 * timeout:
        wait = f"wait until {age(2 * timeout)} have passed, and look again"
        return f"{was} It may still arrive: {wait}. Otherwise {NEITHER_DELETED}."
    return f"{was} It may have been added all the same, or still arrive. Then {NEITHER_DELETED}."


def question_of(session: UserSession, entry: Entry) -> str:
    """Return what is to be known before an unknown entry is sent again."""
    sent_ago, typed_ago = session.outbox.sent_ago(entry), session.outbox.typed_ago(entry)
    return resending_text(sent_ago, typed_ago, session.settings.limits.deadline)
