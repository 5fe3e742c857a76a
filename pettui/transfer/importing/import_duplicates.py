"""ImportDuplicates: which lines of an import are duplicates, of each other or of listed animals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.transfer.importing.listed_duplicates import find_listed_duplicates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pettui.client import OnWait, PetClient
    from pettui.transfer.importing.import_preview import ImportPreview
    from pettui.transfer.reading.import_lines import GoodLine, Position


@dataclass(frozen=True, slots=True)
class ImportDuplicates:
    """Lines that are to be sent, and whose animal stands elsewhere too."""

    names: Mapping[Position, str]  # what each is one of: "line 3", or "id 7" of a listed animal
    repeated: int  # how many of them are of a line further up
    looked_at: int  # animals that the service lists
    reason: str | None  # why not all of the list was looked at, not yet safe to draw

    @property
    def listed(self) -> int:
        """How many of them the service lists."""
        return len(self.names) - self.repeated


async def find_duplicates(
    client: PetClient,
    preview: ImportPreview,
    lines: Iterable[GoodLine],
    on_wait: OnWait | None = None,
    on_page: Callable[[int], object] | None = None,
) -> ImportDuplicates:
    """Return the duplicates among the lines that are to be sent.

    Args:
        client: of the service; its limits say how much of the list is read.
        preview: of the whole file.
        lines: of it, that are to be sent; others are no matter.
        on_wait: told before a page is tried again.
        on_page: told how many animals were looked at so far.

    Raises:
        PetClientError: the service does not answer at all.
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
    return ImportDuplicates(in_order, repeated, listed.looked_at, listed.reason)
