"""Owners: what belongs to each owner on a profile, whatever keeps it.

An owner is who types: the user of this machine, or one who logs in over SSH. That is the account
that the line of their key names, or else the key, and never its comment, which two keys may have.
To an owner belong entries and drafts, which an ``EntryStore`` keeps, and records beside them: who
logged in last, and how many animals were added since then by others than the owner's sessions.

Every call may block, and belongs in a thread where others wait for the loop. What cannot be read or
kept is an OutboxError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pettui.outbox.entries import Entry, EntryState, EntryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pettui.outbox.receipts import Receipts

LOCAL: Final = "local"  # the owner on this machine
_SSH: Final = "ssh "  # before the fingerprint …
_ACCOUNT: Final = "ssh account "  # … or the account: no fingerprint begins like this
ON_THE_WAY: Final = (EntryState.WAITING, EntryState.SENDING)


def ssh_owner(fingerprint: str | None, account: str | None = None) -> str:
    """Return the owner who logs in with a key, or to an account; None where anybody may."""
    return f"{_ACCOUNT}{account}" if account else f"{_SSH}{fingerprint or 'anybody'}"


def shown_owner(owner: str) -> tuple[str, str]:
    """Return how an owner of whom nothing was recorded is called, and the fingerprint, or ""."""
    name = owner.removeprefix(_ACCOUNT).removeprefix(_SSH)
    return name, name if name.startswith("SHA256:") else ""


class Summary(NamedTuple):
    """What an owner has on a profile."""

    profile: str  # its name; "" if it is not known
    place: str  # where somebody can look at it
    name: str  # at the last login; raw text from outside
    fingerprint: str  # "" if it is not known
    has_own_key: bool  # something waits for an API key that only the user knows
    entries: Mapping[str, int]  # by state
    drafts: int  # that are typed
    damaged: int  # that could not be read, and were set aside

    @property
    def not_added(self) -> Mapping[str, int]:
        """How many are in each state, without those that were added."""
        states = (state.value for state in EntryState if state is not EntryState.ADDED)
        return {state: self.entries[state] for state in states if state in self.entries}


class Census(NamedTuple):
    """What the owners of a profile have that is not added, in numbers."""

    waiting: int  # or being sent
    refused: int
    unknown: int
    oldest: float | None  # when what waits for longest was typed, but for keys of users' own


class Owner(Protocol):
    """What belongs to one owner on one profile."""

    @property
    def id(self) -> str:
        """What tells this owner from all others of the profile."""

    @property
    def who(self) -> str | None:
        """What ``Owners.of`` takes for this owner; None where an earlier version did not say."""

    def open(self) -> EntryStore:
        """Return the entries and drafts, for one outbox that opens and closes them."""

    def receipts(self) -> Receipts:
        """Return what was added, by day."""

    def user(self) -> tuple[str, str]:
        """Return the name at the last login, and the fingerprint, "" if it is not known.

        Where nothing was recorded, the owner says who it is; this never fails.
        """

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries in order; none is taken over, and those that are damaged are left out.

        What an outbox was sending that has ended is in the state in which the next one finds it.
        """

    def summary(self) -> Summary:
        """Return what there is, and what was recorded; nothing is taken over."""

    def log_in(self, name: str, fingerprint: str | None) -> int:
        """Note who logs in; return how many animals were added since the last login."""

    def record_added(self, count: int) -> None:
        """Add to what the next login returns. It is only told, so a failure is none."""


class Owners(Protocol):
    """What belongs to the owners of one profile."""

    @property
    def id(self) -> str:
        """What tells the owners of this profile from those of others, as a server's status says."""

    def of(self, owner: str) -> Owner:
        """Return what belongs to LOCAL or an ``ssh_owner``, whether there is anything or not."""

    @property
    def place(self) -> str:
        """The directory, or the database, where their outboxes are."""

    def neighbours(self, whose: Collection[str] | None = None) -> Sequence[Owners]:
        """Return the owners of all other profiles and addresses in this place.

        Args:
            whose: of whom there is something; None for anybody over SSH.
        """

    def all(self, named: Collection[str] | None = None) -> Sequence[Owner]:
        """Return all that belongs to users over SSH, or to those that are named, in order."""

    def census(self) -> Census:
        """Count what users over SSH have; nothing is taken over."""

    def unattended(self) -> Sequence[Owner]:
        """Return those over SSH of which something waits, and no running outbox takes care.

        What is for an API key of the owner's own does not count: nobody else has that.

        Those that cannot be read too: ``summary`` says why. Made to be called again and again.
        """

    def turn(self) -> AbstractContextManager[Callable[[], bool]]:
        """Yield what says whether it is this process's turn to send what users left.

        Of all processes one gets True, and keeps it until the block, or the process, ends.
        """
