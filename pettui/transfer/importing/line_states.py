"""What a journal knows of a line, and what becomes of a line in a run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pettui.transfer.reading.import_lines import GoodLine


@dataclass(frozen=True, slots=True)
class AddedLine:
    """The service gave it an id."""

    pet_id: int
    again: int = 0  # how often ``--again`` had been said when it was sent


@dataclass(frozen=True, slots=True)
class UnknownLine:
    """It was sent, and no answer tells what became of it."""

    since: int  # wall-clock seconds when its import began
    after_id: int | None  # animals up to this id were there before; None where that is not known
    reason: str  # raw text


LineState: TypeAlias = AddedLine | UnknownLine  # None is: not sent, or refused


class OutcomeKind(Enum):
    """What became of a line; the values are the words of a result file."""

    ADDED = "added"
    ADDED_EARLIER = "added earlier"  # by an earlier import, and left out of this one
    REFUSED = "refused"
    UNKNOWN = "unknown"  # it may have been added, in this import or in an earlier one
    NOT_SENT = "not sent"  # the import ended before
    DUPLICATE = "duplicate"  # left out, as was asked for


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of a line."""

    line: GoodLine
    kind: OutcomeKind
    pet_id: int | None = None  # of an added one
    error: str = ""  # word for word, not yet safe to draw; of an added one: what is odd about it
