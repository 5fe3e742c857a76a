"""ImportSummary: the outcomes of an import, in numbers and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.transfer.importing.line_states import OutcomeKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.client import PetClientError
    from pettui.transfer.importing.line_states import LineOutcome

FORBIDDEN: Final = 403


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Numbers of lines."""

    added: int = 0
    earlier: int = 0  # skipped, since an earlier import added them
    duplicates: int = 0  # skipped
    refused: int = 0
    unknown: int = 0
    not_sent: int = 0
    bad: int = 0

    def sentence(self, *, is_dry_run: bool = False) -> str:
        """Return all numbers in words: "2 lines added, 1 refused"."""
        counts = (
            (self.earlier, "added by an earlier import"),
            (self.duplicates, "left out as duplicate" + ("s" if self.duplicates > 1 else "")),
            (self.refused, "refused"),
            (self.unknown, "unknown"),
            (self.bad, "bad"),
            (0 if is_dry_run else self.not_sent, "not sent"),
        )
        parts = [f"{counted_lines(self.added)} added"]
        if is_dry_run:
            parts = [f"{counted_lines(self.not_sent)} to add"]
        return ", ".join((*parts, *(f"{count:,} {word}" for count, word in counts if count)))


def import_summary(outcomes: Iterable[LineOutcome], bad: int) -> ImportSummary:
    """Return the numbers of these outcomes and of bad lines."""
    counts = Counter(outcome.kind for outcome in outcomes)
    return ImportSummary(
        added=counts[OutcomeKind.ADDED],
        earlier=counts[OutcomeKind.ADDED_EARLIER],
        duplicates=counts[OutcomeKind.DUPLICATE],
        refused=counts[OutcomeKind.REFUSED],
        unknown=counts[OutcomeKind.UNKNOWN],
        not_sent=counts[OutcomeKind.NOT_SENT],
        bad=bad,
    )


def stop_advice(error: PetClientError, summary: ImportSummary) -> str:
    """Return how to continue after a line's refusal that stopped an import; "" for no advice.

    A 403 is mostly about the API key, so that the lines after it would be refused too; but it can
    be about one animal, whose line would then stop each further import.
    """
    if error.status != FORBIDDEN or not (summary.refused and summary.not_sent):
        return ""
    return (
        "a 403 stops an import: use an API key that may add animals, "
        "or take the refused lines out of the file"
    )


def counted_lines(count: int) -> str:
    """Return a number of lines in words: "1 line"."""
    return "1 line" if count == 1 else f"{count:,} lines"


def duration(seconds: float) -> str:
    """Return a duration in whole seconds: "3 s", "2 min 5 s", "1 h 2 min"."""
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
