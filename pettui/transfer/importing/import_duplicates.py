"""ImportDuplicates: the lines of an import that repeat each other or listed animals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from pettui.transfer.importing.listed_duplicates import find_listed_duplicates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pettui.client import OnWait, PetClient
    from pettui.transfer.importing.import_preview import ImportPreview
    from pettui.transfer.reading.import_lines import GoodLine, Position


_NONE: Final = "no duplicates in the file"


class DuplicateChoice(Enum):
    """What is done with the duplicates among the lines to send."""

    UNDECIDED = auto()  # nothing is sent
    LEFT_OUT = auto()
    SENT = auto()


@dataclass(frozen=True, slots=True)
class ImportDuplicates:
    """Lines to send that are duplicates of another line or of a listed animal."""

    names: Mapping[Position, str]  # of the original: "line 3", or "id 7" of a listed animal
    repeated: int  # how many are duplicates of an earlier line
    checked: int  # listed animals
    reason: str | None  # why not all of the list was checked, not yet safe to draw

    @property
    def listed(self) -> int:
        """How many are duplicates of listed animals."""
        return len(self.names) - self.repeated

    @property
    def sentence(self) -> str:
        """How many there are, where, and among how many animals: raw."""
        duplicates = "1 duplicate" if len(self.names) == 1 else f"{len(self.names):,} duplicates"
        within = f"{self.repeated:,} within the file"
        if not self.checked:
            why = self.reason
            why = "the service lists no animals" if why is None else f"the list was not read: {why}"
            return f"{duplicates}: {within} ({why})" if self.names else f"{_NONE}; {why}"
        animals = "1 animal" if self.checked == 1 else f"{self.checked:,} animals"
        looked = f"among the {animals} that the service lists"
        if self.reason is not None:
            looked = f"among the first {animals} of the list ({self.reason})"
        if not self.names:
            return f"{_NONE} or {looked}"
        return f"{duplicates}: {within}, {self.listed:,} {looked}"


async def find_duplicates(
    client: PetClient,
    preview: ImportPreview,
    lines: Iterable[GoodLine],
    on_wait: OnWait | None = None,
    on_page: Callable[[int], object] | None = None,
) -> ImportDuplicates:
    """Return the duplicates among the lines to send.

    Args:
        client: of the service; its limits bound how much of the list is read.
        preview: of the whole file.
        lines: of the preview that are to be sent.
        on_wait: called before a page is retried.
        on_page: called with the number of animals checked so far.

    Raises:
        PetClientError: not even the first page could be loaded.
    """
    to_send = {line.position: line for line in lines}
    names = {
        each.line.position: each.first.label
        for each in preview.repeated
        if each.line.position in to_send
    }
    repeated = len(names)
    others = (line for position, line in to_send.items() if position not in names)
    listed = await find_listed_duplicates(client, others, on_wait, on_page)
    names |= {each.line.position: f"id {each.pet_id}" for each in listed.duplicates}
    in_order = {position: names[position] for position in to_send if position in names}
    return ImportDuplicates(in_order, repeated, listed.checked, listed.reason)
