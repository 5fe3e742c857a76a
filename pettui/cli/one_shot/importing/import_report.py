"""What an import says on standard error before and after it sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.cli.one_shot.pet_query import counted
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

_BAD_LINES_TOLD: Final = 100
_OTHERS_TOLD: Final = 20  # duplicates, and lines that were not added
_NOT_ADDED: Final = (OutcomeKind.REFUSED, OutcomeKind.UNKNOWN)


def tell_preview(preview: ImportPreview, stderr: StandardError) -> None:
    """Say what is wrong with a file, and what of it is not taken."""
    if preview.ignored_columns:
        stderr.notice(f"columns that are ignored: {', '.join(preview.ignored_columns)}")
    bad = preview.bad_lines
    for each in bad[:_BAD_LINES_TOLD]:
        stderr.error(f"{each.position.label}: {bad_line_reason(each)}")
    if len(bad) > _BAD_LINES_TOLD:
        stderr.error(f"{counted_lines(len(bad) - _BAD_LINES_TOLD)} more are bad")


def tell_duplicates(
    duplicates: ImportDuplicates, stderr: StandardError, *, are_left_out: bool
) -> None:
    """Say which lines are duplicates, and how far was looked for them."""
    for position, name in [*duplicates.names.items()][:_OTHERS_TOLD]:
        stderr.notice(f"{position.label} is a duplicate of {name}")
    looked = f"the {counted(duplicates.looked_at)} that the service lists"
    if duplicates.reason is not None:
        looked = f"the first {counted(duplicates.looked_at)} of the list ({duplicates.reason})"
    if not duplicates.names:
        stderr.notice(f"no duplicates, neither in the file nor among {looked}")
        return
    counts = f"{duplicates.repeated:,} within the file, {duplicates.listed:,} among {looked}"
    count = len(duplicates.names)
    then = "left out" if are_left_out else "--skip-duplicates leaves them out"
    stderr.notice(f"{count:,} duplicate{'' if count == 1 else 's'}: {counts}; {then}")


def tell_check(check: UnknownCheck, stderr: StandardError) -> None:
    """Say what became of lines that were unknown."""
    if not check.outcomes:
        stderr.notice("no line is unknown")
        return
    found = sum(each.kind is OutcomeKind.ADDED for each in check.outcomes)
    looked = f"{check.looked_at:,} animals were looked at"
    if not check.is_whole:
        looked += ", which is not all that are newer than the import"
    stderr.notice(f"{found:,} of {counted_lines(len(check.outcomes))} found; {looked}")


def tell_outcomes(outcomes: Sequence[LineOutcome], stderr: StandardError) -> None:
    """Say why the first lines were not added, word for word, and what is odd about added ones."""
    odd = [each for each in outcomes if each.kind is OutcomeKind.ADDED and each.error]
    for each in odd[:_OTHERS_TOLD]:
        stderr.warn(f"{each.line.position.label}: added with id {each.pet_id}: {each.error}")
    failed = [each for each in outcomes if each.kind in _NOT_ADDED]
    for each in failed[:_OTHERS_TOLD]:
        what = "unknown: " if each.kind is OutcomeKind.UNKNOWN else ""
        stderr.error(f"{each.line.position.label}: {what}{each.error}")
    if len(failed) > _OTHERS_TOLD:
        stderr.error(f"{counted_lines(len(failed) - _OTHERS_TOLD)} more were not added")
