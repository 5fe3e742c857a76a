"""ImportPlan: which lines of a file are to be sent, and what is known of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.transfer.importing.line_states import (
    AddedLine,
    LineOutcome,
    OutcomeKind,
    UnknownLine,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.transfer.importing.import_run import ImportOptions
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.importing.line_states import LineState
    from pettui.transfer.reading.import_lines import GoodLine


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The lines of a file before a run, in the file's order."""

    outcomes: tuple[LineOutcome, ...]  # of all lines, as a journal knows them now
    to_send: tuple[GoodLine, ...]


def import_plan(
    journal: Journal, lines: Iterable[tuple[LineKey, GoodLine]], options: ImportOptions
) -> ImportPlan:
    """Return what an import of these lines would send. Nothing is changed."""
    outcomes, to_send = [], []
    for key, line in lines:
        state = journal.state(key)
        outcomes.append(_outcome(line, state))
        if _is_sent(state, options):
            to_send.append(line)
    return ImportPlan(tuple(outcomes), tuple(to_send))


def _outcome(line: GoodLine, state: LineState | None) -> LineOutcome:
    match state:
        case AddedLine():
            return LineOutcome(line, OutcomeKind.ADDED_EARLIER, state.pet_id)
        case UnknownLine():
            return LineOutcome(line, OutcomeKind.UNKNOWN, error=state.reason)
        case None:
            return LineOutcome(line, OutcomeKind.NOT_SENT)


def _is_sent(state: LineState | None, options: ImportOptions) -> bool:
    match state:
        case AddedLine():
            return options.again
        case UnknownLine():
            return options.retry_unknown
        case None:
            return True
