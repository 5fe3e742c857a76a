"""PostgresOwners: what belongs to users over SSH, in PostgreSQL, for all servers of one shop.

An entry is a row. What a session has typed is its own while it runs, as far as others know; who
sends it claims it, until a moment by the database's clock. Past that moment one that a store adds
once is ``sending`` still, and claimed by whoever sends it next; another one is unknown, and may
still arrive: a process that stood still goes on, and looks at its claim, but not again between that
look and the request.

A form has an id, from the first time that it is kept: of one id there is a draft or an entry, never
both. So a script without a result is repeated. What was said not to be kept, and was, becomes the
draft again once that is kept; and a draft that two sessions have makes one animal.
"""

from __future__ import annotations

import secrets
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.outbox.entries import (
    TAKEN_OVER,
    Contents,
    Draft,
    Entry,
    EntryState,
    OutboxError,
    Refusal,
    cut_off_state,
    typed_at,
)
from pettui.outbox.owners import ON_THE_WAY, Census, Summary, shown_owner
from pettui.outbox.receipts import DAYS_KEPT, Receipts
from pettui.outbox.stores import postgres_statements as statements
from pettui.outbox.stores.contents import (
    DamagedContentError,
    draft_text,
    entry_text,
    parsed_draft,
    parsed_entry,
)
from pettui.outbox.stores.postgres_connections import STATEMENT, AwayError, boot_time
from pettui.system.addresses import address_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pettui.outbox.stores.postgres_connections import Rows, StateDatabase

_EMPTY: Final = Draft()
_IN_DOUBT: Final = Draft("\0", "\0", "\0", "\0")  # nobody's, so that whatever is wanted is written
_NOBODY: Final = 0  # a session that nobody has
_NOT_KEPT: Final = {  # why an entry is in a state, where its row does not say
    EntryState.UNKNOWN: Refusal(
        "the server that was sending this stood still or was cut off; it may still arrive"
    ),
    EntryState.REFUSED: Refusal("the reason was not kept"),
}


class PostgresOwners:
    """The owners of one profile, in one database; see Owners.

    A profile that gets another address gets other outboxes.
    """

    def __init__(
        self,
        database: StateDatabase,
        profile: str = "",
        address: str = "",
        *,
        owners_id: str | None = None,
    ) -> None:
        """Know nothing yet.

        Args:
            database: is started and closed by the caller.
            profile: the profile's name. Any text.
            address: where its animals are.
            owners_id: in place of both, the id of these owners.
        """
        self.id = id_of_owners(profile, address) if owners_id is None else owners_id
        self.database = database
        self.profile = profile
        self.unsettled: list[PostgresEntryStore] = []  # closed ones, of which a paste is in doubt

    def of(self, owner: str) -> PostgresOwner:
        """Return what belongs to an owner, of any text."""
        return PostgresOwner(self, owner)

    @property
    def place(self) -> str:
        """The database."""
        return f"the database {self.database.name}"

    def neighbours(self, whose: Collection[str] | None = None) -> list[PostgresOwners]:  # noqa: ARG002
        """Return the owners of all other profiles and addresses."""
        return [each for each in postgres_owners(self.database) if each.id != self.id]

    def all(self, named: Collection[str] | None = None) -> list[PostgresOwner]:
        """Return all that belongs to users over SSH, or to those that are named, in order."""
        return [each for each in self._owners("true") if named is None or each.id in named]

    def census(self) -> Census:
        """Count what users over SSH have."""
        [row] = self.database.execute(statements.CENSUS, people=self.id)
        waiting, refused, unknown, oldest = row
        return Census(waiting, refused, unknown, typed_at(oldest) if oldest else None)

    def unattended(self) -> list[PostgresOwner]:
        """Return those of which something waits, and no running outbox takes care."""
        return self._owners(statements.UNATTENDED)

    def _owners(self, condition: str) -> list[PostgresOwner]:
        found = self.database.execute(
            f"SELECT id, owner FROM pettui_owners AS o WHERE people = %(people)s AND {condition}"
            " ORDER BY owner",
            people=self.id,
        )
        return [PostgresOwner(self, _as_text(owner), number) for number, owner in found]

    @contextmanager
    def turn(self) -> Iterator[Callable[[], bool]]:
        """Yield what asks for the turn, and says whether this process has it, for now.

        What it is to send is claimed, whoever has the turn.
        """
        values: dict[str, Any] = {"people": self.id, "holder": _new_id()}

        def is_ours() -> bool:
            self._settle()
            return bool(self.database.script(statements.TURN, is_change=True, **values)[-1])

        try:
            yield is_ours
        finally:
            with suppress(AwayError):  # it ends by itself
                self.database.script(statements.END_TURN, **values)

    def _settle(self) -> None:
        """Drop what sessions that have ended said not to be kept, once the database is back."""
        left, self.unsettled = self.unsettled, []
        for store in left:
            store.close()  # which appends it again where that fails


def postgres_owners(database: StateDatabase) -> list[PostgresOwners]:
    """Return the owners of all profiles."""
    found = database.execute("SELECT DISTINCT people FROM pettui_owners ORDER BY people")
    return [PostgresOwners(database, owners_id=each) for (each,) in found]


class PostgresOwner:
    """What belongs to one owner on one profile; see Owner."""

    def __init__(self, owners: PostgresOwners, owner: str, number: int | None = None) -> None:
        self.id = owner
        self.owners = owners
        self.database = owners.database
        self._known_number = number

    @property
    def who(self) -> str:
        """What ``Owners.of`` takes for this owner."""
        return self.id

    @property
    def number(self) -> int:
        """Its row's id; the database knows it from now on."""
        if self._known_number is None:
            values = {
                "people": self.owners.id,
                "owner": _as_bytes(self.id),
                "profile": _as_bytes(self.owners.profile),
            }
            known = "SELECT id FROM pettui_owners WHERE people = %(people)s AND owner = %(owner)s"
            found = (
                self.database.execute(known, **values)
                or self.database.script(statements.OWNER, is_change=True, **values)[-1]
            )
            self._known_number = int(found[0][0])
        return self._known_number

    def open(self) -> PostgresEntryStore:
        """Return the entries and drafts; nothing is read yet."""
        return PostgresEntryStore(self)

    def receipts(self) -> PostgresReceipts:
        """Return what was added, by day."""
        return PostgresReceipts(self)

    def user(self) -> tuple[str, str]:
        """Return the name and the fingerprint that were recorded, or else those of the owner."""
        try:
            found = self.read("SELECT name, fingerprint FROM pettui_owners WHERE id = %(owner)s")
        except OutboxError:
            found = []
        name, fingerprint = map(_as_text, found[0]) if found else ("", "")
        return (name, fingerprint) if name else shown_owner(self.id)

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries in order, without taking any over."""
        read = (_entry_of(row, {}) for row in self._rows())
        return tuple(entry for entry in read if entry is not None)

    def summary(self) -> Summary:
        """Return what there is, and what was recorded."""
        read = [_entry_of(row, {}, as_kept=True) for row in self._rows()]
        entries = [entry for entry in read if entry is not None]
        states = Counter(each.state.value for each in entries)
        drafts = self.read("SELECT content FROM pettui_drafts WHERE owner = %(owner)s")
        [[profile]] = self.read("SELECT profile FROM pettui_owners WHERE id = %(owner)s")
        name, fingerprint = self.user()
        return Summary(
            _as_text(profile),
            self.owners.place,
            name,
            fingerprint,
            any(each.own_key is not None and each.state in ON_THE_WAY for each in entries),
            dict(sorted(states.items())),
            sum(_is_typed(content) for (content,) in drafts),
            len(read) - len(entries),
        )

    def log_in(self, name: str, fingerprint: str | None) -> int:
        """Note who logs in; return how many animals were added since the last login."""
        values = {"name": _as_bytes(name), "fingerprint": _as_bytes(fingerprint or "")}
        [[added]] = self.change(statements.LOG_IN, **values)
        return int(added)

    def record_added(self, count: int) -> None:
        """Add to what the next login returns; that it cannot is none of anybody's business."""
        with suppress(AwayError):
            self.change(
                "UPDATE pettui_owners SET added = added + %(count)s WHERE id = %(owner)s",
                count=count,
            )

    def read(self, statement: str, **values: Any) -> Rows:
        """Return the rows of a statement; raises OutboxError."""
        return self.database.execute(statement, owner=self.number, **values)

    def change(self, script: str, **values: Any) -> Rows:
        """Run a script that changes something, and return its last rows; raises OutboxError."""
        return self.database.script(script, is_change=True, owner=self.number, **values)[-1]

    def _rows(self) -> Rows:
        return self.read(statements.ENTRIES, session=_NOBODY, forms=[])


class PostgresReceipts(Receipts):
    """What one owner added, in a row for each animal; see Receipts."""

    def __init__(self, owner: PostgresOwner) -> None:
        self._owner = owner

    def forget(self, day: date) -> None:
        """Remove what was added on a day."""
        self._owner.change(
            "DELETE FROM pettui_receipts WHERE owner = %(owner)s AND day = %(day)s::date",
            day=day.isoformat(),
        )

    def _append(self, lines: Mapping[date, Mapping[str, bytes]]) -> None:
        rows = [(key, day, line) for day, of_day in lines.items() for key, line in of_day.items()]
        self._owner.change(
            statements.RECORD,
            keys=[key for key, _, _ in rows],
            days=[day.isoformat() for _, day, _ in rows],
            contents=[line for _, _, line in rows],
            kept=DAYS_KEPT,
        )

    def _kept_days(self) -> Sequence[date]:
        found = self._owner.read(
            "SELECT DISTINCT day::text FROM pettui_receipts WHERE owner = %(owner)s ORDER BY 1"
        )
        return [date.fromisoformat(day) for (day,) in found]

    def _lines(
        self, first: date, last: date, having: bytes
    ) -> Iterable[tuple[date, Iterable[bytes]]]:
        found = self._owner.read(
            statements.RECORDS, first=first.isoformat(), last=last.isoformat(), having=having
        )
        return [(date.fromisoformat(day), lines) for day, lines in found]


class _Known(NamedTuple):
    """What a session knows of an entry's row."""

    entry: Entry
    versions: tuple[int, ...]  # as it was read or written, and of writes without a result
    form: int | None


class PostgresEntryStore:
    """The entries and drafts of one owner, for one session of this process; see EntryStore."""

    is_persistent: Final = True
    is_near: Final = False

    def __init__(self, owner: PostgresOwner) -> None:
        self._owner = owner
        self._database = owner.database
        self._session = _new_id()
        self._fence = 1  # raised once a result was lost
        self._has_begun = False
        self._known: dict[str, _Known] = {}  # by id; also what others hide
        self._forms: dict[int, int] = {}  # ids of forms, by the number of the draft
        self._drafts: dict[int, Draft] = {}  # as they are kept, by number
        self._next_taken = TAKEN_OVER  # the number of the first that is taken over next
        self._doubtful: list[int] = []  # versions of what was said not to be kept, and may be
        self.has_abandoned_drafts = False
        self._seen: int | None = None  # the owner's version of the last read
        self._contents = Contents(())

    @property
    def why_not_kept(self) -> str | None:
        """Why nothing can be kept now, for who types."""
        return self._database.why_not_kept

    def claimed_for(self, entry: Entry) -> float:
        """Return the seconds for which surely nobody else sends an entry."""
        return self._database.claimed_for(self._session, entry.entry_id)

    # Changes

    def add(self, entry: Entry, *, draft: int = 0) -> Entry:
        """Keep a new entry for good; the draft becomes it in one script."""
        try:
            kept = self._add([entry], [self._form(draft)]).get(entry.entry_id, entry)
        except AwayError as error:
            if not error.is_sure:
                self._drafts[draft] = _IN_DOUBT
            raise
        self._drafts.pop(draft, None)
        self._forms.pop(draft, None)
        return kept

    def add_all(self, entries: Sequence[Entry]) -> Iterator[None]:
        """Keep these entries, in one script."""
        self._add(entries, [None] * len(entries))
        yield

    def _add(self, entries: Sequence[Entry], forms: Sequence[int | None]) -> dict[str, Entry]:
        """Keep new entries; return what is kept in place of those that another session kept."""
        version = _new_id()
        values = {
            "ids": [entry.entry_id for entry in entries],
            "states": [entry.state.value for entry in entries],
            "contents": [entry_text(entry) for entry in entries],
            "forms": list(forms),
        }
        try:
            *_, rows = self._changed(statements.ADD, version, **values)
        except AwayError as error:
            if not error.is_sure:
                self._doubtful.append(version)
            raise
        there = {entry_id: (state, content, found) for entry_id, state, content, found in rows}
        instead: dict[str, Entry] = {}
        for entry, form in zip(entries, forms, strict=True):
            if there.pop(entry.entry_id, ("", b"", 0))[2] == version:
                self._known[entry.entry_id] = _Known(entry, (version,), form)
            elif form is not None and there:
                instead[entry.entry_id] = self._kept_elsewhere(entry, form, there)
            else:
                raise OutboxError(f"cannot keep {entry.label}: there is another one of its id")
        return instead

    def _kept_elsewhere(
        self, entry: Entry, form: int | None, there: Mapping[str, tuple[str, bytes, int]]
    ) -> Entry:
        """Return the entry that another session made of the same draft, if it is the same animal.

        Else keep this one as another animal: the draft was edited since.
        """
        [(entry_id, (state, content, version))] = there.items()
        other = replace(parsed_entry(content, entry_id), state=EntryState(state))
        if (other.name, other.category_id, other.status) != (
            entry.name, entry.category_id, entry.status,
        ):  # fmt: skip
            new = _new_id()
            return self._add([entry], [new]).get(entry.entry_id, entry)
        if form is not None:
            with suppress(AwayError):  # else it stays a draft, of the same animal
                self._changed(statements.DROP_DRAFT, forms=[form])
        self._known[entry_id] = _Known(other, (version,), form)
        return other

    def change(self, old: Entry, new: Entry, *, draft: int | None = None) -> bool:
        """Keep ``new`` in place of ``old``, and of a draft; what is SENDING then is claimed."""
        values = {
            "entry_id": old.entry_id,
            "state": new.state.value,
            "content": entry_text(new),
        }
        began, version, known = boot_time(), _new_id(), self._trying(old)
        versions = (*known.versions, version)
        forms = [self._forms[draft]] if draft in self._forms else []
        try:
            is_done = self._changed(
                statements.CHANGE, version, versions=versions, forms=forms, **values
            )[-1]
        except AwayError as error:
            if not error.is_sure and old.entry_id in self._known:
                self._known[old.entry_id] = known._replace(versions=versions)
            if not error.is_sure and draft in self._forms:
                self._drafts[draft] = _IN_DOUBT
            raise
        states = _states_at_takeover(old, new.state)
        if not is_done and states:
            # Another session took it over meanwhile, and does not know what became of it.
            was = [state.value for state in states]
            is_done = self._changed(statements.CORRECT, version, states=was, **values)[-1]
        if not is_done:
            return False
        if draft is not None:
            self._drafts.pop(draft, None)
            self._forms.pop(draft, None)
        self._known[new.entry_id] = known._replace(entry=new, versions=(version,))
        claim = self._session, new.entry_id
        self._database.claims.pop(claim, None)
        if new.state is EntryState.SENDING:
            self._database.claims[claim] = began + self._database.held
        return True

    def take_back(self, entry: Entry, number: int) -> bool:
        """Make an entry the draft of a number, in one script."""
        draft = entry.draft()
        known = self._trying(entry)
        before = self._forms.get(number)
        form = known.form
        if form is None or form in self._forms.values():
            form = _new_id()
        is_done = self._changed(
            statements.TAKE_BACK,
            entry_id=entry.entry_id,
            versions=known.versions,
            form=form,
            content=draft_text(draft),
            forms=[] if before is None else [before],
        )[-1]
        if is_done:
            self._forms[number] = form
            self._drafts[number] = draft
            self._known.pop(entry.entry_id, None)
        return bool(is_done)

    def remove(self, entry: Entry) -> bool:
        """Forget an entry."""
        known = self._trying(entry)
        is_done = self._changed(
            statements.REMOVE, entry_id=entry.entry_id, versions=known.versions
        )[-1]
        if is_done:
            self._known.pop(entry.entry_id, None)
        return bool(is_done)

    def _trying(self, entry: Entry) -> _Known:
        """Return what is known of an entry's row: nothing if its state is another one by now."""
        known = self._known.get(entry.entry_id)
        if known is None or known.entry.state is not entry.state:
            return _Known(entry, (), None)
        return known

    def _changed(self, script: str, version: int | None = None, **values: Any) -> list[Rows]:
        """Run a script that changes something; one without a result is repeated.

        Raises:
            AwayError: there is no result.
        """
        self._has_begun = True
        self._seen = None
        values |= {"owner": self._owner.number, "session": self._session, "version": version}
        for key in ("versions", "forms"):
            values[key] = list(values.get(key, ()))
        self._database.sessions[self._session] = self._owner.number
        for is_last in (False, True):
            values |= {"fence": self._fence, "doubtful": self._doubtful}
            try:
                return self._database.script(
                    f"{statements.BEGIN}; {script}", is_change=True, **values
                )
            except AwayError as error:
                if error.is_sure:
                    raise
                self._fence += 1
                if is_last or not self._database.wait_until_back(STATEMENT / 2):
                    raise
        raise AssertionError("it returns or raises")

    # Drafts

    @property
    def drafts(self) -> Mapping[int, Draft]:
        """The drafts as they are kept, by number."""
        return MappingProxyType(self._drafts.copy())

    def keep_draft(self, number: int, draft: Draft) -> None:
        """Keep a draft for good; an empty one is forgotten."""
        if draft == _EMPTY:
            if number in self._forms:
                self._changed(statements.DROP_DRAFT, forms=[self._forms[number]])
            self._forms.pop(number, None)
            self._drafts.pop(number, None)
            return
        form = self._form(number)
        *_, is_kept, is_entry = self._changed(
            statements.KEEP_DRAFT, form=form, forms=[form], content=draft_text(draft)
        )
        if is_kept:
            self._drafts[number] = draft
            return
        del self._forms[number]  # a form of its own from now on
        if is_entry:
            label = replace(_NO_ENTRY, name=draft.name).label
            raise OutboxError(f"cannot keep the draft: {label} was kept after all; see the outbox")
        self.keep_draft(number, draft)  # another session has it, and something else in it

    def _form(self, number: int) -> int:
        return self._forms.setdefault(number, _new_id())

    def take_over_drafts(self) -> None:
        """Make the drafts of ended sessions drafts of this one."""
        forms = list(self._forms.values())
        for form, content, written_at in self._changed(statements.TAKE_DRAFTS, forms=forms)[-1]:
            number, self._next_taken = self._next_taken, self._next_taken + 1
            self._forms[number] = form
            with suppress(DamagedContentError):  # it stays there
                self._drafts[number] = parsed_draft(content, written_at)
        self.has_abandoned_drafts = False

    # Reading

    def load(self) -> Contents:
        """Return what is there; what was being sent is unknown once its claim has ended."""
        owner = self._owner.number
        self._database.sessions[self._session] = owner
        if self._is_as_seen(owner):
            return self._contents
        rows, version, has_others = self._rows(owner)
        if any(self._is_cut_off(row) for row in rows):
            self._changed(statements.CUT_OFF, _new_id())
            rows, version, has_others = self._rows(owner)
        problems: dict[str, str] = {}
        known: dict[str, _Known] = {}
        for row in rows:
            if row[3] in self._doubtful:
                continue  # it was said not to be kept
            entry = _entry_of(row, problems)
            if entry is not None:
                known[entry.entry_id] = self._read(entry, row[3], row[4])
        self._known = known
        entries = tuple(each.entry for each in known.values())
        self._contents = Contents(entries, (*problems.values(),))
        # What others hold is free once they have ended, of which the owner's version says nothing.
        is_all_ours = not has_others and not any(entry.owned_elsewhere for entry in entries)
        self._seen = version if is_all_ours else None
        return self._contents

    def _is_as_seen(self, owner: int) -> bool:
        """Whether nothing changed since the last read, as the last look of the process saw it."""
        seen = self._seen
        return seen is not None and self._database.versions.get(owner, seen) == seen

    def _rows(self, owner: int) -> tuple[Rows, int, bool]:
        forms = list(self._forms.values())
        *_, versions, [[is_abandoned, has_others]], rows = self._database.script(
            statements.ENTRIES, owner=owner, session=self._session, forms=forms
        )
        self.has_abandoned_drafts = is_abandoned
        return rows, versions[0][0], has_others

    @staticmethod
    def _is_cut_off(row: Sequence[Any]) -> bool:
        entry = _entry_of(row, {})
        return entry is not None and (entry.state.value, row[1]) == ("unknown", "sending")

    def _read(self, entry: Entry, version: int, form: int | None) -> _Known:
        """Return what is known of a row; of a write whose result was lost, what was before it."""
        before = self._known.get(entry.entry_id)
        if before is not None and version in before.versions[1:]:
            return before._replace(form=form)
        return _Known(entry, (version,), form)

    def close(self) -> None:
        """Leave everything to the next session; where that fails, it is free a while later."""
        self._database.sessions.pop(self._session, None)
        for claim in tuple(self._database.claims):
            if claim[0] == self._session:
                del self._database.claims[claim]
        if not self._has_begun:
            return
        try:
            self._changed(statements.LEAVE)
        except AwayError:
            if self._doubtful:
                self._owner.owners.unsettled.append(self)
        finally:
            self._database.sessions.pop(self._session, None)


_NO_ENTRY: Final = Entry("", "", 0, None, EntryState.WAITING, 0.0)


def _entry_of(
    row: Sequence[Any], problems: dict[str, str], *, as_kept: bool = False
) -> Entry | None:
    """Return the entry of a row; None, and a problem, if it cannot be read."""
    entry_id, state_text, content, _, _, is_mine, is_held = row
    try:
        entry = parsed_entry(content, entry_id)
    except DamagedContentError as error:
        problems[entry_id] = f"entry {entry_id}: {error}"
        return None
    state = EntryState(state_text)
    if not is_held and state is EntryState.SENDING and not as_kept:
        state = cut_off_state(entry)
    refusal = entry.refusal or _NOT_KEPT.get(state)
    return replace(entry, state=state, refusal=refusal, owned_elsewhere=is_held and not is_mine)


def _is_typed(draft: bytes) -> bool:
    """Whether a draft is more than an add left in the form; one that cannot be read may be."""
    try:
        return parsed_draft(draft, 0.0).is_typed
    except DamagedContentError:
        return True


def _states_at_takeover(old: Entry, new: EntryState) -> Sequence[EntryState]:
    """Return the states from which an entry is taken back that another instance took over.

    It did while this one was sending it, and does not know what became of it. If its animal was
    added, that counts even where it waits to be sent again; or is, with the same key.
    """
    if old.state is not EntryState.SENDING or new is EntryState.SENDING:
        return ()
    if new is not EntryState.ADDED:
        return (EntryState.UNKNOWN,)
    again = () if old.store_id is None else (EntryState.SENDING,)
    return (EntryState.UNKNOWN, EntryState.WAITING, *again)


def id_of_owners(profile: str, address: str) -> str:
    """Return what tells the owners of a profile from those of others, in ASCII."""
    name = profile.encode("ascii", "backslashreplace").decode()
    return f"{name}-{address_digest(address)[:16]}"


def _new_id() -> int:
    return secrets.randbits(62)


def _as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _as_text(data: bytes) -> str:
    return bytes(data).decode("utf-8", "surrogatepass")
