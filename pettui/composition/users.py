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
from pettui.configuration import BARE_ADDRESS, ConfigurationError
from pettui.outbox import LOCAL, EntryState, OutboxError
from pettui.system.addresses import address_digest, same_address
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pettui.outbox import Entry, Owner, People, Summary
    from pettui.settings.settings import Profile

NAME_SHOWN: Final = 50  # characters of a user's name, which may be a fingerprint
USERS_SHOWN: Final = 20  # the others are counted
MOVE: Final = "pettui outbox move"
_ADDRESS: Final = re.compile(r"-([0-9a-f]{16})")  # at the end of the id of people: its digest
_ADDRESS_LENGTH: Final = 17


def not_gone_out(people: str | None = None, state: str | None = None) -> Iterator[Summary]:
    """Find what did not go out, of each user and profile, as far as it can be read.

    Args:
        people: the id of the people of one profile; None for all profiles.
        state: the database of their outboxes; None for the state directory.

    Raises:
        ConfigurationError: the database can't be reached or used.
    """
    from pettui.composition.state_database import opened_people

    with opened_people(state, observes=True) as found:
        owners = [owner for each in found if people in (None, each.id) for owner in each.owners()]
        for owner in sorted(owners, key=lambda owner: owner.id):
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

    people: People
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

    def is_at(self, place: str) -> bool:
        """Whether a directory, a database or an address is this one."""
        is_address = self.address is not None and same_address(place) == same_address(self.address)
        return is_address or place == self.place


def elsewhere(
    profile: Profile, people: People, owners: Collection[str] | None = None
) -> list[Elsewhere]:
    """Find what was left for owners of a profile in other places than theirs. It blocks.

    Args:
        profile: whose store is known.
        people: where their outboxes are.
        owners: whose; None for all over SSH.

    Raises:
        OutboxError: the database of their outboxes is away.
    """
    found = people.neighbours(owners)
    if people.place != owners_of(profile).place:
        found = [*_on_disk(profile, owners), *found]
    return [_found(each, owners) for each in found if _is_of_profile(each.id, people.id)]


def _on_disk(profile: Profile, owners: Collection[str] | None = None) -> Sequence[People]:
    """Return the owners in the state directory, for users of a database."""
    people = owners_of(profile)
    return [people, *people.neighbours(owners)]


def _is_of_profile(one: str, other: str) -> bool:
    """Whether owners are those of the same profile, at whatever address, by their ids."""
    return _ADDRESS.fullmatch(one.removeprefix(other[:-_ADDRESS_LENGTH])) is not None


def _found(people: People, owners: Collection[str] | None) -> Elsewhere:
    left: list[Left] = []
    addresses: set[str | None] = set()
    for owner in people.owners(owners):
        with suppress(OutboxError):  # it is somebody else's
            entries, drafts = owner.entries(), owner.summary().drafts
            addresses |= {each.service for each in entries if _is_at(people, each.service)}
            waiting = [each for each in entries if each.state is not EntryState.ADDED]
            if entries or drafts or owner.receipts().days():
                left.append(Left(owner, waiting, drafts))
    return Elsewhere(people, people.place, left, min(filter(None, addresses), default=None))


def _is_at(people: People, address: str | None) -> bool:
    """Whether an address that an entry records is that of its people."""
    return address is not None and people.id.endswith(f"-{address_digest(address)[:16]}")


def waiting_elsewhere(profile: Profile, people: People, *owners: str) -> str:
    """Return a raw line for whoever typed what waits in other places; "" for nothing. It blocks."""
    found = [each for each in elsewhere(profile, people, owners) if each.waiting]
    if not found:
        return ""
    waiting = " and ".join(each.waiting for each in found)
    if LOCAL in owners:
        addresses = ", ".join(each.address or "one that was not recorded" for each in found)
        where = f"for another address of this profile, {addresses}"
        return f"{waiting} {_waits(found)} {where}; {_move(profile)} takes {_them(found)}"
    who = f"whoever runs the server can move {_them(found)} here"
    return f"{waiting} of yours {_waits(found)} in another place; {who}"


def _move(profile: Profile) -> str:
    """Return the command that moves; a bare address is no profile's."""
    named = "" if profile.name == BARE_ADDRESS else f" --profile {quote(profile.name)}"
    return f"{MOVE}{named}"


def _waits(found: Sequence[Elsewhere]) -> str:
    return "waits" if sum(each.number for each in found) == 1 else "wait"


def _them(found: Sequence[Elsewhere]) -> str:
    return "it" if sum(each.number for each in found) == 1 else "them"


def said_elsewhere(profile: Profile, state: str | None, *, is_away: bool = False) -> list[str]:
    """Return a raw line on each other place where something waits of users over SSH.

    Args:
        profile: whose store is known.
        state: the database of their outboxes; None for the state directory.
        is_away: whether the database is. Then nothing is said of it.
    """
    from pettui.composition.state_database import opened_people

    found: list[Elsewhere] = []
    with suppress(ConfigurationError, OutboxError):
        if state is not None:
            found = [_found(each, None) for each in _on_disk(profile)]
        if not is_away:  # there may be no tables yet
            with opened_people(state, profile, observes=True) as [people]:
                found = elsewhere(profile, people)
    return users_elsewhere(profile, found)


def users_elsewhere(profile: Profile, found: Sequence[Elsewhere]) -> list[str]:
    """Return a raw line on each place where something waits of users over SSH."""
    return [
        f"{each.waiting} of {counted(each.users, 'user')} {_waits([each])} in {each.where};"
        f" {_move(profile)} --users takes {_them([each])}"
        for each in found
        if each.waiting
    ]
