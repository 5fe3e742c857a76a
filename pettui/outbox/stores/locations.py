"""Where the outbox of a profile is, and what outboxes hold, without opening any."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from pettui.outbox.entries import Entry, EntryState, replaced
from pettui.outbox.stores.files import (
    DamagedFileError,
    draft_name,
    entry_name,
    lock_abandoned,
    read_entry,
)
from pettui.service_addresses import same_address
from pettui.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_LONGEST: Final = 120  # characters of a directory's name; file systems take 255 bytes
_DIGEST: Final = re.compile(r"-[0-9a-f]{16}")
_DIGEST_LENGTH: Final = 17
_NOT_OUT: Final = (EntryState.WAITING, EntryState.SENDING)


def outbox_directory(state: Path, owner: str, profile: str, store: str) -> Path:
    """Return the directory of one owner's outbox on one profile.

    A profile that gets another store gets another outbox: what was typed for staging is not sent
    to production.

    Args:
        state: the directory for state of this app.
        owner: who types; the local user, or a user over SSH. Any text.
        profile: the profile's name. Any text.
        store: where its animals are; an address, or the path of a database.
    """
    address = same_address(store).encode("utf-8", "surrogatepass")
    directory = f"{_directory_name(profile)}-{hashlib.sha256(address).hexdigest()[:16]}"
    return state / "outbox" / _directory_name(owner) / directory


def owner_of(directory: Path) -> str | None:
    """Return the owner of an ``outbox_directory``; None if the name of its parent is cut."""
    name = directory.parent.name
    owner = unquote(name, errors="surrogatepass")
    return owner if _directory_name(owner) == name else None


@dataclass(frozen=True, slots=True)
class OutboxCounts:
    """How many there are of each kind of file."""

    directory: Path
    entries: Mapping[str, int]  # by state; without those that others replace
    drafts: int = 0
    damaged: int = 0  # set aside
    others: tuple[str, ...] = ()  # a line on each outbox of this profile for another address


def outbox_counts(state: Path, owner: str, profile: str, store: str) -> OutboxCounts:
    """Count what the outbox holds of which these are ``outbox_directory``'s arguments.

    Nothing is changed or taken over. Raises OSError where its directory cannot be listed.
    """
    directory = outbox_directory(state, owner, profile, store)
    names = _file_names(directory)
    return OutboxCounts(
        directory,
        _entry_counts(directory, names),
        sum(draft_name(name) is not None for name in names),
        sum(name.endswith(".damaged") for name in names),
        left_for_other_addresses(directory),
    )


def entry_counts(directory: Path) -> dict[str, int]:
    """Count the entries in a directory by state, as ``outbox_counts`` does; raises OSError."""
    return _entry_counts(directory, _file_names(directory))


def entries_in(directory: Path) -> tuple[Entry, ...]:
    """Return the entries in a directory, in order, without taking any over; raises OSError.

    What an instance was sending that has ended is unknown, as the next one will find it. Those
    that cannot be read are left out.
    """
    entries = []
    running: dict[str, bool] = {}
    for name in filter(None, map(entry_name, _file_names(directory))):
        if name.instance not in running:
            with lock_abandoned(directory, name.instance) as is_abandoned:
                running[name.instance] = not is_abandoned
        is_cut_off = name.state is EntryState.SENDING and not running[name.instance]
        with suppress(OSError, DamagedFileError):
            entry = read_entry(directory / str(name), name.key)
            state = EntryState.UNKNOWN if is_cut_off else name.state
            entries.append(replace(entry, state=state, owned_elsewhere=running[name.instance]))
    hidden = replaced(entries)
    shown = (entry for entry in entries if entry.key not in hidden)
    return tuple(sorted(shown, key=lambda entry: entry.key))


def _file_names(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)  # noqa: PTH208 - names are all that is wanted
    except FileNotFoundError:
        return []


def _entry_counts(directory: Path, names: list[str]) -> dict[str, int]:
    states = Counter(name.state.value for name in map(entry_name, names) if name is not None)
    unknown = EntryState.UNKNOWN.value
    if states[unknown]:
        states[unknown] -= len(replaced(_entries(directory, names)))
    return {state: count for state, count in sorted(states.items()) if count}


def left_for_other_addresses(directory: Path) -> tuple[str, ...]:
    """Return a line on each other outbox of the same profile that holds what did not go out."""
    ending = directory.name[-_DIGEST_LENGTH:]
    if not _DIGEST.fullmatch(ending):
        return ()
    profile = directory.name[:-_DIGEST_LENGTH]
    lines = []
    with suppress(OSError):
        for other in sorted(directory.parent.iterdir()):
            is_same_profile = _DIGEST.fullmatch(other.name.removeprefix(profile)) is not None
            if other != directory and is_same_profile and (count := _not_out(other)):
                animals = counted(count)
                lines.append(
                    f"{animals} typed for another address of this profile did not go out: {other}"
                )
    return tuple(lines)


def _entries(directory: Path, names: list[str]) -> Iterator[Entry]:
    for file_name in names:
        if name := entry_name(file_name):
            with suppress(OSError, DamagedFileError):
                entry = read_entry(directory / file_name, name.key)
                yield entry.becoming(name.state)


def _not_out(directory: Path) -> int:
    try:
        names = [entry_name(name) for name in os.listdir(directory)]  # noqa: PTH208
    except OSError:
        return 0
    return sum(name is not None and name.state in _NOT_OUT for name in names)


def _directory_name(text: str) -> str:
    """Return a name that no other text has, even on a file system that ignores case."""
    kept = "".join(
        character if re.fullmatch(r"[a-z0-9_-]", character) else _as_bytes(character)
        for character in text
    )
    if len(kept) <= _LONGEST:
        return kept or "%"
    digest = hashlib.sha256(kept.encode()).hexdigest()
    return f"{kept[: _LONGEST - 65]}%{digest}"


def _as_bytes(character: str) -> str:
    return "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
