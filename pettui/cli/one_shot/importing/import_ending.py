"""How an import ends: its result, its summary and its exit code."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pettui.cli.exit_codes import BAD_INPUT, INTERRUPTED, NO_ANSWER, OK, SOME_LINES
from pettui.cli.one_shot.importing.import_report import report_outcomes
from pettui.cli.one_shot.standard_output import ClosedPipeError, is_terminal, write_output
from pettui.configuration import ConfigurationError
from pettui.transfer.errors import TransferError
from pettui.transfer.formats import FileFormat
from pettui.transfer.importing.import_summary import import_summary
from pettui.transfer.importing.result_file import result_file, result_lines, write_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pettui.cli.one_shot.standard_error import StandardError
    from pettui.settings import Settings
    from pettui.transfer.importing.import_summary import ImportSummary
    from pettui.transfer.importing.line_states import LineOutcome
    from pettui.transfer.importing.result_file import ResultLine
    from pettui.transfer.reading.import_lines import BadLine, Position

STANDARD_OUTPUT: Final = "-"
"""Where a result can go instead of a file."""


@dataclass(slots=True)
class ImportEnding:
    """Ends an import, whether it is complete, stopped or failed."""

    bad_lines: Sequence[BadLine]
    result: Path | str | None  # a file, STANDARD_OUTPUT, or None for nowhere
    is_dry_run: bool
    stderr: StandardError
    settings: Settings  # for what the terminal can draw
    duplicates: Mapping[Position, str] = field(default_factory=dict)  # when they are known

    def finish(
        self, outcomes: Sequence[LineOutcome], *, was_begun: bool = True, code: int | None = None
    ) -> int:
        """Write the result, print the summary, and return the exit code.

        Args:
            outcomes: of all lines that are animals.
            was_begun: whether sending had started.
            code: the exit code, unless a line is unknown; None derives it from the lines.
        """
        summary = import_summary(outcomes, len(self.bad_lines))
        if code is None or (summary.unknown and was_begun and code != INTERRUPTED):
            code = _exit_code(summary)
        if was_begun:
            report_outcomes(outcomes, self.stderr)
        try:
            self._write_result(result_lines(outcomes, self.bad_lines, self.duplicates))
        except (TransferError, ConfigurationError) as error:
            self.stderr.error(str(error))
            self.result = None
            code = code or BAD_INPUT
        text = self._text(summary, was_begun=was_begun)
        if code == INTERRUPTED:
            text = f"interrupted: {text}"
        (self.stderr.error if code else self.stderr.notice)(text)
        return code

    def _text(self, summary: ImportSummary, *, was_begun: bool) -> str:
        sentence = summary.sentence(is_dry_run=not was_begun)
        if self.is_dry_run:
            parts = [sentence, "nothing was sent"]
        elif not was_begun:
            leaving = "correct the bad lines, or leave them out with --skip-bad"
            parts = ["nothing was sent", sentence, leaving]
        else:
            parts = [sentence, *_what_next(summary)]
        if isinstance(self.result, Path):
            parts.append(f"the result is in {self.result}")
        return "; ".join(parts)

    def _write_result(self, lines: Sequence[ResultLine]) -> None:
        if isinstance(self.result, Path):
            write_result(self.result, lines)
            return
        if self.result is None:
            return
        records: Iterable[bytes] = result_file(lines, FileFormat.CSV)
        if is_terminal():
            from pettui.cli.one_shot.terminal_table import safe_record

            records = (safe_record(record, self.settings) for record in records)
        with suppress(ClosedPipeError):  # the reader has read enough
            write_output(b"".join(records))


def _exit_code(summary: ImportSummary) -> int:
    if summary.unknown:
        return NO_ANSWER
    return SOME_LINES if summary.refused or summary.bad else OK


def _what_next(summary: ImportSummary) -> Iterator[str]:
    wrong = [word for word, count in (("bad", summary.bad), ("refused", summary.refused)) if count]
    if summary.not_sent:
        yield "run it again to continue; nothing is added twice"
    elif wrong:
        yield f"correct {' and '.join(wrong)} lines and run it again; nothing is added twice"
    if summary.unknown:
        yield (
            "unknown lines may have been added; --check looks for them in the list, "
            "--retry-unknown sends them again"
        )
