"""ImportJob: the import of one file, from the search for duplicates to the results."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.models import Pet
from pettui.transfer.errors import TransferError
from pettui.transfer.importing.import_duplicates import find_duplicates
from pettui.transfer.importing.import_progress import not_begun
from pettui.transfer.importing.import_run import ImportRun, until_over
from pettui.transfer.importing.import_summary import import_summary, stop_advice
from pettui.transfer.importing.line_states import LineOutcome, OutcomeKind
from pettui.transfer.importing.result_file import result_lines, write_result
from pettui.transfer.importing.unknown_check import check_unknown
from pettui.tui.screens.importing.line_choice import LineChoice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pettui.client import Notice, OnWait, PetClient
    from pettui.transfer.importing.import_progress import ImportProgress
    from pettui.transfer.importing.import_summary import ImportSummary
    from pettui.transfer.importing.journals.journal import Journal
    from pettui.transfer.importing.unknown_check import UnknownCheck
    from pettui.transfer.reading.import_lines import Position
    from pettui.tui.screens.importing.checked_file import CheckedFile
    from pettui.tui.session_receipt import Receipt


class Phase(Enum):
    """The phase of a job."""

    LOOKING = auto()  # the duplicates are not known yet
    READY = auto()
    SENDING = auto()
    OVER = auto()  # sent or stopped; the results are written


class ImportJob:
    """Its lines can be chosen before a run, and again after it."""

    def __init__(
        self, client: Callable[[], PetClient], journal: Journal, file: CheckedFile, receipt: Receipt
    ) -> None:
        """Plan to send all lines.

        Args:
            client: returns what sends, with the newest API key; its caller closes it.
            journal: open; ``close`` closes it.
            file: has the lines.
            receipt: of the session; gets the animals that are added.
        """
        self.file = file
        self.choice = LineChoice(journal, file.preview)
        self.phase = Phase.LOOKING
        self.check: UnknownCheck | None = None  # the newest
        self.progress: ImportProgress | None = None  # of the newest run
        self.notices: tuple[Notice, ...] = ()  # of createPet's responses
        self.outcomes: tuple[LineOutcome, ...] = ()  # of the newest run, once it is over
        self.result_error = ""  # why the results could not be written; raw
        self.was_stopped = False  # before all lines were sent
        self.advice = ""  # how to continue where a refusal stopped the newest run
        self.added = 0  # by all runs
        self._client = client
        self._journal = journal
        self._receipt = receipt
        self._sent: set[Position] = set()  # the lines that were sent
        self._is_closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def summary(self) -> ImportSummary:
        """The outcomes of the newest run, in numbers."""
        return import_summary(self.outcomes, len(self.file.preview.bad_lines))

    # Tasks, one at a time; each can be cancelled

    async def look_for_duplicates(self, on_wait: OnWait, on_page: Callable[[int], object]) -> None:
        """Find the lines that are duplicates of each other or of listed animals.

        Raises:
            PetClientError: the list could not be loaded.
        """
        with self._busy():
            await self._look_for_duplicates(on_wait, on_page)
            self.phase = Phase.READY

    async def _look_for_duplicates(
        self, on_wait: OnWait, on_page: Callable[[int], object] | None = None
    ) -> None:
        lines = self.choice.to_compare
        duplicates = await find_duplicates(
            self._client(), self.file.preview, lines, on_wait, on_page
        )
        self.choice.duplicates_found(duplicates)

    async def look_for_unknown(self, on_wait: OnWait, on_page: Callable[[int], object]) -> None:
        """Look for unknown lines in the service's list, and write into the results what was found.

        Raises:
            PetClientError: the list could not be loaded.
            TransferError: the journal cannot be written.
        """
        with self._busy():
            self.check = await check_unknown(
                self._client(),
                self._journal,
                self.choice.numbered,
                on_wait=on_wait,
                on_page=on_page,
            )
            self.choice.choose(self.choice.options)
            found = {each.line.position: each for each in self.check.outcomes}
            known = self.outcomes or self.choice.outcomes
            self.outcomes = tuple(found.get(each.line.position, each) for each in known)
            self._note_added(self.check.outcomes)
            await self._write_results()

    async def send(self, on_progress: Callable[[], object], on_wait: OnWait) -> None:
        """Send the chosen lines, and write the results, even after an error or a cancellation.

        Lines chosen since the list was read are compared with it first; nothing is sent if there
        are duplicates that nobody has decided about.

        Raises:
            PetClientError: the service could not be reached at the start, or refused the key.
            TransferError: the journal cannot be written.
        """

        def report(progress: ImportProgress) -> None:
            self.progress = progress
            on_progress()

        with self._busy():
            before, self.phase = self.phase, Phase.SENDING
            report(not_begun(self.choice.count))
            try:
                if not self.choice.knows_duplicates:
                    await self._look_for_duplicates(on_wait)
            except BaseException:
                self.phase = before
                raise
            if self.choice.is_held:
                self.phase = before
                return
            lines = self.choice.without_duplicates()
            self._sent.update(line.position for line in self.choice.to_send)
            run = ImportRun(
                self._client(), self._journal, lines, self.choice.options, report, on_wait=on_wait
            )
            self.was_stopped, self.advice = False, ""
            try:
                await run.run()
            except asyncio.CancelledError:
                self.was_stopped = import_summary(run.outcomes, 0).not_sent > 0
                raise
            except PetClientError as error:
                self.advice = stop_advice(error, import_summary(run.outcomes, 0))
                raise
            finally:
                await self._end(run)

    async def _end(self, run: ImportRun) -> None:
        duplicates = (LineOutcome(line, OutcomeKind.DUPLICATE) for line in self.choice.left_out())
        self.outcomes = (*run.outcomes, *duplicates)
        self.notices = run.notices or self.notices
        self._note_added(run.outcomes)
        self.phase = Phase.OVER
        # The next Enter must not send these again.
        self.choice.choose(replace(self.choice.options, again=False, retry_unknown=False))
        await self._write_results()

    def _note_added(self, outcomes: Iterable[LineOutcome]) -> None:
        """Count the added lines, and put those that were sent here into the receipt."""
        for each in outcomes:
            if each.kind is not OutcomeKind.ADDED or each.pet_id is None:
                continue
            self.added += 1
            if each.line.position in self._sent:
                new_pet = each.line.new_pet
                pet = Pet(
                    id=each.pet_id,
                    name=new_pet.name,
                    category_id=new_pet.category_id,
                    status=new_pet.status,
                )
                self._receipt.add(f"import {each.pet_id}", pet)

    async def _write_results(self) -> None:
        writing = asyncio.create_task(asyncio.to_thread(self._write_result))
        await until_over(writing)
        try:
            await writing
            self.result_error = ""
        except TransferError as error:
            self.result_error = str(error)

    def _write_result(self) -> None:
        duplicates = self.choice.duplicates
        names = duplicates.names if duplicates is not None else {}
        lines = result_lines(self.outcomes, self.file.preview.bad_lines, names)
        write_result(self.file.result, lines)

    @contextmanager
    def _busy(self) -> Iterator[None]:
        self._idle.clear()
        try:
            yield
        finally:
            if self._is_closed:
                self._journal.close()
            self._idle.set()

    async def close(self) -> None:
        """Close the journal, once the running task has ended."""
        self._is_closed = True
        if self._idle.is_set():
            self._journal.close()
        await self._idle.wait()
