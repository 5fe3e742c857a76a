"""ImportPlan: the lines of a file that are to be sent, and what is known of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.settings import PARALLEL_DEFAULT
from pettui.transfer.importing.line_states import (
    AddedLine,
    LineOutcome,
    OutcomeKind,
    UnknownLine,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.reading.import_lines import GoodLine


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What is sent, and how many at once."""

    again: bool = False  # also lines that an earlier import added
    retry_unknown: bool = False  # also lines whose outcome is unknown
    parallel: int = PARALLEL_DEFAULT  # requests at once


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The lines of a file before a run, in the file's order."""

    outcomes: tuple[LineOutcome, ...]  # of all lines, as recorded in the journal
    to_send: tuple[GoodLine, ...]


def import_plan(
    journal: Journal, lines: Iterable[tuple[LineKey, GoodLine]], options: ImportOptions
) -> ImportPlan:
    """Return what an import of these lines would send, without changing anything."""
    outcomes, to_send = [], []
    for key, line in lines:
        outcomes.append(known_outcome(journal, key, line))
        if is_to_be_sent(journal, key, options):
            to_send.append(line)
    return ImportPlan(tuple(outcomes), tuple(to_send))


def known_outcome(journal: Journal, key: LineKey, line: GoodLine) -> LineOutcome:
    """Return the outcome of a line that the journal has recorded."""
    match state := journal.state(key):
        case AddedLine():
            return LineOutcome(line, OutcomeKind.ADDED_EARLIER, state.pet_id)
        case UnknownLine():
            return LineOutcome(line, OutcomeKind.UNKNOWN, error=state.reason)
        case None:
            return LineOutcome(line, OutcomeKind.NOT_SENT)


def is_to_be_sent(journal: Journal, key: LineKey, options: ImportOptions) -> bool:
    """Whether an import with these options sends a line."""
    match state := journal.state(key):
        case AddedLine():
            return options.again and not journal.is_added_now(state)
        case UnknownLine():
            return options.retry_unknown
        case None:
            return True
