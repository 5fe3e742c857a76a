"""``pettui import``: sends each animal of a file exactly once."""

from __future__ import annotations

import asyncio
import gc
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pettui.cli.exit_codes import BAD_INPUT, INTERRUPTED, OK, SOME_LINES, exit_code
from pettui.cli.import_journals import open_journal
from pettui.cli.one_shot.importing.import_arguments import (
    parallel_requests,
    result_target,
    with_connections,
)
from pettui.cli.one_shot.importing.import_ending import ImportEnding
from pettui.cli.one_shot.importing.import_input import STANDARD_INPUT, opened_input
from pettui.cli.one_shot.importing.import_report import (
    report_check,
    report_duplicates,
    report_preview,
)
from pettui.cli.one_shot.importing.progress_display import ImportProgressDisplay
from pettui.cli.one_shot.importing.task_signals import cancelled_by_signals
from pettui.cli.one_shot.pet_query import counted
from pettui.client import PetClientError
from pettui.configuration import ConfigurationError, user_path
from pettui.transfer.errors import TransferError
from pettui.transfer.importing.import_duplicates import find_duplicates
from pettui.transfer.importing.import_plan import ImportOptions, import_plan
from pettui.transfer.importing.import_preview import check_import
from pettui.transfer.importing.import_run import ImportRun
from pettui.transfer.importing.import_summary import import_summary, stop_advice
from pettui.transfer.importing.line_keys import numbered_lines
from pettui.transfer.importing.line_states import LineOutcome, OutcomeKind
from pettui.transfer.importing.unknown_check import check_unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.cli.one_shot.one_shot_command import OneShotCall
    from pettui.client import PetClient
    from pettui.transfer.importing.import_plan import ImportPlan
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.line_keys import LineKey
    from pettui.transfer.reading.import_lines import GoodLine

_STANDARD_STREAM: Final = "-"


class ImportCommand:
    """Checks a whole file, and then sends its animals."""

    maybe_sent = False  # the result says what became of each line

    def __init__(self, call: OneShotCall) -> None:
        arguments = call.arguments
        self._arguments = arguments
        self._stderr = call.stderr
        self._options = ImportOptions(
            arguments.again, arguments.retry_unknown, parallel_requests(arguments.parallel)
        )
        self.settings = with_connections(call.settings, self._options.parallel)
        if arguments.dry_run and arguments.check:
            raise ConfigurationError("--check", "not allowed with --dry-run")
        self._display = ImportProgressDisplay(call.stderr, call.settings)
        file = None if arguments.file == _STANDARD_STREAM else user_path(arguments.file, "FILE")
        name = STANDARD_INPUT if file is None else str(file)
        with opened_input(file, call.stderr) as source:
            result = result_target(arguments.result, file, is_dry_run=arguments.dry_run)
            call.stderr.progress("checking all lines")
            self._preview = check_import(source, name, call.settings.profile.categories)
        self._ending = ImportEnding(
            self._preview.bad_lines, result, arguments.dry_run, call.stderr, self.settings
        )
        self._run: ImportRun | None = None

    async def run(self, client: PetClient) -> int:
        """Send the animals, report what became of them, and return the exit code.

        Raises:
            PetClientError: a call failed before anything was sent.
            TransferError: the journal cannot be used.
        """
        gc.freeze()  # the file's lines are no garbage, and searching them takes time
        gc.enable()  # as in every long-running command
        report_preview(self._preview, self._stderr)
        with cancelled_by_signals():
            try:
                with closing(open_journal(self.settings.profile)) as journal:
                    return await self._with_journal(client, journal)
            except asyncio.CancelledError:
                if self._run is None:
                    self._stderr.error("interrupted; nothing was sent")
                else:
                    self._ending.finish(self._outcomes(self._run), code=INTERRUPTED)
                raise

    async def _with_journal(self, client: PetClient, journal: Journal) -> int:
        lines = numbered_lines(self._preview.lines)
        if self._arguments.check:
            check = await check_unknown(
                client, journal, lines, on_wait=self._stderr.retry, on_page=self._show_compared
            )
            report_check(check, self._stderr)
            if not self._options.retry_unknown:
                known = import_plan(journal, lines, self._options).outcomes
                found = {each.line.position: each for each in check.outcomes}
                return self._ending.finish([found.get(each.line.position, each) for each in known])
        plan = import_plan(journal, lines, self._options)
        if self._preview.bad_lines and not (self._arguments.skip_bad or self._arguments.dry_run):
            return self._ending.finish(plan.outcomes, was_begun=False, code=SOME_LINES)
        await self._find_duplicates(client, plan)
        if self._arguments.dry_run:
            return self._finish_dry_run(plan)
        return await self._send(client, journal, lines)

    async def _find_duplicates(self, client: PetClient, plan: ImportPlan) -> None:
        if not plan.to_send:
            return
        found = await find_duplicates(
            client,
            self._preview,
            plan.to_send,
            self._stderr.retry,
            self._show_compared,
        )
        self._ending.duplicates = found.names
        report_duplicates(
            found,
            self._stderr,
            are_left_out=self._arguments.skip_duplicates,
            is_dry_run=self._arguments.dry_run,
        )

    def _show_compared(self, count: int) -> None:
        self._stderr.progress(f"compared with {counted(count)}")

    async def _send(
        self, client: PetClient, journal: Journal, lines: Sequence[tuple[LineKey, GoodLine]]
    ) -> int:
        sent = [(key, line) for key, line in lines if not self._is_left_out(line)]
        self._run = run = ImportRun(
            client,
            journal,
            sent,
            self._options,
            self._display.show,
            on_wait=self._stderr.retry,
        )
        code = None
        try:
            await run.run()
        except PetClientError as error:
            self._stderr.error(str(error))
            if advice := stop_advice(error, import_summary(run.outcomes, 0)):
                self._stderr.error(advice)
            code = exit_code(error)
        except TransferError as error:
            self._stderr.error(str(error))
            code = BAD_INPUT
        self._stderr.notices(run.notices)
        return self._ending.finish(self._outcomes(run), code=code)

    def _is_left_out(self, line: GoodLine) -> bool:
        return self._arguments.skip_duplicates and line.position in self._ending.duplicates

    def _outcomes(self, run: ImportRun) -> list[LineOutcome]:
        left_out = (line for line in self._preview.lines if self._is_left_out(line))
        return [*run.outcomes, *(LineOutcome(line, OutcomeKind.DUPLICATE) for line in left_out)]

    def _finish_dry_run(self, plan: ImportPlan) -> int:
        to_send = {line.position for line in plan.to_send}
        outcomes = []
        for each in plan.outcomes:
            kind = each.kind
            if each.line.position in to_send:
                is_left_out = self._is_left_out(each.line)
                kind = OutcomeKind.DUPLICATE if is_left_out else OutcomeKind.NOT_SENT
            outcomes.append(replace(each, kind=kind))
        code = SOME_LINES if self._preview.bad_lines else OK
        return self._ending.finish(outcomes, was_begun=False, code=code)
