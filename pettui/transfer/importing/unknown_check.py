"""``--check``: which unknown lines became animals that the service lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.client import OnWait, PetClient
    from pettui.transfer.importing.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.reading.import_lines import GoodLine


@dataclass(frozen=True, slots=True)
class UnknownCheck:
    """What became of the unknown lines, as far as the list tells."""

    outcomes: tuple[LineOutcome, ...]  # of those that were unknown: ADDED, or UNKNOWN still
    looked_at: int  # animals
    is_whole: bool  # all that are newer than the import were looked at


async def check_unknown(
    client: PetClient,
    journal: Journal,
    lines: Sequence[tuple[LineKey, GoodLine]],
    *,
    on_wait: OnWait | None = None,
) -> UnknownCheck:
    """Look for unknown lines among the service's animals newer than their import (listPets).

    A line is kept as added where its animal is found; where it is not, the list is no proof, and
    the line stays unknown.

    Raises:
        PetClientError: a list was not answered.
        JournalError: the journal cannot be written.
    """
    raise NotImplementedError
