"""One rename takes an entry's file from one state or hand to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.outbox.entries import EntryState

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.outbox.entries import Entry
    from pettui.outbox.stores.file_names import EntryName


def renamed(old: Path, new: Path) -> bool:
    """Rename a file; returns whether it was there still. Raises OSError."""
    try:
        old.rename(new)
    except FileNotFoundError:
        return False
    return True


def rename_misjudged(directory: Path, old: Entry, new: EntryName) -> bool:
    """Correct what another instance noted, which took this one for dead while it was sending.

    An animal that was added is taken from it even where somebody wants it sent again. Returns
    whether there was something to correct.
    """
    if old.state is not EntryState.SENDING:
        return False
    states = [EntryState.UNKNOWN]
    states += [EntryState.WAITING] if new.state is EntryState.ADDED else []
    noted = [f"{old.key}.*.{state.value}.json" for state in states]
    paths = [path for pattern in noted for path in directory.glob(pattern)]
    return any(renamed(path, directory / str(new)) for path in paths)
