"""The number of lines in the journal of each address."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.transfer.importing.journals.journal_content import (
    DamagedJournalError,
    read_address,
    read_content,
)
from pettui.transfer.importing.journals.journal_file import (
    SUFFIX,
    JournalError,
    read_journal,
    this_boot,
)
from pettui.transfer.importing.line_states import AddedLine

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class JournalCounts:
    """The number of lines in one journal."""

    path: Path
    address: str = ""  # base address, or an embedded store's file; not yet safe to draw
    added: int = 0  # lines
    unknown: int = 0
    problem: str | None = None  # why it cannot be read, not yet safe to draw


def journal_counts(directory: Path) -> tuple[JournalCounts, ...]:
    """Return the numbers of each journal, without creating, locking or writing anything."""
    paths: list[Path] = []
    with suppress(OSError):
        paths = sorted(path for path in directory.iterdir() if path.suffix == SUFFIX)
    return tuple(map(_counts, paths))


def _counts(path: Path) -> JournalCounts:
    try:
        content = read_journal(path) or b""
        address = read_address(content)
        states = read_content(content, address, this_boot()).states.values()
    except (JournalError, DamagedJournalError) as error:
        return JournalCounts(path, problem=str(error))
    added = sum(isinstance(state, AddedLine) for state in states)
    return JournalCounts(path, address, added, len(states) - added)
