"""An entry, its states and its id; the draft; what a store of them promises."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pettui.system.files import reason_of
from pettui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pettui.models.pets import Pet
    from pettui.settings.settings import ApiKey


class EntryState(Enum):
    """How far an entry got; the values are in the names of files."""

    WAITING = "waiting"  # will be sent: not due yet, or the service cannot be reached
    SENDING = "sending"  # the request may be out; with a store, it is sent until it is answered
    ADDED = "added"  # the service gave it an id
    REFUSED = "refused"  # the service surely did not add it
    UNKNOWN = "unknown"  # sent, and no response says whether it was added


LONGEST_PET: Final = 4_000  # bytes of an animal's JSON that an entry keeps
_LAST_SECOND: Final = 1e10  # of a clock, in the year 2286: an id has room for as long again


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the form, or was put aside there, as typed: text, not yet parsed."""

    name: str = ""
    category: str = ""
    status: str = ""  # "" is not set
    lines: str = ""  # of a paste, that were left out: then there is no name and no category
    is_kept: bool = field(default=False, compare=False)  # as an add left it
    is_copy: bool = field(default=False, compare=False)  # as it came from the entry; not on disk
    is_taken_back: bool = field(default=False, compare=False)  # as it was added, and not edited
    copy_of: str = field(default="", compare=False)  # id of the entry that it was made of
    typed_at: float = field(default=0.0, compare=False)  # its last change, in wall-clock seconds

    @classmethod
    def first(cls, status: str) -> Draft:
        """Return what the form of the first animal of a day holds: a profile's own status."""
        return cls(status=status, is_kept=bool(status))

    @property
    def is_empty(self) -> bool:
        """Whether the form holds nothing but perhaps the status that a day begins with."""
        return not (self.is_typed or self.category or self.is_copy)

    @property
    def is_typed(self) -> bool:
        """Whether somebody would miss it: it is not empty, what an add left, or a mere copy."""
        return self != Draft() and not self.is_kept and not self.is_copy


class Author(NamedTuple):
    """Who typed an entry over SSH, as the log says it; text from outside."""

    user: str | None = None  # the name of the login
    key: str | None = None  # the comment of the SSH key
    fingerprint: str | None = None  # of that key
    address: str | None = None
    session: int | None = None  # its number, on the server where it was typed
    account: str | None = None  # that the key's line in the file of keys names, if it does


class Refusal(NamedTuple):
    """Why an entry was not added, or may not be, or what is odd about an added one; raw text."""

    text: str
    code: str | None = None  # of the service's Error body, word for word …
    message: str | None = None
    status: int | None = None  # … and the HTTP status, with an Error body or without
    excerpt: str | None = None  # of a body that is not the interface's


@dataclass(frozen=True, slots=True)
class Entry:
    """One animal on its way to the service."""

    entry_id: str  # unique; sorts by time of entry, whatever the clock did
    name: str
    category_id: int
    status: str | None
    state: EntryState
    due: float  # wall-clock seconds when it may be sent
    pet_id: int | None = None  # of an added one
    refusal: Refusal | None = None
    sent_at: float | None = None  # wall-clock seconds, the last time; None where that is not known
    store_id: str | None = None  # of the store that adds it once, or has: from before it is sent on
    unanswered_by: str | None = None  # see ``is_earlier_try_lost``; "": a service without a promise
    own_key: str | None = field(default=None, repr=False)  # see ``own_keys``; None: the profile's
    author: Author | None = None  # None: typed at this machine, or kept by an earlier version
    service: str | None = None  # where its animals are, as it was typed; None: not recorded
    moving_to: str | None = None  # see ``moving``: it is not sent or shown, here and there …
    moved_to: str | None = None  # … and once it is kept there, here
    owned_elsewhere: bool = False  # by another running instance of the app
    pet: Pet | None = field(default=None, compare=False, repr=False)  # not on disk

    @property
    def error(self) -> str | None:
        """What is wrong, or odd, in one raw line."""
        return self.refusal.text if self.refusal is not None else None

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way to another place: nobody sends, shows or forgets it."""
        return self.moving_to is not None or self.moved_to is not None

    @property
    def waits_here(self) -> bool:
        """Whether it waits to be sent by this instance."""
        return self.state is EntryState.WAITING and not self.owned_elsewhere

    @property
    def is_sent_again(self) -> bool:
        """Whether no response came to an earlier try, and it is sent until one does."""
        return self.state is EntryState.SENDING and None not in (self.store_id, self.refusal)

    @property
    def is_earlier_try_lost(self) -> bool:
        """Whether it may be there by an earlier try, whatever the next one is told.

        Somebody had it sent again, though no response said what became of it. What the very store
        says of its key is true of the earlier try, too.
        """
        return self.unanswered_by is not None and self.unanswered_by != self.store_id

    @property
    def typed_at(self) -> float:
        """When it was typed, in wall-clock seconds; its id says so."""
        return typed_at(self.entry_id)

    @property
    def label(self) -> str:
        """The name for one line of a message: safe to draw, and not long."""
        return safe(self.name, 40) or "the animal"

    def becoming(
        self,
        state: EntryState,
        *,
        due: float | None = None,
        pet_id: int | None = None,
        refusal: Refusal | None = None,
        pet: Pet | None = None,
    ) -> Entry:
        """Return the same entry in another state, without the refusal of the state before.

        Its store stays while it may be there. Where it waits, an earlier version might send it
        without a key, and leave the store beside it.
        """
        may_be_out = state in (EntryState.SENDING, EntryState.UNKNOWN)
        return replace(
            self,
            state=state,
            store_id=self.store_id if may_be_out else None,
            unanswered_by=self._unanswered_by(state),
            own_key=None if state is EntryState.ADDED else self.own_key,
            due=self.due if due is None else due,
            pet_id=pet_id,
            refusal=refusal,
            owned_elsewhere=False,
            pet=pet or self.pet,
        )

    def _unanswered_by(self, state: EntryState) -> str | None:
        """Return the store whose response to a try is missing; the first one counts."""
        if state is EntryState.ADDED:
            return None
        if state is EntryState.UNKNOWN and self.unanswered_by is None:
            return self.store_id or ""
        return self.unanswered_by

    def unanswered(self, refusal: Refusal) -> Entry:
        """Return the same entry after a request to which no response came, with the reason."""
        return self.becoming(cut_off_state(self), refusal=refusal)

    def given_up(self) -> Entry:
        """Return the same entry once somebody said that it is not sent until it is answered."""
        why = self.refusal or Refusal("no response came yet")
        return self.becoming(EntryState.UNKNOWN, refusal=why._replace(text=f"given up: {why.text}"))

    def added_as(self, pet: Pet, *, odd: str | None = None, store_id: str | None = None) -> Entry:
        """Return the same entry once the service has the animal.

        Args:
            pet: as the service returned it; one with a very long body is not kept.
            odd: what is odd about the response.
            store_id: of the store that said of its key that it added it once. So it can be sent
                there again, should that store be restored to an earlier state.
        """
        short = pet if pet.size <= LONGEST_PET else None
        refusal = None if odd is None else Refusal(odd)
        added = self.becoming(EntryState.ADDED, pet_id=pet.id, refusal=refusal, pet=short)
        return replace(added, store_id=store_id)

    def draft(self) -> Draft:
        """Return the entry as it stands in the form when it is taken back."""
        values = (self.name, str(self.category_id), self.status or "")
        return Draft(*values, is_taken_back=True)

    def copy(self) -> Draft:
        """Return a copy for the form, which leaves the entry where it is."""
        return replace(self.draft(), is_copy=True, copy_of=self.entry_id)


def cut_off_state(entry: Entry) -> EntryState:
    """Return the state of an entry whose request may be out, and to which no response comes."""
    return EntryState.UNKNOWN if entry.store_id is None else EntryState.SENDING


class OutboxError(Exception):
    """Something could not be kept or done; the text is one line, not yet safe to draw."""


@contextmanager
def outbox_errors(what: str, directory: Path) -> Iterator[None]:
    """Raise each OSError of the block as an OutboxError: "cannot keep Rex: /state/…: …"."""
    try:
        yield
    except OSError as error:
        raise OutboxError(f"cannot {what}: {directory}: {reason_of(error)}") from error


class Contents(NamedTuple):
    """What a store holds."""

    entries: tuple[Entry, ...]  # in order of their ids
    problems: tuple[str, ...] = ()  # one raw line each on what could not be read or taken over


def next_entry_id(clock: float, newest: str) -> str:
    """Return an id that sorts after the newest, whatever the wall clock says."""
    now = int(min(max(clock, 0.0), _LAST_SECOND) * 1e9)
    nanoseconds = max(now, int(newest.partition("-")[0]) + 1 if newest else 0)
    return f"{nanoseconds:020d}-{secrets.token_hex(4)}"


def typed_at(entry_id: str) -> float:
    """Return when an entry was typed, in wall-clock seconds."""
    return int(entry_id.partition("-")[0]) / 1e9


TAKEN_OVER: Final = 1_000_000  # the first number of a draft that was taken over


class EntryStore(Protocol):
    """Keeps the entries and the drafts of one owner on one profile. Calls block.

    Each draft has a number. Which of them stands in the form is not kept.

    Every change names the entry as its caller knows it. If another instance changed it meanwhile,
    nothing is done and False is returned: of many that try, one succeeds. Failures of the disk are
    OutboxError.
    """

    @property
    def is_persistent(self) -> bool:
        """Whether entries and drafts survive the process."""

    @property
    def is_near(self) -> bool:
        """Whether it is read in moments, so that an event loop may wait for it once."""

    @property
    def why_not_kept(self) -> str | None:
        """Why nothing can be kept for now, in one line for who types; None if it can."""

    def claimed_for(self, entry: Entry) -> float:
        """Return the seconds for which surely no other instance sends an entry of this one.

        inf where none does while this one runs.
        """

    def load(self) -> Contents:
        """Return what is there now, after taking over from instances that have ended.

        What they were sending is UNKNOWN, unless a store adds it once: that stays SENDING. What
        running ones own is ``owned_elsewhere``.
        """

    @property
    def has_abandoned_drafts(self) -> bool:
        """Whether the last ``load`` saw drafts of instances that ended only since the start."""

    def take_over_drafts(self) -> None:
        """Make the drafts that ended instances left behind ``drafts`` of this one.

        Each gets a number from TAKEN_OVER on that none had before, since what stands in the form
        has one of those below it, of which the store may not know yet.
        """

    @property
    def drafts(self) -> Mapping[int, Draft]:
        """The drafts as they are kept, by number."""

    def add(self, entry: Entry, *, draft: int = 0) -> Entry:
        """Keep a new entry for good, and return it; the draft becomes it in one step.

        Where another instance had the same draft, and made it an entry, that one is returned.
        """

    def add_all(self, entries: Sequence[Entry]) -> Iterator[None]:
        """Keep new entries for good, all of them or none, in steps that are short each."""

    def change(self, old: Entry, new: Entry, *, draft: int | None = None) -> bool:
        """Keep ``new`` in place of ``old`` for good; one that is SENDING then is claimed.

        If ``new`` was a draft, which corrects ``old``, it becomes it in one step.
        """

    def take_back(self, entry: Entry, number: int) -> bool:
        """Make an entry the draft of a number, in one step, in place of what that held."""

    def remove(self, entry: Entry) -> bool:
        """Forget an entry."""

    def keep_draft(self, number: int, draft: Draft) -> None:
        """Keep a draft for good, in place of what its number held; an empty one is forgotten."""

    def close(self) -> None:
        """Leave everything for the next instance."""


# API keys of a user's own: which entries are for which of them.
#
# An entry that was typed with a key of the user's own records its digest, and only that key sends
# it, whoever has it then. The digest is slow (scrypt), and salted by an id: it tells nobody the
# key, and holds on every host, since no secret of one is in it. Of many that are added together one
# salt is that of all.

# For the next key of the user's own: the one before was refused, or an earlier version kept none.
UNKNOWN_KEY: Final = ""
_COST: Final = 2**14  # some 40 ms and 16 MB
_DIGITS: Final = 16  # bytes of a digest


def own_key_of(api_key: ApiKey, entry_id: str) -> str:
    """Return what an entry records of a key: the salt, and the digest. It takes a while."""
    digest = hashlib.scrypt(
        api_key.reveal().encode(), salt=entry_id.encode(), n=_COST, r=8, p=1, dklen=_DIGITS
    )
    return f"{entry_id}:{digest.hex()}"


def is_for(own_key: str, api_key: ApiKey) -> bool:
    """Whether what an entry records is of this key. It takes a while."""
    salt, colon, _ = own_key.partition(":")
    return bool(colon) and hmac.compare_digest(own_key_of(api_key, salt), own_key)
