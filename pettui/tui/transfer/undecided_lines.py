"""UndecidedLines: the unknown lines of an import, as a user decides about them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from pettui.text.amounts import age, counted
from pettui.transfer.runs import LineId
from pettui.tui.unknown.undecided import NEITHER_DELETED, UnknownAdd

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.models.pets import Pet
    from pettui.transfer.importing import Import

ASKED: Final = 1_000  # lines of one file; no user decides about more, one after the other


class UndecidedLines:
    """Each is identified alone; what is left unknown is sent again together, by the import."""

    def __init__(self, importing: Import) -> None:
        """Ask about the lines in the file's order."""
        self._import = importing
        self._lines = importing.unknown[:ASKED]

    @property
    def adds(self) -> Sequence[UnknownAdd]:
        """Those that are unknown now."""
        adds = []
        unknown = [each for each in self._lines if self._import.is_unknown(each[0])]
        for line_id, line, state in unknown:
            pet, began = line.new_pet, age(max(time.time() - state.since, 0.0))
            sent = f"{line.position.label}, of an import that began {began} ago"
            adds.append(
                UnknownAdd(line_id, pet.name, pet.category_id, pet.status, sent, state.reason)
            )
        return adds

    def of_others(self, pets: Iterable[Pet]) -> set[int]:
        """Return the ids of those that other lines became, of this file or another."""
        ids = {pet.id for pet in pets}
        return ids & self._import.added_ids if ids else ids

    def was_seen_before(self, pet: Pet, add_id: str) -> bool:  # noqa: ARG002
        """Whether the animal was there before: that is not known of a line."""
        return False

    async def resolve(self, add_id: str, pet: Pet) -> None:
        """Record that a line became an animal; raises TransferError."""
        await self._import.resolve(LineId(add_id), pet)


def resending_lines_text(importing: Import) -> str:
    """Return since when the unknown lines of an import are unknown, and what may come of them."""
    unknown = importing.unknown
    newest = max(state.since for *_, state in unknown)
    began = age(max(time.time() - newest, 0.0))
    return (
        f"{counted(len(unknown), 'line')} may have been added, or still arrive: the import that "
        f"sent them last began {began} ago. Of each that was added {NEITHER_DELETED}."
    )
