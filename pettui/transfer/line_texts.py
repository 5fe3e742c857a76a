"""What is said of single lines of an import: by the command, and on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pettui.text.amounts import counted
from pettui.transfer.lines import by_reason
from pettui.transfer.results import NOT_ADDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.transfer.importing import Import
    from pettui.transfer.lines import BadLine
    from pettui.transfer.results import LineOutcome


class LineText(NamedTuple):
    """A text about a line, or about several."""

    label: str  # "line 7"; "" where the text says it itself
    text: str  # raw
    lines: int = 1


def first_texts(texts: Sequence[LineText], most: int, what: str) -> list[LineText]:
    """Return the first ones, and how many lines more are what: "9 lines more are duplicates"."""
    if not (more := sum(each.lines for each in texts[most:])):
        return [*texts]
    return [*texts[:most], LineText("", f"{counted(more, 'line')} more {what}")]


def bad_texts(bad_lines: Iterable[BadLine], most: int) -> list[LineText]:
    """Return why lines are bad, those together that are so for the same reason."""
    groups = by_reason(bad_lines)
    texts = [LineText(each.label, each.sentence, len(each.lines)) for each in groups]
    return first_texts(texts, most, "are bad")


def duplicate_texts(importing: Import, most: int) -> list[LineText]:
    """Return what lines are duplicates of."""
    found = {} if importing.duplicates is None else importing.duplicates.names
    texts = [LineText(at.label, f"is a duplicate of {name}") for at, name in found.items()]
    return first_texts(texts, most, "are duplicates")


def changed_texts(importing: Import, most: int) -> list[LineText]:
    """Return which lines are like listed animals but for their status."""
    found = {} if importing.duplicates is None else importing.duplicates.changed
    texts = [LineText(at.label, f"is changed?: {name}") for at, name in found.items()]
    return first_texts(texts, most, "are changed?")


def gone_texts(importing: Import, most: int) -> list[LineText]:
    """Return which animals of the file's run are not in the list any more."""
    gone = importing.gone_lines
    texts = [LineText(each.line.position.label, each.animal.gone_text) for each in gone]
    return first_texts(texts, most, "are not listed any more")


def failed_texts(outcomes: Iterable[LineOutcome], most: int) -> list[LineText]:
    """Return why lines were not added, word for word."""
    failed = [each for each in outcomes if each.kind in NOT_ADDED]
    texts = [
        LineText(each.line.position.label, f"{each.kind.value}: {each.error}") for each in failed
    ]
    return first_texts(texts, most, "were not added")
