"""OutboxCounts: what an outbox on disk holds, by the names of its files alone."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.outbox.stores.file_names import draft_name, entry_name, outbox_directory
from pettui.outbox.stores.locations import left_for_other_addresses

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class OutboxCounts:
    """How many there are of each kind of file."""

    directory: Path
    entries: Mapping[str, int]  # by state
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
    try:
        names = os.listdir(directory)  # noqa: PTH208 - names are all that is wanted
    except FileNotFoundError:
        names = []
    entries = Counter(entry.state.value for entry in map(entry_name, names) if entry is not None)
    return OutboxCounts(
        directory,
        dict(sorted(entries.items())),
        sum(draft_name(name) is not None for name in names),
        sum(name.endswith(".damaged") for name in names),
        left_for_other_addresses(directory),
    )
