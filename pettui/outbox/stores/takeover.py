"""What dead instances left behind goes to the living, each estate whole to one of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.outbox.entries import EntryState
from pettui.outbox.stores.file_names import EntryName, temporary_name
from pettui.outbox.stores.instance import estate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pettui.outbox.stores.file_names import DraftName
    from pettui.outbox.stores.instance import Instance


def take_over(
    directory: Path, heir: Instance, testator: str, names: Iterable[EntryName]
) -> dict[EntryName, EntryName]:
    """Give the entries of another instance as they are called now: the heir's, if it is dead.

    What a dead instance was sending is UNKNOWN. Nothing of this is made to last: after a power cut
    it would be found out again.

    Raises:
        OSError: the directory cannot be written; what was renamed until then stays so.
    """
    with estate(directory, testator) as dead:
        if not dead:
            return {name: name for name in names}
        heir.live()
        inherited = {name: _inherit(directory, heir, name) for name in names}
        with suppress(FileNotFoundError):
            (directory / temporary_name(testator)).unlink()
    return {name: new for name, new in inherited.items() if new is not None}


def take_over_drafts(
    directory: Path, heir: Instance, names: Sequence[DraftName], first: DraftName
) -> list[DraftName]:
    """Return the drafts of one dead instance as they are called now: the heir's.

    Args:
        directory: where they are.
        heir: whose they become.
        names: the drafts of one instance, the lowest first; none is returned while it lives.
        first: what the lowest is called afterwards; the others get the next numbers.
    """
    taken: list[DraftName] = []
    with estate(directory, names[0].instance) as dead:
        if dead:
            heir.live()
            for name in names:
                new = replace(first, number=first.number + len(taken))
                if _rename(directory, str(name), str(new)):
                    taken.append(new)
    return taken


def _inherit(directory: Path, heir: Instance, name: EntryName) -> EntryName | None:
    unknown = name.state is EntryState.SENDING
    state = EntryState.UNKNOWN if unknown else name.state
    new = replace(name, instance=heir.name, state=state)
    return new if _rename(directory, str(name), str(new)) else None


def _rename(directory: Path, old: str, new: str) -> bool:
    try:
        (directory / old).rename(directory / new)
    except FileNotFoundError:
        return False
    return True
