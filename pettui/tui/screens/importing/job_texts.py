"""The texts of an import: about the whole file, and about single lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.transfer.importing.import_summary import counted_lines
from pettui.transfer.importing.line_states import OutcomeKind
from pettui.tui.screens.importing.import_job import Phase
from pettui.tui.wording.importing_texts import (
    bad_rows,
    bad_text,
    check_text,
    duplicate_rows,
    duplicates_text,
    failed_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pettui.tui.screens.importing.import_job import ImportJob

    RawText = tuple[str, str]  # and the name of its style


def job_texts(job: ImportJob, keys: Mapping[str, str]) -> Iterator[RawText]:
    """Yield the texts about the file, from top to bottom.

    Args:
        job: in any phase.
        keys: what runs an action now, by its name; "" for none.
    """
    preview, choice = job.file.preview, job.choice
    yield job.file.path.name, "strong"
    if job.phase is Phase.OVER:
        yield from _ending(job)
    if job.phase is not Phase.SENDING and (choice.count or job.phase is not Phase.OVER):
        key = keys["view_lines"]
        shows = f", {key} shows {'it' if choice.count == 1 else 'them'}" if key else ""
        yield f"{counted_lines(choice.count)} to add{shows}", "accent"
    if bad := len(preview.bad_lines):
        text = bad_text(bad, keys["leave_out_bad"], are_left_out=choice.leaves_out_bad)
        yield text, "muted" if choice.leaves_out_bad else "error"
    if choice.duplicates is not None:
        decided = choice.duplicate_choice if choice.has_duplicates else None
        text = duplicates_text(
            choice.duplicates, keys["leave_out_duplicates"], keys["send_duplicates"], decided
        )
        yield text, "error" if choice.is_held_by_duplicates else "muted"
    yield from _earlier(job)
    if job.check is not None:
        yield check_text(job.check), "notice"
    if preview.ignored_columns:
        yield f"columns that are ignored: {', '.join(preview.ignored_columns)}", "muted"


def job_rows(job: ImportJob) -> list[tuple[str, str]]:
    """Return the position of single lines, and a text about each; raw."""
    rows = failed_rows(job.outcomes) if job.phase is Phase.OVER else []
    rows += bad_rows(job.file.preview.bad_lines)
    if (duplicates := job.choice.duplicates) is not None:
        rows += duplicate_rows(duplicates)
    return rows


def _earlier(job: ImportJob) -> Iterator[RawText]:
    if job.phase is Phase.SENDING:
        return
    choice = job.choice
    earlier = choice.count_of(OutcomeKind.ADDED_EARLIER)
    if earlier and (job.phase is not Phase.OVER or choice.options.again):
        then = "sent again" if choice.options.again else "left out"
        yield f"{counted_lines(earlier)} added already, {then}", "muted"
    if unknown := choice.count_of(OutcomeKind.UNKNOWN):
        then = ", sent again" if choice.options.retry_unknown else ""
        yield f"{counted_lines(unknown)} may have been added: unknown{then}", "notice"


def _ending(job: ImportJob) -> Iterator[RawText]:
    summary = job.summary
    style = "error" if summary.refused or summary.unknown else "good"
    if job.was_stopped:
        yield f"stopped: {summary.sentence()}", "notice"
    else:
        yield summary.sentence(), style
    if job.advice:
        yield job.advice, "notice"
    if job.result_error:
        yield job.result_error, "error"
    else:
        yield f"the result is in {job.file.result.name}", "muted"
