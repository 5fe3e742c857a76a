"""What an ended instance left behind is taken over, all of it by one living instance."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.outbox.entries import EntryState
from pettui.outbox.stores.file_names import EntryName, temporary_name
from pettui.outbox.stores.instance import lock_abandoned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pettui.outbox.stores.file_names import DraftName
    from pettui.outbox.stores.instance import Instance


def take_over(
    directory: Path, instance: Instance, other: str, names: Iterable[EntryName]
) -> dict[EntryName, EntryName]:
    """Rename the entries of another instance to this one's if it is abandoned.

    Returns their names now by the names before. What an abandoned instance was sending is UNKNOWN.
    None of this is synced: after a power failure it would be done again.

    Raises:
        OSError: the directory cannot be written; what was renamed until then stays so.
    """
    with lock_abandoned(directory, other) as is_abandoned:
        if not is_abandoned:
            return {name: name for name in names}
        instance.acquire()
        renamed = {name: _take_over_entry(directory, instance, name) for name in names}
        with suppress(FileNotFoundError):
            (directory / temporary_name(other)).unlink()
    return {name: new for name, new in renamed.items() if new is not None}


def take_over_drafts(
    directory: Path, instance: Instance, names: Sequence[DraftName], first: DraftName
) -> list[DraftName]:
    """Rename the drafts of another instance to this one's if it is abandoned; return their names.

    Args:
        directory: where they are.
        instance: whose they become.
        names: the drafts of one instance, the lowest first; none is returned while it lives.
        first: the new name of the lowest; the others get the next numbers.
    """
    taken: list[DraftName] = []
    with lock_abandoned(directory, names[0].instance) as is_abandoned:
        if is_abandoned:
            instance.acquire()
            for name in names:
                new = replace(first, number=first.number + len(taken))
                if _rename(directory, str(name), str(new)):
                    taken.append(new)
    return taken


def _take_over_entry(directory: Path, instance: Instance, name: EntryName) -> EntryName | None:
    is_sending = name.state is EntryState.SENDING
    state = EntryState.UNKNOWN if is_sending else name.state
    new = replace(name, instance=instance.name, state=state)
    return new if _rename(directory, str(name), str(new)) else None


def _rename(directory: Path, old: str, new: str) -> bool:
    try:
        (directory / old).rename(directory / new)
    except FileNotFoundError:
        return False
    return True
