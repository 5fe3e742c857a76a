"""What did not go out, and of what nobody takes care: for an administrator, and for whoever typed.

Outboxes are those of a profile at one address, in one place: the state directory, or a database.
Where the address changes, or the place, what was left stays where it was: whether two addresses are
one service only a person can say, by ``pettui outbox move``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.composition.store import owners_of
from pettui.configuration.errors import ConfigurationError
from pettui.configuration.profiles import BARE_ADDRESS
from pettui.outbox.entries import Entry, EntryState, OutboxError
from pettui.outbox.owners import LOCAL, Owner, Owners, Summary
from pettui.system.addresses import address_digest
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pettui.settings.settings import Profile

NAME_SHOWN: Final = 50  # characters of a user's name, which may be a fingerprint
USERS_SHOWN: Final = 20  # the others are counted
MOVE: Final = "pettui outbox move"
_ADDRESS: Final = re.compile(r"-([0-9a-f]{16})")  # at the end of the id of owners: its digest
_ADDRESS_LENGTH: Final = 17


def not_gone_out(owners_id: str | None = None, state: str | None = None) -> Iterator[Summary]:
    """Find what did not go out, of each user and profile, as far as it can be read.

    Args:
        owners_id: of the owners of one profile; None for all profiles.
        state: the database of their outboxes; None for the state directory.

    Raises:
        ConfigurationError: the database can't be reached or used.
    """
    from pettui.composition.state_database import opened_owners

    with opened_owners(state, observes=True) as found:
        chosen = [each for each in found if owners_id in (None, each.id)]
        every = [owner for owners in chosen for owner in owners.all()]
        for owner in sorted(every, key=lambda owner: owner.id):
            with suppress(OutboxError):  # it is somebody else's
                summary = owner.summary()
                if summary.not_added:
                    yield summary


# In other places


class Left(NamedTuple):
    """What one owner left in another place."""

    owner: Owner
    entries: Sequence[Entry]  # that were not added
    drafts: int


class Elsewhere(NamedTuple):
    """What owners left in one other place."""

    owners: Owners
    place: str  # the directory or the database
    left: Sequence[Left]  # some of them perhaps only what was added
    address: str | None  # of its service, or its animals' file; None where nothing recorded it

    @property
    def waiting(self) -> str:
        """How much waits for somebody: "3 animals and 1 draft"; "" for nothing."""
        animals = sum(len(each.entries) for each in self.left)
        drafts = sum(each.drafts for each in self.left)
        texts = [counted(animals)] if animals else []
        return " and ".join([*texts, counted(drafts, "draft")] if drafts else texts)

    @property
    def number(self) -> int:
        """How many animals and drafts wait."""
        return sum(len(each.entries) + each.drafts for each in self.left)

    @property
    def users(self) -> int:
        """Of how many users something waits."""
        return sum(bool(each.entries or each.drafts) for each in self.left)

    @property
    def where(self) -> str:
        """The place and the address, as far as it is known."""
        return f"{self.place}, for {self.address or 'an address that was not recorded'}"


def elsewhere(
    profile: Profile, owners: Owners, whose: Collection[str] | None = None
) -> list[Elsewhere]:
    """Find what was left for owners of a profile in other places than theirs. It blocks.

    Args:
        profile: whose store is known.
        owners: where their outboxes are.
        whose: None for all over SSH.

    Raises:
        OutboxError: the database of their outboxes is away.
    """
    found = owners.neighbours(whose)
    if owners.place != owners_of(profile).place:
        found = [*_on_disk(profile, whose), *found]
    return [_found(each, whose) for each in found if _is_of_profile(each.id, owners.id)]


def _on_disk(profile: Profile, whose: Collection[str] | None = None) -> Sequence[Owners]:
    """Return the owners in the state directory, for users of a database."""
    owners = owners_of(profile)
    return [owners, *owners.neighbours(whose)]


def _is_of_profile(one: str, other: str) -> bool:
    """Whether owners are those of the same profile, at whatever address, by their ids."""
    return _ADDRESS.fullmatch(one.removeprefix(other[:-_ADDRESS_LENGTH])) is not None


def _found(owners: Owners, whose: Collection[str] | None) -> Elsewhere:
    left: list[Left] = []
    addresses: set[str | None] = set()
    for owner in owners.all(whose):
        with suppress(OutboxError):  # it is somebody else's
            entries, drafts = owner.entries(), owner.summary().drafts
            addresses |= {each.service for each in entries if _is_at(owners, each.service)}
            waiting = [each for each in entries if each.state is not EntryState.ADDED]
            if entries or drafts or owner.receipts().days():
                left.append(Left(owner, waiting, drafts))
    return Elsewhere(owners, owners.place, left, min(filter(None, addresses), default=None))


def _is_at(owners: Owners, address: str | None) -> bool:
    """Whether an address that an entry records is that of its owners."""
    return address is not None and owners.id.endswith(f"-{address_digest(address)[:16]}")


def waiting_elsewhere(profile: Profile, owners: Owners, *whose: str) -> str:
    """Return a raw line for whoever typed what waits in other places; "" for nothing. It blocks."""
    found = [each for each in elsewhere(profile, owners, whose) if each.waiting]
    if not found:
        return ""
    waiting = " and ".join(each.waiting for each in found)
    if LOCAL in whose:
        addresses = ", ".join(each.address or "one that was not recorded" for each in found)
        where = f"for another address of this profile, {addresses}"
        return f"{waiting} {_waits(found)} {where}; to move: {_move(profile)}"
    who = "whoever runs the server can move what is there"
    return f"{waiting} of yours {_waits(found)} in another place; {who}"


def _move(profile: Profile) -> str:
    """Return the command that moves; a bare address is no profile's."""
    named = "" if profile.name == BARE_ADDRESS else f" --profile {quote(profile.name)}"
    return f"{MOVE}{named}"


def _waits(found: Sequence[Elsewhere]) -> str:
    return "waits" if sum(each.number for each in found) == 1 else "wait"


def lines_on_elsewhere(profile: Profile, state: str | None, *, is_away: bool = False) -> list[str]:
    """Return a raw line on each other place where something waits of users over SSH.

    Args:
        profile: whose store is known.
        state: the database of their outboxes; None for the state directory.
        is_away: whether the database is. Then nothing is said of it.
    """
    from pettui.composition.state_database import opened_owners

    found: list[Elsewhere] = []
    with suppress(ConfigurationError, OutboxError):
        if state is not None:
            found = [_found(each, None) for each in _on_disk(profile)]
        if not is_away:  # there may be no tables yet
            with opened_owners(state, profile, observes=True) as [owners]:
                found = elsewhere(profile, owners)
    return users_elsewhere(profile, found)


def users_elsewhere(profile: Profile, found: Sequence[Elsewhere]) -> list[str]:
    """Return a raw line on each place where something waits of users over SSH."""
    return [
        f"{each.waiting} of {counted(each.users, 'user')} {_waits([each])} in {each.where};"
        f" to move: {_move(profile)} --users"
        for each in found
        if each.waiting
    ]
