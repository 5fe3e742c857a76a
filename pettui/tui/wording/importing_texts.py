"""The texts of an import: before it is sent, while it is, and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.transfer.importing.import_duplicates import DuplicateChoice
from pettui.transfer.importing.import_summary import counted_lines, duration
from pettui.transfer.importing.line_states import OutcomeKind
from pettui.transfer.importing.result_file import bad_line_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pettui.transfer.importing.import_duplicates import ImportDuplicates
    from pettui.transfer.importing.import_progress import ImportProgress
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.importing.unknown_check import UnknownCheck
    from pettui.transfer.reading.import_lines import BadLine

SHOWN: Final = 100  # lines of a kind; the result file has all
NOT_ADDED: Final = (OutcomeKind.REFUSED, OutcomeKind.UNKNOWN)


def bad_text(count: int, key: str, *, are_left_out: bool) -> str:
    """Return how many lines are bad, and what happens to them.

    Args:
        count: of bad lines.
        key: the key that leaves them out; "" for none.
        are_left_out: whether they are left out already.
    """
    lines, verb = ("1 bad line", "is") if count == 1 else (f"{count:,} bad lines", "are")
    if are_left_out:
        return f"{lines} {verb} left out"
    leaves = f", or {key} leaves {'it' if count == 1 else 'them'} out" if key else ""
    return f"{lines}, so nothing is sent: correct the file{leaves}"


def duplicates_text(
    found: ImportDuplicates, left_out_by: str, sent_by: str, choice: DuplicateChoice | None
) -> str:
    """Return how many lines are duplicates, among how many animals, and what happens to them.

    Args:
        found: in the file and in the list.
        left_out_by: the key that leaves them out; "" for none.
        sent_by: the key that sends them; "" for none.
        choice: what is done with them; None if none of them is left to send.
    """
    if choice is None:
        return found.sentence
    count, _, where = found.sentence.partition(": ")
    it, verb = ("it", "is") if len(found.names) == 1 else ("them", "are")
    if choice is DuplicateChoice.LEFT_OUT:
        sends = f", {sent_by} sends {it} too" if sent_by else ""
        return f"{count} {verb} left out{sends}: {where}"
    if choice is DuplicateChoice.SENT:
        return f"{count} {verb} sent too: {where}"
    keys = ((left_out_by, f"leaves {it} out"), (sent_by, f"sends {it} too"))
    ways = ", ".join(f"{key} {does}" for key, does in keys if key)
    return f"{count}, so nothing is sent{': ' if ways else ''}{ways}; {where}"


def check_text(check: UnknownCheck) -> str:
    """Return how many unknown lines were found, and among how many animals."""
    found = sum(each.kind is OutcomeKind.ADDED for each in check.outcomes)
    whole = "" if check.is_complete else ", which is not all that are newer than the import"
    lines = counted_lines(len(check.outcomes))
    return f"{found:,} of {lines} found among {check.checked:,} animals{whole}"


def progress_texts(progress: ImportProgress) -> Iterator[tuple[str, str]]:
    """Yield how far an import is, each fact with its style, the most important first; raw."""
    done = progress.total - progress.remaining
    yield f"{done:,} of {progress.total:,}", "strong"
    if progress.unknown:
        yield f"{progress.unknown:,} unknown", "notice"
    if progress.refused:
        yield f"{progress.refused:,} refused", "error"
    if progress.waiting is not None:
        yield f"retrying in {duration(progress.tries_in)}: {progress.waiting}", "notice"
        return
    if progress.remaining and progress.seconds_left is not None:
        yield f"{duration(progress.seconds_left)} left", ""
    yield f"{progress.rate:,.0f} a second", "muted"


def bad_rows(lines: Iterable[BadLine]) -> list[tuple[str, str]]:
    """Return the location of each bad line, and why it is bad: the first ones, raw."""
    return _first([(each.position.label, bad_line_reason(each)) for each in lines], "bad")


def duplicate_rows(found: ImportDuplicates) -> list[tuple[str, str]]:
    """Return the location of each duplicate, and of what it is one: the first ones, raw."""
    rows = [(position.label, f"a duplicate of {name}") for position, name in found.names.items()]
    return _first(rows, "duplicates")


def failed_rows(outcomes: Iterable[LineOutcome]) -> list[tuple[str, str]]:
    """Return the location of each line that was not added, and why: the first ones, raw."""
    rows = [
        (each.line.position.label, f"{each.kind.value}: {each.error}")
        for each in outcomes
        if each.kind in NOT_ADDED
    ]
    return _first(rows, "not added")


def _first(rows: list[tuple[str, str]], what: str) -> list[tuple[str, str]]:
    more = len(rows) - SHOWN
    if more <= 0:
        return rows
    return [*rows[:SHOWN], ("", f"{counted_lines(more)} more {what}")]
