"""PostgresPeople: what belongs to people over SSH, in PostgreSQL, for all servers of one shop.

An entry is a row. ``process``, ``epoch`` and ``session`` in it say whose it is, and each change of
its state is one statement, conditional on them. What is of no living process, or of a session that
this process has closed, is abandoned: whoever opens the owner's outbox next takes it over, and what
was being sent is unknown then, unless a store adds it once. It may still arrive: a process that
stood still goes on, and looks at its lease, but not again between that look and the request.

A statement whose result was lost is undone before the next one, so that what was said not to be
kept does not appear later. Where another server has taken it over by then, that is said.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.outbox.entries import (
    MAYBE_STORED,
    TAKEN_OVER,
    Contents,
    Draft,
    Entry,
    EntryState,
    OutboxError,
    Refusal,
    cut_off_state,
    originals,
    replaced,
    states_at_takeover,
    typed_at,
)
from pettui.outbox.people import ON_THE_WAY, Census, Summary, shown_owner
from pettui.outbox.receipts import MemoryReceipts
from pettui.outbox.stores import postgres_statements as statements
from pettui.outbox.stores.contents import (
    DamagedContentError,
    draft_text,
    entry_text,
    parsed_draft,
    parsed_entry,
)
from pettui.outbox.stores.leased_database import AwayError
from pettui.system.addresses import address_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pettui.outbox.stores.leased_database import LeasedDatabase, Rows

TURN_ASKED_EVERY: Final = 5.0  # seconds between two tries to get the turn of another process
LOOKED_EVERY: Final = 1.5  # seconds between two looks at what changed, for all outboxes at once
_EMPTY: Final = Draft()
_NOT_KEPT: Final = {  # why an entry is in a state, where its row does not say
    EntryState.UNKNOWN: Refusal(
        "the server that was sending this stood still or was cut off; it may still arrive"
    ),
    EntryState.REFUSED: Refusal("the reason was not kept"),
}


class PostgresPeople:
    """The people of one profile, in one database; see People.

    A profile that gets another address gets other outboxes.
    """

    def __init__(
        self,
        database: LeasedDatabase,
        profile: str = "",
        address: str = "",
        *,
        people_id: str | None = None,
    ) -> None:
        """Know nothing yet.

        Args:
            database: is started and closed by the caller.
            profile: the profile's name. Any text.
            address: where its animals are.
            people_id: in place of both, the id of these people.
        """
        self.id = id_of_people(profile, address) if people_id is None else people_id
        self.database = database
        self._profile = profile
        self._looking = threading.Lock()
        self._looked_at = -LOOKED_EVERY
        self._versions: dict[int, int] = {}  # of the owners whose outboxes are open here
        self.sessions: dict[int, int] = {}  # those that are open here: the owner of each
        self.ended: dict[int, PostgresEntryStore] = {}  # sessions whose work is not left yet
        self._leaving = threading.Lock()

    def of(self, owner: str) -> PostgresOwner:
        """Return what belongs to an owner, of any text."""
        return PostgresOwner(self, owner)

    def owners(self) -> list[PostgresOwner]:
        """Return all that belongs to people over SSH, in order."""
        return self._owners("true")

    def census(self) -> Census:
        """Count what people over SSH have."""
        [row] = self.database.execute(statements.CENSUS, people=self.id)
        waiting, refused, unknown, oldest = row
        return Census(waiting, refused, unknown, typed_at(oldest) if oldest else None)

    def unattended(self) -> list[PostgresOwner]:
        """Return those of which something waits, and no running outbox takes care."""
        self.leave_ended()
        return self._owners(f"EXISTS ({statements.LEFT})", open=list(self.sessions))

    def _owners(self, condition: str, **values: Any) -> list[PostgresOwner]:
        found = self.database.execute(
            f"SELECT id, owner FROM pettui_owners AS o WHERE people = %(people)s AND {condition}"
            " ORDER BY owner",
            people=self.id,
            **values,
        )
        return [PostgresOwner(self, _typed(owner), number) for number, owner in found]

    @contextmanager
    def turn(self) -> Iterator[Callable[[], bool]]:
        """Yield what asks for the turn, and says whether this process has it, for now.

        Nobody takes it from a process that is alive, in the epoch in which it got it.
        """
        had: tuple[int, int] | None = None
        asked_at = -math.inf

        def is_ours() -> bool:
            nonlocal had, asked_at
            self.leave_ended()
            mine = self.database.process, self.database.epoch
            if had == mine and self.database.lease_left > 0:
                return True
            if had is None and time.monotonic() - asked_at < TURN_ASKED_EVERY:
                return False
            asked_at = time.monotonic()
            is_got = bool(self.database.execute(statements.TURN, people=self.id))
            had = mine if is_got else None
            return is_got

        yield is_ours

    def leave_ended(self) -> None:
        """Leave to every server what sessions had that have ended; what fails is tried again."""
        with self._leaving:
            for session, store in tuple(self.ended.items()):
                with suppress(OutboxError):
                    store.leave()
                    self.ended.pop(session, None)

    def owner_number(self, owner: str) -> int:
        """Return the number of an owner, whom the database knows from now on."""
        values = {"people": self.id, "owner": _kept(owner)}
        found = self.database.execute(statements.OWNER, **values, profile=_kept(self._profile))
        if not found:
            found = self.database.execute(
                "SELECT id FROM pettui_owners WHERE people = %(people)s AND owner = %(owner)s",
                **values,
            )
        return int(found[0][0])

    def version(self, owner: int) -> int:
        """Return a number that is another one after each change of what belongs to an owner.

        One look is for all whose outboxes are open here, and a moment old.
        """
        with self._looking:
            if time.monotonic() - self._looked_at >= LOOKED_EVERY or owner not in self._versions:
                owners = list({owner, *self.sessions.values()})
                self._versions = dict(
                    self.database.execute(
                        "SELECT id, version FROM pettui_owners WHERE id = ANY(%(owners)s)",
                        owners=owners,
                    )
                )
                self._looked_at = time.monotonic()
            return self._versions.get(owner, 0)


def postgres_people(database: LeasedDatabase) -> list[PostgresPeople]:
    """Return the people of all profiles."""
    found = database.execute("SELECT DISTINCT people FROM pettui_owners ORDER BY people")
    return [PostgresPeople(database, people_id=each) for (each,) in found]


class PostgresOwner:
    """What belongs to one person on one profile; see Owner."""

    def __init__(self, people: PostgresPeople, owner: str, number: int | None = None) -> None:
        self.id = owner
        self.people = people
        self._database = people.database
        self._known_number = number
        self._session = secrets.randbits(62)

    @property
    def who(self) -> str:
        """What ``People.of`` takes for this owner."""
        return self.id

    @property
    def number(self) -> int:
        """Its row's id."""
        if self._known_number is None:
            self._known_number = self.people.owner_number(self.id)
        return self._known_number

    def open(self) -> PostgresEntryStore:
        """Return the entries and drafts; nothing is read yet."""
        return PostgresEntryStore(self, self._session)

    def receipts(self) -> MemoryReceipts:
        """Return what one session added: this database keeps no receipts."""
        return MemoryReceipts()

    def user(self) -> tuple[str, str]:
        """Return the name and the fingerprint that were recorded, or else those of the owner."""
        try:
            found = self._row("name, fingerprint")
        except OutboxError:
            found = []
        name, fingerprint = map(_typed, found[0]) if found else ("", "")
        if not name:
            name = shown_owner(self.id)
            fingerprint = name if name.startswith("SHA256:") else ""
        return name, fingerprint

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries in order, without taking any over."""
        entries = []
        for row in self._database.execute(
            statements.ENTRIES, owner=self.number, open=self._open_here()
        ):
            entry = _entry_of(row, {})
            if entry is not None:
                entries.append(entry)
        hidden = replaced(entries)
        return tuple(entry for entry in entries if entry.entry_id not in hidden)

    def summary(self) -> Summary:
        """Return what there is, and what was recorded."""
        rows = self._database.execute(statements.ENTRIES, owner=self.number, open=self._open_here())
        read = [_entry_of(row, {}, as_kept=True) for row in rows]
        entries = [entry for entry in read if entry is not None]
        hidden = replaced(entries)
        counts: dict[str, int] = {}
        for entry in sorted(entries, key=lambda entry: entry.state.value):
            if entry.entry_id not in hidden:
                counts[entry.state.value] = counts.get(entry.state.value, 0) + 1
        drafts = self._database.execute(
            "SELECT content FROM pettui_drafts WHERE owner = %(owner)s", owner=self.number
        )
        [[profile, is_for_own_key]] = self._row("profile, own_key_process IS NOT NULL")
        on_the_way = (entry for entry in entries if entry.state in ON_THE_WAY)
        has_own_key = is_for_own_key or any(each.own_key is not None for each in on_the_way)
        place = f"the database {self._database.name}"
        damaged = len(read) - len(entries)
        typed = sum(_is_typed(content) for (content,) in drafts)
        return Summary(_typed(profile), place, *self.user(), has_own_key, counts, typed, damaged)

    def log_in(self, name: str, fingerprint: str | None) -> int:
        """Note who logs in; return how many animals were added since the last login."""
        [[added]] = self._database.execute(
            statements.LOG_IN,
            owner=self.number,
            name=_kept(name),
            fingerprint=_kept(fingerprint or ""),
        )
        return int(added)

    def record_added(self, count: int) -> None:
        """Add to what the next login returns; that it cannot is none of anybody's business."""
        with suppress(AwayError):
            self._database.execute(
                "UPDATE pettui_owners SET added = added + %(count)s WHERE id = %(owner)s",
                owner=self.number,
                count=count,
            )

    def _row(self, columns: str) -> Rows:
        return self._database.execute(
            f"SELECT {columns} FROM pettui_owners WHERE id = %(owner)s",
            owner=self.number,
        )

    def _open_here(self) -> list[int]:
        return list(self.people.sessions)


class PostgresEntryStore:
    """The entries and drafts of one owner, for one session of this process; see EntryStore."""

    is_persistent: Final = True
    is_near: Final = False

    def __init__(self, owner: PostgresOwner, session: int) -> None:
        self._owner = owner
        self._people = owner.people
        self._database = owner.people.database
        self._session = session
        self._entries: dict[str, Entry] = {}  # by id, as they were last read or written
        self._drafts: dict[int, Draft] = {}  # own ones, by number
        self._damaged: dict[int, str] = {}  # of those that were taken over, why, by number
        self._next_taken = TAKEN_OVER  # the number of the first that is taken over next
        self._unknown_taken = TAKEN_OVER  # from which on some may have been, without a result
        self.has_abandoned_drafts = False
        self._seen: tuple[int, int, int] | None = None  # version, process and epoch of that read
        self._contents = Contents(())
        self._is_owner_read = False
        self._undo: list[_Undo] = []  # what may have been done, though it was said to have failed

    @property
    def seconds_owned(self) -> float:
        """Seconds for which nobody else takes over what is being sent here."""
        return self._database.lease_left

    # Changes

    def add(self, entry: Entry, *, draft: int | None = None) -> None:
        """Keep a new entry for good; what was a draft becomes it in one statement."""
        self._settle(f"keep {entry.label}")
        self._add([entry], -1 if draft is None else draft)
        if draft is not None:
            self._drafts.pop(draft, None)

    def prepare(self, entries: Sequence[Entry]) -> None:
        """Do nothing: they are written together."""

    def add_prepared(self, entries: Sequence[Entry]) -> None:
        """Keep these entries, in one statement."""
        self._settle(f"keep {len(entries)} animals")
        self._add(entries, -1)

    def drop_prepared(self) -> None:
        """Do nothing: there is nothing."""

    def _add(self, entries: Sequence[Entry], draft: int) -> None:
        undo = _Undo(statements.UNDO_ADD, entries, draft, self._drafts.get(draft, _EMPTY))
        added = self._done_alive(
            undo,
            statements.ADD,
            ids=[entry.entry_id for entry in entries],
            states=[entry.state.value for entry in entries],
            contents=[entry_text(entry) for entry in entries],
            draft=draft,
        )
        if not added:
            raise OutboxError(f"cannot keep {entries[0].label}: this server was taken for dead")
        self._entries |= {entry.entry_id: entry for entry in entries}

    def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``."""
        self._settle(f"keep that an animal is {new.state.value}")
        values = {
            "entry_id": old.entry_id,
            "states": [old.state.value, new.state.value],
            "state": new.state.value,
            "content": entry_text(new),
        }
        undo = _Undo(statements.UNDO_CHANGE, [old], state=new.state.value)
        is_done = self._done(undo, statements.CHANGE, **values)
        states = states_at_takeover(old, new.state)
        if not is_done and states:
            # Another server took it over meanwhile, and does not know what became of it.
            was = [state.value for state in states]
            is_done = self._done(None, statements.CORRECT, **{**values, "states": was})
        if not is_done:
            return False
        self._entries[new.entry_id] = new
        if new.state in MAYBE_STORED:
            with suppress(AwayError):  # they stay hidden, and are removed at the next read
                self._remove_originals(new)
        return True

    def take_back(self, entry: Entry, number: int) -> bool:
        """Make an entry the draft of a number, in one statement."""
        self._settle(f"take {entry.label} back")
        draft = entry.draft()
        undo = _Undo(statements.UNDO_TAKE_BACK, [entry], number, self._drafts.get(number, _EMPTY))
        is_done = self._done(
            undo,
            statements.TAKE_BACK,
            entry_id=entry.entry_id,
            state=entry.state.value,
            number=number,
            content=draft_text(draft),
        )
        if is_done:
            self._drafts[number] = draft
            self._entries.pop(entry.entry_id, None)
        return bool(is_done)

    def remove(self, entry: Entry) -> bool:
        """Forget an entry."""
        self._settle(f"forget {entry.label}")
        return self._remove(entry)

    def _remove(self, entry: Entry) -> bool:
        is_done = self._done(
            None, statements.REMOVE, entry_id=entry.entry_id, state=entry.state.value
        )
        if is_done:
            self._entries.pop(entry.entry_id, None)
        return bool(is_done)

    def _remove_originals(self, entry: Entry) -> None:
        for original in originals(entry, self._entries):
            self._remove(original)

    def _done_alive(self, undo: _Undo | None, statement: str, **values: Any) -> int:
        """Return as ``_done``; a process that was taken for dead tries once more, as another."""
        if count := self._done(undo, statement, **values):
            return count
        self._database.renew()
        return self._done(undo, statement, **values)

    def _done(self, undo: _Undo | None, statement: str, **values: Any) -> int:
        """Return of how many rows a change was one; what may have been done will be undone."""
        self._seen = None
        values |= {"owner": self._owner.number, "session": self._session}
        try:
            [[count]] = self._database.execute(statement, **values)
        except AwayError as error:
            if undo is not None and not error.is_sure:
                self._undo.append(undo)
            raise
        return int(count)

    def _settle(self, doing: str) -> None:
        """Undo what was said to have failed, and was done all the same.

        Raises:
            OutboxError: it cannot be undone now, or no more: another server has it.
        """
        self._open()
        self._undo_all(doing)

    def _undo_all(self, doing: str) -> None:
        while self._undo:
            undo = self._undo[-1]
            is_alive, is_elsewhere = self._undone(undo)
            if not is_alive:
                self._database.renew()
                is_alive, is_elsewhere = self._undone(undo)
            if not is_alive:
                raise OutboxError(f"cannot {doing}: this server was taken for dead")
            self._undo.pop()
            if is_elsewhere:
                self._seen = None
                label = undo.entries[0].label
                raise OutboxError(f"cannot {doing}: {label} was kept after all; see the outbox")

    def _undone(self, undo: _Undo) -> tuple[bool, bool]:
        """Undo it, and return whether this process is alive, and whether another server has it."""
        values = {"owner": self._owner.number, "session": self._session, **undo.values()}
        [[is_alive, is_elsewhere]] = self._database.execute(undo.statement, **values)
        return is_alive, is_elsewhere

    def _open(self) -> None:
        """Count this session among those of the process."""
        if self._session not in self._people.sessions:
            self._people.sessions[self._session] = self._owner.number
            self._people.ended.pop(self._session, None)

    # Drafts

    @property
    def drafts(self) -> Mapping[int, Draft]:
        """The drafts as they are kept, by number."""
        return MappingProxyType(self._drafts.copy())

    def keep_draft(self, number: int, draft: Draft) -> None:
        """Keep a draft for good; an empty one is forgotten."""
        if draft == _EMPTY and number not in self._drafts and not self._undo:
            return
        self._settle("keep the draft")
        if draft == _EMPTY:
            self._done(None, statements.DROP_DRAFT, number=number)
            self._drafts.pop(number, None)
        elif self._done_alive(
            None, statements.KEEP_DRAFT, number=number, content=draft_text(draft)
        ):
            self._drafts[number] = draft
        else:
            raise OutboxError("cannot keep the draft: this server was taken for dead")

    def take_over_drafts(self) -> None:
        """Make the drafts of ended sessions drafts of this one."""
        self._settle("read the drafts")
        numbers = {
            "owner": self._owner.number,
            "session": self._session,
            "first": self._next_taken,
            "unknown": self._unknown_taken,
        }
        self._next_taken += TAKEN_OVER
        _, taken, _ = self._database.script(self._with_open(statements.TAKE_DRAFTS), **numbers)
        self._unknown_taken = self._next_taken
        self.has_abandoned_drafts = False
        self._seen = None  # of what is damaged the next read tells
        for number, content, written_at in taken:
            try:
                self._drafts[number] = parsed_draft(content, written_at)
            except DamagedContentError as error:
                self._damaged[number] = f"draft {number}: {error}"

    # Reading, and taking over

    def load(self) -> Contents:
        """Return what is there, after taking over what is abandoned."""
        self._settle("read the outbox")
        owner = self._owner.number
        mine = self._database.process, self._database.epoch
        seen = (self._people.version(owner), *mine)
        if seen == self._seen:
            return self._contents
        if self._seen is None or self._seen[1:] != mine:
            self._keep_own(owner)
        rows = self._rows()
        if self._is_marked_by_earlier_version() or any(row[-1] for row in rows):
            numbers = {"owner": owner, "session": self._session}
            self._database.script(self._with_open(statements.TAKE_OVER), **numbers)
            rows = self._rows()
        [[self.has_abandoned_drafts]] = self._database.execute(
            statements.DRAFTS_LEFT,
            owner=owner,
            session=self._session,
            unknown=self._unknown_taken,
            open=self._open_here(),
        )
        problems: dict[str, str] = {}
        read = (_entry_of(row, problems, self._session) for row in rows)
        self._entries = {entry.entry_id: entry for entry in read if entry is not None}
        hidden = replaced(self._entries.values())
        for entry in hidden.values():
            if entry.state in MAYBE_STORED:  # a server was killed between the two
                self._remove_originals(entry)
        shown = (entry for entry_id, entry in self._entries.items() if entry_id not in hidden)
        lines = (*problems.values(), *self._damaged.values())
        self._contents = Contents(tuple(shown), lines)
        self._seen = seen
        return self._contents

    def _keep_own(self, owner: int) -> None:
        """Own the drafts of this session still, after this process began anew."""
        self._database.execute(statements.KEEP_OWN, owner=owner, session=self._session)

    def _is_marked_by_earlier_version(self) -> bool:
        """Whether the first look finds that what it left is for a key that only the user knows."""
        if self._is_owner_read:
            return False
        [[is_marked]] = self._database.execute(
            "SELECT own_key_process IS NOT NULL FROM pettui_owners WHERE id = %(owner)s",
            owner=self._owner.number,
        )
        self._is_owner_read = True
        return bool(is_marked)

    def _rows(self) -> Rows:
        return self._database.execute(
            statements.ENTRIES, owner=self._owner.number, open=self._open_here()
        )

    def _open_here(self) -> list[int]:
        return list(self._people.sessions)

    def _with_open(self, script: str) -> str:
        return script.replace("{open}", ", ".join(map(str, self._people.sessions)))

    def close(self) -> None:
        """Leave everything to the next session, of whatever server: now, or once that can be.

        Until then it is of no session that is open, and this process alone takes it over.
        """
        if self._people.sessions.pop(self._session, None) is not None:
            self._people.ended[self._session] = self
            self._people.leave_ended()

    def leave(self) -> None:
        """Leave everything now; raises OutboxError."""
        self._undo_all("close")
        numbers = {"owner": self._owner.number, "session": self._session}
        self._database.script(statements.FREE_ALL, **numbers)


@dataclass(frozen=True, slots=True)
class _Undo:
    """What undoes a change of which the result was lost."""

    statement: str
    entries: Sequence[Entry]
    number: int = -1
    draft: Draft = field(default=_EMPTY)
    state: str = ""

    def values(self) -> dict[str, Any]:
        """Return what its statement needs."""
        entry = self.entries[0]
        return {
            "ids": [entry.entry_id for entry in self.entries],
            "entry_id": entry.entry_id,
            "was": entry.state.value,
            "state": self.state,
            "content": entry_text(entry),
            "number": self.number,
            "draft": draft_text(self.draft),
            "has_draft": self.draft != _EMPTY,
        }


def _entry_of(
    row: Sequence[Any],
    problems: dict[str, str],
    session: int | None = None,
    *,
    as_kept: bool = False,
) -> Entry | None:
    """Return the entry of a row; None, and a problem, if it cannot be read."""
    entry_id, state_text, content, its_session, is_mine, is_abandoned = row
    try:
        entry = parsed_entry(content, entry_id)
    except DamagedContentError as error:
        problems[entry_id] = f"entry {entry_id}: {error}"
        return None
    state = EntryState(state_text)
    if is_abandoned and state is EntryState.SENDING and not as_kept:
        state = cut_off_state(entry)
    is_own = is_abandoned or (is_mine and its_session == session)
    refusal = entry.refusal or _NOT_KEPT.get(state)
    return replace(entry, state=state, refusal=refusal, owned_elsewhere=not is_own)


def _is_typed(draft: bytes) -> bool:
    """Whether a draft is more than an add left in the form; one that cannot be read may be."""
    try:
        return parsed_draft(draft, 0.0).is_typed
    except DamagedContentError:
        return True


def id_of_people(profile: str, address: str) -> str:
    """Return what tells the people of a profile from those of others, in ASCII."""
    name = profile.encode("ascii", "backslashreplace").decode()
    return f"{name}-{address_digest(address)[:16]}"


def _kept(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _typed(kept: bytes) -> str:
    return bytes(kept).decode("utf-8", "surrogatepass")
