"""The states of lines in a journal, and the outcomes of lines in a run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pettui.transfer.reading.import_lines import GoodLine


@dataclass(frozen=True, slots=True)
class AddedLine:
    """A line that was added: the service returned an id."""

    pet_id: int
    again: int = 0  # how often ``--again`` had been given when it was sent


@dataclass(frozen=True, slots=True)
class UnknownLine:
    """A line that was sent, and got no response that says whether it was added."""

    since: int  # when its import started, in wall-clock seconds
    after_id: int | None  # the highest id before the import; None if unknown
    reason: str  # raw text


LineState: TypeAlias = AddedLine | UnknownLine  # None for one that was not sent, or was refused


class OutcomeKind(Enum):
    """What happened to a line; the values are those in a result file."""

    ADDED = "added"
    ADDED_EARLIER = "added earlier"  # by an earlier import, so that this one skipped it
    REFUSED = "refused"
    UNKNOWN = "unknown"  # it may have been added, in this import or in an earlier one
    NOT_SENT = "not sent"  # the import ended before
    DUPLICATE = "duplicate"  # skipped, as requested


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """The outcome of a line."""

    line: GoodLine
    kind: OutcomeKind
    pet_id: int | None = None  # of an added one
    error: str = ""  # raw, not yet safe to draw; of an added line: what is odd about it
