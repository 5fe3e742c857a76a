"""The names of the outbox's directories and files.

An entry is ``KEY.INSTANCE.STATE.json``: its name holds its state and the instance that owns it. So
one rename takes it from one state or owner to the next, for good, and of many that try only one
succeeds; it needs no room on a full disk, and no lock.

A draft is ``INSTANCE.draft.json``; ``INSTANCE.1.draft.json`` and so on lie above it, and the
greatest number stands in the form. A file being written is ``INSTANCE.tmp``, and ``INSTANCE.lock``
is locked by its instance for as long as that runs.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.outbox.entries import EntryState
from pettui.service_addresses import same_address

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST: Final = 120  # characters of a directory's name; file systems take 255 bytes
_STATES: Final = "|".join(state.value for state in EntryState)
_ENTRY: Final = re.compile(rf"([0-9]{{20}}-[0-9a-f]{{8}})\.([0-9a-f]{{16}})\.({_STATES})\.json")
_LOCK: Final = re.compile(r"([0-9a-f]{16})\.lock")
_DRAFT: Final = re.compile(r"([0-9a-f]{16})(?:\.([1-9][0-9]{0,8}))?\.draft\.json")


@dataclass(frozen=True, slots=True)
class DraftName:
    """The name of a draft's file, in its parts."""

    instance: str
    number: int = 0  # greater ones lie above

    def __str__(self) -> str:
        number = f".{self.number}" if self.number else ""
        return f"{self.instance}{number}.draft.json"


@dataclass(frozen=True, slots=True)
class EntryName:
    """The name of an entry's file, in its parts."""

    key: str
    instance: str
    state: EntryState

    def __str__(self) -> str:
        return f"{self.key}.{self.instance}.{self.state.value}.json"


def entry_name(file_name: str) -> EntryName | None:
    """Parse the name of a file; None where it is not an entry's."""
    match = _ENTRY.fullmatch(file_name)
    return EntryName(match[1], match[2], EntryState(match[3])) if match else None


def draft_name(file_name: str) -> DraftName | None:
    """Parse the name of a file; None where it is not a draft's."""
    match = _DRAFT.fullmatch(file_name)
    return DraftName(match[1], int(match[2] or 0)) if match else None


def temporary_name(instance: str) -> str:
    """Return the name of the file that an instance is writing."""
    return f"{instance}.tmp"


def lock_name(instance: str) -> str:
    """Return the name of the file that an instance locks for as long as it runs."""
    return f"{instance}.lock"


def lock_instance(file_name: str) -> str | None:
    """Return which instance's lock a file is; None where it is none."""
    match = _LOCK.fullmatch(file_name)
    return match[1] if match else None


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
    return directory_of(state, owner, profile, same_address(store))


def directory_of(state: Path, owner: str, profile: str, store: str) -> Path:
    """Return the directory for a store, as its address is written."""
    digest = hashlib.sha256(store.encode("utf-8", "surrogatepass")).hexdigest()
    directory = f"{_directory_name(profile)}-{digest[:16]}"
    return state / "outbox" / _directory_name(owner) / directory


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
