"""The messages of an import before and after sending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.transfer.importing.import_summary import counted_lines
from pettui.transfer.importing.line_states import OutcomeKind
from pettui.transfer.importing.result_file import bad_line_reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.cli.one_shot.standard_error import StandardError
    from pettui.transfer.importing.import_duplicates import ImportDuplicates
    from pettui.transfer.importing.import_preview import ImportPreview
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.importing.unknown_check import UnknownCheck

_BAD_LINES_NAMED: Final = 100
_OTHERS_NAMED: Final = 20  # duplicates, and lines that were not added
_NOT_ADDED: Final = (OutcomeKind.REFUSED, OutcomeKind.UNKNOWN)


def report_preview(preview: ImportPreview, stderr: StandardError) -> None:
    """Print bad lines and ignored columns."""
    if preview.ignored_columns:
        stderr.notice(f"ignored columns: {', '.join(preview.ignored_columns)}")
    bad = preview.bad_lines
    for each in bad[:_BAD_LINES_NAMED]:
        stderr.error(f"{each.position.label}: {bad_line_reason(each)}")
    if len(bad) > _BAD_LINES_NAMED:
        stderr.error(f"{counted_lines(len(bad) - _BAD_LINES_NAMED)} more are bad")


def report_duplicates(
    duplicates: ImportDuplicates,
    stderr: StandardError,
    *,
    are_left_out: bool,
    is_dry_run: bool,
) -> None:
    """Print which lines are duplicates, and warn if they are sent."""
    for position, name in [*duplicates.names.items()][:_OTHERS_NAMED]:
        stderr.notice(f"{position.label} is a duplicate of {name}")
    if not duplicates.names:
        stderr.notice(duplicates.sentence)
    elif are_left_out:
        stderr.notice(f"{duplicates.sentence}; left out")
    elif is_dry_run:
        stderr.notice(f"{duplicates.sentence}; --skip-duplicates leaves them out")
    else:
        stderr.warn(f"{duplicates.sentence}; sent all the same: --skip-duplicates leaves them out")


def report_check(check: UnknownCheck, stderr: StandardError) -> None:
    """Print what became of unknown lines."""
    if not check.outcomes:
        stderr.notice("no line is unknown")
        return
    found = sum(each.kind is OutcomeKind.ADDED for each in check.outcomes)
    looked = f"searched {check.checked:,} animals"
    if not check.is_complete:
        looked += ", but not all that are newer than the import"
    stderr.notice(f"{found:,} of {counted_lines(len(check.outcomes))} found; {looked}")


def report_outcomes(outcomes: Sequence[LineOutcome], stderr: StandardError) -> None:
    """Print why lines were not added, word for word, and what is odd about added ones."""
    odd = [each for each in outcomes if each.kind is OutcomeKind.ADDED and each.error]
    for each in odd[:_OTHERS_NAMED]:
        stderr.warn(f"{each.line.position.label}: added with id {each.pet_id}: {each.error}")
    failed = [each for each in outcomes if each.kind in _NOT_ADDED]
    for each in failed[:_OTHERS_NAMED]:
        what = "unknown: " if each.kind is OutcomeKind.UNKNOWN else ""
        stderr.error(f"{each.line.position.label}: {what}{each.error}")
    if len(failed) > _OTHERS_NAMED:
        stderr.error(f"{counted_lines(len(failed) - _OTHERS_NAMED)} more were not added")
