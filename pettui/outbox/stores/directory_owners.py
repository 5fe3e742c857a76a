"""DirectoryOwners: what belongs to owners, in directories of one machine's disk.

``STATE/outbox/OWNER/PROFILE-ADDRESS`` has an owner's entries and drafts on a profile, and beside
them, of users over SSH, each in a file of its own:

==============  ===================================================================================
``user.json``   the name and the fingerprint of the key with which the user logged in last, and
                who the owner is
``own-key``     of an earlier version: animals were typed for an API key that only the user knows
``sent.json``   how many animals the server added since then
==============  ===================================================================================

``receipts`` has what was added, in a file for each day.

Outboxes that earlier versions left have none of them: the owner's directory says who it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections import Counter
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from pettui.outbox.entries import EntryState, OutboxError, cut_off_state, outbox_errors, typed_at
from pettui.outbox.owners import ON_THE_WAY, Census, Summary, shown_owner, ssh_owner
from pettui.outbox.receipts import RECEIPTS, FileReceipts
from pettui.outbox.stores.contents import DamagedContentError
from pettui.outbox.stores.directory import OWN_KEY, DirectoryEntryStore
from pettui.outbox.stores.files import (
    draft_name,
    entry_files,
    is_in_use,
    lock_abandoned,
    read_draft,
    read_entry,
    saved_names,
)
from pettui.system.addresses import address_digest
from pettui.system.files import (
    FileVersion,
    LockFile,
    file_version,
    is_lasting,
    make_directory,
    read_regular_file,
    replace_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pettui.outbox.entries import Entry
    from pettui.outbox.stores.files import EntryName
    from pettui.system.files import RegularFile

OUTBOXES: Final = "outbox"  # in the state directory
VERSION: Final = 2  # of what is kept there: raised where an earlier pettui would misread it
_TURNS: Final = "unattended"  # likewise: locks for each profile
_USERS: Final = "ssh%20"  # how the directories of users over SSH begin
_USER: Final = "user.json"
_SENT: Final = "sent.json"
_LARGEST: Final = 10_000  # bytes of one of these files
_LONGEST: Final = 120  # characters of a directory's name; file systems take 255 bytes
_READS: Final = 100  # of a directory at most, while its files are renamed


class DirectoryOwners:
    """The owners of one profile, whose state is below one directory; see Owners.

    A profile that gets another address gets other outboxes: what was typed for staging is not sent
    to production.
    """

    def __init__(
        self, state: Path, profile: str = "", address: str = "", *, owners_id: str | None = None
    ) -> None:
        """Locate them; nothing is made yet.

        Args:
            state: the directory for state of this app.
            profile: the profile's name. Any text.
            address: where its animals are; a base address, or the path of a database.
            owners_id: in place of both, the id of these owners.
        """
        self.id = owners_id or f"{_directory_name(profile)}-{address_digest(address)[:16]}"
        self._state = state
        self._idle: dict[str, FileVersion] = {}  # directories in which nothing waits

    def of(self, owner: str) -> DirectoryOwner:
        """Return what belongs to an owner, of any text."""
        return DirectoryOwner(self._state / OUTBOXES / _directory_name(owner) / self.id, owner)

    @property
    def place(self) -> str:
        """The directory of all outboxes."""
        return str(self._state / OUTBOXES)

    def neighbours(self, whose: Collection[str] | None = None) -> list[DirectoryOwners]:
        """Return the owners of all other profiles and addresses."""
        return [each for each in directory_owners(self._state, whose) if each.id != self.id]

    def all(self, named: Collection[str] | None = None) -> list[DirectoryOwner]:
        """Return all that belongs to users over SSH, or to those that are named, in order."""
        if named is not None:
            return [owner for owner in map(self.of, named) if os.path.lexists(owner.directory)]
        return [_owner_in(path) for path in self._directories() if os.path.lexists(path)]

    def census(self) -> Census:
        """Count what users over SSH have, as far as it can be read."""
        counts, oldest = Counter[str](), []
        for owner in self.all():
            with suppress(OSError):
                names = owner.file_names()
                counts.update(owner.counts(names))
                oldest += [
                    name.entry_id
                    for name in entry_files(names).values()
                    if name.state in ON_THE_WAY and not name.is_for_own_key
                ]
        return Census(
            sum(counts[state.value] for state in ON_THE_WAY),
            counts[EntryState.REFUSED.value],
            counts[EntryState.UNKNOWN.value],
            typed_at(min(oldest)) if oldest else None,
        )

    def unattended(self) -> list[DirectoryOwner]:
        """Return those of which something waits; a directory that did not change is not read."""
        # Texts and no paths: of a thousand users at rest this is done every few seconds.
        changed = (path for path in self._directories() if not self._is_idle(path))
        return [owner for owner in map(_owner_in, changed) if self._is_abandoned(owner)]

    def _directories(self) -> list[str]:
        """Return where owners over SSH have what is theirs, in order; there may be none."""
        return [f"{user}{os.sep}{self.id}" for user in _users(self._state)]

    def _is_idle(self, path: str) -> bool:
        try:
            return FileVersion.of(os.stat(path)) == self._idle.get(path)  # noqa: PTH116
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _is_abandoned(self, owner: DirectoryOwner) -> bool:
        version = file_version(owner.directory)
        try:
            if owner.has_on_the_way():
                return not is_in_use(owner.directory)
        except OSError:
            return True
        if version is not None and version.is_settled(time.time_ns()):
            self._idle[str(owner.directory)] = version
        return False

    @contextmanager
    def turn(self) -> Iterator[Callable[[], bool]]:
        """Yield what locks a file, and says whether it is locked by this."""
        path = self._state / _TURNS / f"{self.id}.lock"
        with outbox_errors("lock what users left", path):
            file = LockFile(path)
        with closing(file):
            yield file.is_locked_now

    def check_version(self) -> None:
        """Look whether servers that run keep things as this version does; nothing is made.

        Raises:
            OutboxError: one of another version runs.
        """
        place = self._state / _TURNS
        for path in place.glob(f"{self.id}.v*"):
            version = path.name.removeprefix(f"{self.id}.v")
            if version != str(VERSION) and _is_locked(path):
                reason = f"version {version} of their directory; this one has {VERSION}"
                raise OutboxError(
                    f"another pettui ssh uses the outboxes of these users, with {reason}; end it"
                )

    @contextmanager
    def held_version(self) -> Iterator[None]:
        """Say during the block that a server of this version uses them."""
        place = self._state / _TURNS / f"{self.id}.v{VERSION}"
        with ExitStack() as opened:
            # A directory that cannot be used says so where something is kept.
            with suppress(OSError):
                file = opened.enter_context(closing(LockFile(place)))
                file.share()
            yield


def _is_locked(path: Path) -> bool:
    with suppress(OSError), closing(LockFile(path)) as file:
        try:
            file.lock()
        except BlockingIOError:
            return True
    return False


def directory_owners(state: Path, whose: Collection[str] | None = None) -> list[DirectoryOwners]:
    """Return the owners of all profiles of some owners, or else of all that come over SSH."""
    named = [str(state / OUTBOXES / _directory_name(owner)) for owner in whose or ()]
    users = _users(state) if whose is None else named
    found = {Path(path).name for user in users for path in _paths(user)}
    return [DirectoryOwners(state, owners_id=each) for each in sorted(found)]


def saved_files(state: Path) -> Iterator[tuple[PurePosixPath, RegularFile]]:
    """Yield all that owners have in a state directory, for a backup, by its names there.

    A file that is renamed meanwhile comes under its new name, and perhaps under both. What a
    running instance locks or writes does not.

    Raises:
        OSError: something cannot be read.
    """
    for directory, _, _ in os.walk(state / OUTBOXES):
        done: set[str] = set()
        for _ in range(_READS):
            there = (path.name for path in Path(directory).iterdir() if is_lasting(path))
            found = saved_names(there)
            if not found.keys() - done:
                break
            for name in sorted(found.keys() - done):
                with suppress(FileNotFoundError):
                    file = read_regular_file(Path(directory, found[name]), follow_links=False)
                    yield PurePosixPath(Path(directory, name).relative_to(state)), file
                    done.add(name)


def _users(state: Path) -> list[str]:
    """Return the directories of users over SSH, in order."""
    users = sorted(_paths(state / OUTBOXES))
    return [user for user in users if user.rpartition(os.sep)[2].startswith(_USERS)]


def _owner_in(path: str) -> DirectoryOwner:
    return DirectoryOwner(Path(path))


def _paths(directory: Path | str) -> list[str]:
    try:
        with os.scandir(directory) as there:
            return [each.path for each in there]
    except OSError:  # there is none, or it is somebody else's
        return []


class DirectoryOwner:
    """What belongs to one owner on one profile, in one directory; see Owner."""

    def __init__(self, directory: Path, who: str | None = None) -> None:
        self.directory = directory
        self._who = who

    @property
    def id(self) -> str:
        """The name of the owner's directory."""
        return self.directory.parent.name

    @property
    def who(self) -> str | None:
        """Who it is, as was recorded, or as the directory's name says, which may be cut."""
        user = _read(self.directory / _USER)
        named = None
        with suppress(UnicodeDecodeError):  # it is cut
            named = unquote(self.id, errors="surrogatepass")
        possible = (self._who, user.get("owner"), named, ssh_owner(user.get("fingerprint")))
        texts = (each for each in possible if isinstance(each, str))
        return next((each for each in texts if _directory_name(each) == self.id), None)

    def open(self) -> DirectoryEntryStore:
        """Return the entries and drafts."""
        return DirectoryEntryStore(self.directory)

    def receipts(self) -> FileReceipts:
        """Return what was added, by day."""
        return FileReceipts(self.directory / RECEIPTS)

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries in order, without taking any over."""
        running: dict[str, bool] = {}
        entries = []
        with outbox_errors("read the outbox", self.directory):
            for entry, instance in self._entries(self.file_names()):
                if instance not in running:
                    with lock_abandoned(self.directory, instance) as is_abandoned:
                        running[instance] = not is_abandoned
                is_cut_off = entry.state is EntryState.SENDING and not running[instance]
                state = cut_off_state(entry) if is_cut_off else entry.state
                entries.append(replace(entry, state=state, owned_elsewhere=running[instance]))
        return tuple(sorted(entries, key=lambda entry: entry.entry_id))

    def summary(self) -> Summary:
        """Return what there is, and what was recorded."""
        with outbox_errors("read the outbox", self.directory):
            names = self.file_names()
            name, fingerprint = self.user()
            return Summary(
                unquote(self.directory.name.rpartition("-")[0]),
                str(self.directory),
                name,
                fingerprint,
                OWN_KEY in names or any(map(_waits_for_own_key, entry_files(names).values())),
                self.counts(names),
                sum(self._is_typed(name) for name in names if draft_name(name) is not None),
                sum(name.endswith(".damaged") for name in names),
            )

    def log_in(self, name: str, fingerprint: str | None) -> int:
        """Note who logs in; without that the user is shown by the directory's name."""
        user = {"name": name, "fingerprint": fingerprint, "owner": self.who}
        with suppress(OSError):
            if _read(self.directory / _USER) != user:
                make_directory(self.directory)
                replace_file(self.directory / _USER, json.dumps(user).encode(), durably=False)
        sent = self._sent()
        if sent:
            with suppress(OSError):
                (self.directory / _SENT).unlink()
        return sent

    def record_added(self, count: int) -> None:
        """Add to what the next login returns; the user of this machine has none."""
        if not self.id.startswith(_USERS):
            return
        sent = json.dumps({"sent": self._sent() + count}).encode()
        with suppress(OSError):
            replace_file(self.directory / _SENT, sent, durably=False)

    def has_on_the_way(self) -> bool:
        """Whether something waits, or is or was being sent, for the profile's API key.

        Raises OSError.
        """
        names = entry_files(self.file_names()).values()
        return any(name.state in ON_THE_WAY and not name.is_for_own_key for name in names)

    def user(self) -> tuple[str, str]:
        """Return the name and the fingerprint that were recorded, or else those of the owner."""
        user = _read(self.directory / _USER)
        name, fingerprint = user.get("name"), user.get("fingerprint")
        if not isinstance(name, str):
            return shown_owner(self.who or self.id)
        return name, fingerprint if isinstance(fingerprint, str) else ""

    def _sent(self) -> int:
        sent = _read(self.directory / _SENT).get("sent")
        return sent if isinstance(sent, int) else 0

    def file_names(self) -> list[str]:
        """Return the names of what is there; raises OSError."""
        try:
            return os.listdir(self.directory)  # noqa: PTH208 - names are all that is wanted
        except FileNotFoundError:
            return []

    def counts(self, file_names: list[str]) -> dict[str, int]:
        """Count the entries in each state."""
        states = Counter(name.state for name in entry_files(file_names).values())
        return {state.value: states[state] for state in sorted(states, key=lambda each: each.value)}

    def _is_typed(self, file_name: str) -> bool:
        """Whether a draft is more than an add left in the form; one that cannot be read may be."""
        try:
            return read_draft(self.directory / file_name).is_typed
        except FileNotFoundError:
            return False
        except (OSError, DamagedContentError):
            return True

    def _entries(self, file_names: list[str]) -> Iterator[tuple[Entry, str]]:
        """Return the entries that can be read, and the instances that own them."""
        for file_name, name in entry_files(file_names).items():
            with suppress(OSError, DamagedContentError):
                yield read_entry(self.directory / file_name, name), name.instance


def _waits_for_own_key(name: EntryName) -> bool:
    """Whether an entry is on the way with an API key that only the user knows."""
    return name.is_for_own_key and name.state in ON_THE_WAY


def _read(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if there is none."""
    try:
        content = json.loads(read_regular_file(path, _LARGEST, follow_links=False).content)
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _directory_name(text: str) -> str:
    """Return a name that no other text has, even on a file system that ignores case."""
    name = "".join(
        character if re.fullmatch(r"[a-z0-9_-]", character) else _as_bytes(character)
        for character in text
    )
    if len(name) <= _LONGEST:
        return name or "%"
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"{name[: _LONGEST - 65]}%{digest}"


def _as_bytes(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
