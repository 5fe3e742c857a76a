"""What outboxes have in the state directory, for tests that look at their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox.stores.directory_owners import DirectoryOwner, DirectoryOwners

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.outbox.entries import Entry


def outbox_directory(state: Path, owner: str, profile: str, address: str) -> Path:
    return DirectoryOwners(state, profile, address).of(owner).directory


def entry_counts(directory: Path) -> dict[str, int]:
    return dict(DirectoryOwner(directory).summary().entries)


def entries_in(directory: Path) -> tuple[Entry, ...]:
    return DirectoryOwner(directory).entries()
