"""OutboxCounts: what an outbox on disk holds, without opening it."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.outbox.entries import EntryState
from pettui.outbox.stores import json_files
from pettui.outbox.stores.file_names import EntryName, draft_name, entry_name, outbox_directory
from pettui.outbox.stores.locations import left_for_other_addresses

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class OutboxCounts:
    """How many there are of each kind of file."""

    directory: Path
    entries: Mapping[str, int]  # by state, without those that others replace
    drafts: int = 0
    damaged: int = 0  # set aside
    others: tuple[str, ...] = ()  # a line on each outbox of this profile for another address


def outbox_counts(state: Path, owner: str, profile: str, store: str) -> OutboxCounts:
    """Count what an outbox holds; nothing is changed, moved or taken over.

    Args:
        state: the directory for state of this app.
        owner: who types, as of ``outbox_directory``; profile and store too.
        profile: the profile's name.
        store: where its animals are.

    Raises:
        OSError: its directory cannot be listed.
    """
    directory = outbox_directory(state, owner, profile, store)
    names = _names(directory)
    return OutboxCounts(
        directory,
        _counted(directory, names),
        sum(draft_name(name) is not None for name in names),
        sum(name.endswith(".damaged") for name in names),
        left_for_other_addresses(directory),
    )


def entry_counts(directory: Path) -> Mapping[str, int]:
    """Count the entries in an outbox's directory by state; raises OSError."""
    return _counted(directory, _names(directory))


def _names(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)  # noqa: PTH208 - names are all that is wanted
    except FileNotFoundError:
        return []


def _counted(directory: Path, names: Iterable[str]) -> Mapping[str, int]:
    entries = [entry for entry in map(entry_name, names) if entry is not None]
    unknown = {entry.key for entry in entries if entry.state is EntryState.UNKNOWN}
    # Names don't say what an entry replaces; its file is only read where that can matter.
    hidden = {_replaced_by(directory, entry) for entry in entries} if unknown else set()
    shown = (entry for entry in entries if entry.key not in unknown & hidden)
    counts = Counter(entry.state.value for entry in shown)
    return dict(sorted(counts.items()))


def _replaced_by(directory: Path, entry: EntryName) -> str | None:
    try:
        return json_files.read_entry(directory / str(entry), entry.key).replaces
    except (OSError, json_files.DamagedFileError):  # moved meanwhile, or set aside when it is read
        return None
