"""Import: one file, from its checked lines to its results; the command and the screen share it."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from pettui.client import Notice, OnWait, PetClient, PetClientError
from pettui.models.pets import Pet
from pettui.outbox.candidates import CandidateSearch, likeness
from pettui.outbox.entries import OutboxError
from pettui.outbox.receipts import Added, Receipts, Source
from pettui.outbox.sending import random_key
from pettui.transfer.files import TransferError
from pettui.transfer.import_run import (
    ImportOptions,
    ImportProgress,
    ImportRun,
    is_to_be_sent,
    known_outcome,
    until_over,
)
from pettui.transfer.results import (
    ImportSummary,
    LineOutcome,
    OutcomeKind,
    result_lines,
    stop_advice,
    write_result,
)
from pettui.transfer.runs import AddedLine, SourceFile, UnknownLine, numbered_lines
from pettui.transfer.searching import Earlier, OwnAnimal, find_duplicates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pettui.transfer.journal import Journal
    from pettui.transfer.lines import GoodLine, ImportPreview, Position
    from pettui.transfer.open_imports import OpenImports
    from pettui.transfer.results import ResultLine
    from pettui.transfer.runs import LineId, LineState, Run
    from pettui.transfer.searching import Duplicates, OnPage


class Phase(Enum):
    """The phase of an import."""

    LOOKING = auto()  # the duplicates are not known yet
    READY = auto()
    SENDING = auto()
    OVER = auto()  # sent or stopped; the results are written


class Likeness(Enum):
    """How a line is like an animal that is there, or like another line."""

    DUPLICATE = auto()
    CHANGED = auto()  # but for its status: it may be the same animal, a week later


class Choice(Enum):
    """What is done with the lines to send that are alike in one way."""

    UNDECIDED = auto()  # nothing is sent
    LEFT_OUT = auto()
    SENT = auto()


class OwnLine(NamedTuple):
    """A line that the file's run added before."""

    line_id: LineId
    line: GoodLine
    state: AddedLine

    @property
    def animal(self) -> OwnAnimal:
        """What it became."""
        return OwnAnimal(self.state.pet_id, self.line.new_pet.name, self.line.new_pet.category_id)


class Import:
    """Sends every line without an outcome, unless some are left out or others chosen.

    Its lines can be chosen before a run, and again after it.
    """

    def __init__(
        self,
        preview: ImportPreview,
        journal: Journal,
        options: ImportOptions | None = None,
        result: Path | None = None,
        *,
        file: Path | None = None,
        receipts: Receipts | None = None,
        open_imports: OpenImports | None = None,
        on_added: Callable[[Pet], object] | None = None,
    ) -> None:
        """Choose every line that the run of the file has no outcome of.

        Args:
            preview: the whole file.
            journal: open; ``close`` closes it.
            options: which other lines are sent, and how many at once.
            result: the file that each task replaces with the results so far; None for none.
            file: what was read; None for standard input.
            receipts: keep what is added; None keeps none.
            open_imports: keep how many lines of the file are not added yet.
            on_added: called with each animal that is added.
        """
        self._on_added = on_added
        self._open_imports = open_imports
        self._receipts = receipts
        self.receipt_error = ""  # why something is not in the receipt; raw
        self.preview = preview
        self.result = result
        self.phase = Phase.LOOKING
        self.leaves_out_bad = False
        self.leaves_out_unreadable = False  # rows of the list
        self.samples = 0  # all that the store has, while it is not decided about them
        self.duplicates: Duplicates | None = None  # once they are known
        self._choices: dict[Position, Choice] = {}  # of the lines to send that are alike
        self.candidates_by_line: Mapping[Position, Sequence[Pet]] = {}  # as a check found them
        self.progress: ImportProgress | None = None  # of the newest run
        self.notices: tuple[Notice, ...] = ()  # of createPet's responses
        self.outcomes: tuple[LineOutcome, ...] = ()  # of the newest run, once it is over
        self.added: list[Pet] = []  # by all runs
        self.result_error = ""  # why the results could not be written; raw
        self.was_stopped = False  # before all lines were sent
        self.advice = ""  # how to continue where a refusal stopped the newest run
        self._journal, self._file = journal, file
        self._numbered = numbered_lines(preview.lines)
        ids = {line_id: None for line_id, _ in self._numbered}
        source = SourceFile.of(file, preview.digest, ids)
        journal.choose_run(source, ids.keys())
        self.run: Run | None = journal.run  # that goes on; None where one begins
        # Lines that it added, and that are none of the same bytes as they are read now:
        self.lost = 0 if self.run is None else self.run.lost(source, ids.keys())
        self._own = [  # what the run added before
            OwnLine(line_id, line, state)
            for line_id, line, state in self._states()
            if isinstance(state, AddedLine)
        ]
        self._earlier = Earlier(
            journal.earlier_lines(self._numbered), frozenset(each.animal for each in self._own)
        )
        self._searched: set[Position] = set()  # the lines that were compared with the list
        self._store_id: str | None = None  # that promised to add once, if it was asked
        self._is_closed = False
        self._idle = asyncio.Event()
        self._idle.set()
        self.choose(options or ImportOptions())

    def _states(self) -> Iterator[tuple[LineId, GoodLine, LineState | None]]:
        """Yield each line with what the journal knows of it now."""
        return ((each, line, self._journal.state(each)) for each, line in self._numbered)

    @property
    def summary(self) -> ImportSummary:
        """The outcomes of the newest run, in numbers."""
        return ImportSummary(self.outcomes, len(self.preview.bad_lines))

    # Which lines are sent

    def choose(self, options: ImportOptions) -> None:
        """Choose by the outcomes that the journal has now."""
        journal, numbered = self._journal, self._numbered
        self.options = options = replace(
            options, gone=frozenset(each.line_id for each in self.gone_lines)
        )
        self.known = tuple(known_outcome(journal, line_id, line) for line_id, line in numbered)
        # With the duplicates that are left out:
        self.candidates = [
            line for line_id, line in numbered if is_to_be_sent(journal, line_id, options)
        ]
        # The list may have an unknown line since it was compared.
        self._searched -= self._known_as(OutcomeKind.UNKNOWN)
        self._counts = Counter(outcome.kind for outcome in self.known)
        self._promised = {
            line.position: state.promise.store_id
            for _, line, state in self._states()
            if isinstance(state, UnknownLine) and state.promise is not None
        }
        self._note_alike()

    @property
    def gone_lines(self) -> list[OwnLine]:
        """The lines whose animals are not in the list any more, and were not added again."""
        gone = frozenset() if self.duplicates is None else self.duplicates.gone
        lines = [each for each in self._own if each.animal in gone] if gone else []
        # One that was added again may have got the same id: the service may count from 1 again.
        return [each for each in lines if self._journal.state(each.line_id) is each.state]

    @property
    def gone(self) -> int:
        """How many animals of the run the list does not have any more."""
        return len(self.options.gone)

    def choose_alike(self, likeness: Likeness, choice: Choice) -> None:
        """Leave all lines out that are so alike, send them too, or send nothing meanwhile."""
        alike = [line.position for line in self.candidates if self.likeness(line) is likeness]
        self._choices.update(dict.fromkeys(alike, choice))
        self._count_lines()

    def choose_line(self, line: GoodLine, choice: Choice) -> None:
        """Send a single line that is alike, or leave it out."""
        self._choices[line.position] = choice
        self._count_lines()

    def _note_alike(self) -> None:
        """Keep what is chosen of the lines that are alike; nothing is, yet, of new ones."""
        alike = (line.position for line in self.candidates if self.likeness(line) is not None)
        self._choices = {each: self._choices.get(each, Choice.UNDECIDED) for each in alike}
        self._count_lines()

    def _count_lines(self) -> None:
        """Count the lines to send once: each id needs it, and a file may be long."""
        self.count = len(self.to_send)
        kinds = ((self.likeness(line), self.choice_of(line)) for line in self.candidates)
        self._alike = Counter(each for each in kinds if each[1] is not None)

    @property
    def to_send(self) -> list[GoodLine]:
        """The lines that would be sent now."""
        return [line for line in self.candidates if self.choice_of(line) is not Choice.LEFT_OUT]

    @property
    def repeated(self) -> int:
        """How many lines got no answer and are sent again by themselves, to be added once."""
        return sum(map(self._is_repeated, self.candidates))

    def count_alike(self, likeness: Likeness, *choices: Choice) -> int:
        """Return how many lines are so alike, of which this is chosen; without any, all."""
        return sum(self._alike[likeness, choice] for choice in choices or Choice)

    def choice_of(self, line: GoodLine) -> Choice | None:
        """Return what is chosen of a line to send that is alike; None of any other."""
        return self._choices.get(line.position)

    @property
    def can_leave_out_bad(self) -> bool:
        """Whether bad lines are in the way of others."""
        return bool(self.preview.bad_lines and self.candidates)

    @property
    def has_listed_duplicates(self) -> bool:
        """Whether lines to send are like animals that are there, but for what the run added."""
        if self.duplicates is None:
            return False
        own = self._known_as(OutcomeKind.ADDED_EARLIER) | self.duplicates.within
        return not self.duplicates.names.keys() <= own

    @property
    def is_held_by_unreadable(self) -> bool:
        """Whether nothing is sent since rows of the list could not be compared."""
        has_some = self.duplicates is not None and self.duplicates.unreadable > 0
        return has_some and not self.leaves_out_unreadable

    @property
    def is_held_by_alike(self) -> bool:
        """Whether nothing is sent until it is decided about lines that are alike."""
        return Choice.UNDECIDED in self._choices.values()

    @property
    def is_held_by_reading(self) -> bool:
        """Whether nothing is sent since the same file would be added once more, read otherwise."""
        return self.lost > 0 and not self.options.again and self.count > 0

    @property
    def is_held(self) -> bool:
        """Whether nothing is sent until the user decides."""
        is_held_by_bad = bool(self.preview.bad_lines) and not self.leaves_out_bad
        is_held_by_store = self.samples > 0 or self.is_held_by_alike
        return is_held_by_bad or is_held_by_store or self.is_held_by_reading

    def left_out_outcome(self, line: GoodLine) -> LineOutcome:
        """Return the outcome of a line that is left out since it is alike."""
        is_changed = self.likeness(line) is Likeness.CHANGED
        return LineOutcome(line, OutcomeKind.CHANGED if is_changed else OutcomeKind.DUPLICATE)

    def count_of(self, kind: OutcomeKind) -> int:
        """Return how many lines have this outcome by the journal, before they are sent."""
        return self._counts[kind]

    def likeness(self, line: GoodLine) -> Likeness | None:
        """Return how a line is like an animal that is there, or like another line."""
        found = self.duplicates
        if found is None or self._is_repeated(line):
            return None
        if line.position in found.names:
            return Likeness.DUPLICATE
        return Likeness.CHANGED if line.position in found.changed else None

    def _is_repeated(self, line: GoodLine) -> bool:
        """Whether a line is sent again with its key: it is no duplicate of itself.

        On request it is sent to any store, so that it must be the one that promised.
        """
        store_id = self._promised.get(line.position)
        is_by_itself = not self.options.retry_unknown
        return store_id is not None and (is_by_itself or store_id == self._store_id)

    def _known_as(self, kind: OutcomeKind) -> set[Position]:
        return {each.line.position for each in self.known if each.kind is kind}

    def _to_compare(self) -> list[GoodLine]:
        """Return the lines to send that may be in the list as others' animals.

        Those added before are in it for sure: their own id has decided about them. So it has, or
        will, about those that are sent again with their keys.
        """
        earlier = self._known_as(OutcomeKind.ADDED_EARLIER)
        candidates = (line for line in self.candidates if not self._is_repeated(line))
        return [line for line in candidates if line.position not in earlier]

    def read_as(self, preview: ImportPreview) -> Import:
        """Return the import of the same file, of which the user says otherwise what is in it."""
        return Import(
            preview,
            self._journal,
            self.options,
            self.result,
            file=self._file,
            receipts=self._receipts,
            open_imports=self._open_imports,
            on_added=self._on_added,
        )

    # Tasks, one at a time; each can be cancelled

    async def look_for_duplicates(
        self, client: PetClient, on_wait: OnWait, on_page: OnPage, *, with_earlier: bool = False
    ) -> None:
        """Find the lines that are duplicates of each other or of listed animals.

        Args:
            client: of the service.
            on_wait: called before a page is retried.
            on_page: called with the number of animals checked so far.
            with_earlier: whether lines are compared, too, that are sent again on request.

        Raises:
            PetClientError: the list could not be loaded.
        """
        with self._busy():
            await self._ask_for_promise(client, on_wait)
            lines = self._to_compare()
            if with_earlier:
                lines = [line for line in self.candidates if not self._is_repeated(line)]
            await self._look_for_duplicates(lines, client, on_wait, on_page)
            self.phase = Phase.READY

    async def _look_for_duplicates(
        self,
        lines: Iterable[GoodLine],
        client: PetClient,
        on_wait: OnWait,
        on_page: OnPage | None = None,
    ) -> None:
        earlier = self._earlier._replace(again=self._known_as(OutcomeKind.ADDED_EARLIER))
        self.duplicates = await find_duplicates(
            client,
            self.preview.lines,
            lines,
            on_wait=on_wait,
            on_page=on_page,
            earlier=earlier,
        )
        self._searched.update(line.position for line in lines)
        self.choose(self.options)
        if self.gone:  # which are sent again, and none of the others that the run added
            self.duplicates = self.duplicates.among({line.position for line in self.candidates})
            self._note_alike()

    async def _ask_for_promise(self, client: PetClient, on_wait: OnWait) -> None:
        """Learn whether lines that are sent again on request get to the store that promised."""
        if self.options.retry_unknown and self._promised:
            page = await client.list_pets(1, on_wait=on_wait, idempotency_key=random_key())
            self._store_id = page.store_id
            self._note_alike()

    # Unknown lines: the user decides what they became

    def is_unknown(self, line_id: LineId) -> bool:
        """Whether a line is still one of ``unknown``."""
        return isinstance(self._journal.state(line_id), UnknownLine)

    @property
    def unknown(self) -> list[tuple[LineId, GoodLine, UnknownLine]]:
        """The lines of which no response says whether they were added."""
        return [
            (line_id, line, state)
            for line_id, line, state in self._states()
            if isinstance(state, UnknownLine)
        ]

    @property
    def added_ids(self) -> frozenset[int]:
        """The animals that lines became, of this file and of others."""
        return self._journal.added_ids

    async def find_candidates(
        self, client: PetClient, on_wait: OnWait, on_page: OnPage
    ) -> CandidateSearch:
        """Find the listed animals that unknown lines could be, but for what other lines became.

        Args:
            client: of the service.
            on_wait: called before a page is retried.
            on_page: called with the number of animals read so far.

        Raises:
            PetClientError: a page could not be loaded.
        """
        unknown = [line.new_pet for _, line, _ in self.unknown]
        search = CandidateSearch(likeness(pet.name, pet.category_id) for pet in unknown)
        while unknown and not search.is_over:
            await search.read_page(client, on_wait=on_wait)
            on_page(search.rows)
        added, found = self.added_ids, {}
        for _, line, _ in self.unknown:
            alike = search.found[likeness(line.new_pet.name, line.new_pet.category_id)]
            found[line.position] = [pet for pet in alike.pets if pet.id not in added]
        self.candidates_by_line = found
        return search

    async def resolve(self, line_id: LineId, pet: Pet) -> None:
        """Record that an unknown line was added: the user says which listed animal it became.

        Raises TransferError where the journal cannot be written.
        """
        if not self.is_unknown(line_id):
            return
        with self._busy():
            self._journal.added(line_id, pet.id)
            line = next(line for each, line in self._numbered if each == line_id)
            self._note_added(line_id, line, pet.id)
            outcome = LineOutcome(line, OutcomeKind.ADDED, pet.id)
            self.choose(self.options)
            self.outcomes = tuple(
                outcome if each.line.position is line.position else each
                for each in self.outcomes or self.known
            )
            await self._keep_open(self.outcomes)
            await self._write_results()

    async def send(
        self, client: PetClient, on_progress: Callable[[ImportProgress], None], on_wait: OnWait
    ) -> None:
        """Send the chosen lines, and write the results, even after an error or a cancellation.

        Lines chosen since the list was read are compared with it first; nothing is sent if there
        are duplicates that it is not decided about.

        Raises:
            PetClientError: the service could not be reached at the start, or refused the key.
            TransferError: the journal cannot be written.
        """

        def report(progress: ImportProgress) -> None:
            self.progress = progress
            on_progress(progress)

        with self._busy():
            before, self.phase = self.phase, Phase.SENDING
            try:
                report(ImportProgress(self.count, remaining=self.count))
                await self._ask_for_promise(client, on_wait)
                lines = self._to_compare()
                if not all(line.position in self._searched for line in lines):
                    await self._look_for_duplicates(lines, client, on_wait)
            except BaseException:
                self.phase = before
                raise
            if self.is_held or self.is_held_by_unreadable:
                self.phase = before
                return
            await self._run(client, report, on_wait)

    async def _run(
        self, client: PetClient, on_progress: Callable[[ImportProgress], None], on_wait: OnWait
    ) -> None:
        left_out = [line for line in self.candidates if self.choice_of(line) is Choice.LEFT_OUT]
        without = {line.position for line in left_out}
        lines = [each for each in self._numbered if each[1].position not in without]
        run = ImportRun(
            client, self._journal, lines, self.options, on_progress,
            on_wait=on_wait, on_added=self._note_added,
        )  # fmt: skip
        self.was_stopped, self.advice = False, ""
        await self._keep_open(run.outcomes)
        try:
            await run.run()
        except asyncio.CancelledError:
            self.was_stopped = ImportSummary(run.outcomes).not_sent > 0
            raise
        except PetClientError as error:
            self.advice = stop_advice(error, ImportSummary(run.outcomes))
            raise
        finally:
            self.outcomes = (*run.outcomes, *map(self.left_out_outcome, left_out))
            self.notices = run.notices or self.notices
            self.phase, self.lost = Phase.OVER, 0
            # The next run must not send these again.
            self.choose(replace(self.options, again=False, retry_unknown=False))
            await self._keep_open(self.outcomes)
            await self._write_results()

    async def _keep_open(self, outcomes: Iterable[LineOutcome]) -> None:
        """Keep how many lines of the file are open; that is only told, so a failure is none."""
        if self._open_imports is None or self._file is None:
            return
        left = sum(each.kind in (OutcomeKind.NOT_SENT, OutcomeKind.UNKNOWN) for each in outcomes)
        with suppress(TransferError):
            keep = asyncio.to_thread(self._open_imports.set, str(self._file.absolute()), left)
            await until_over(task := asyncio.create_task(keep))
            task.result()

    def _note_added(self, line_id: LineId, line: GoodLine, pet_id: int) -> None:
        """Keep the animal that a line became, and put it into the receipt."""
        new = line.new_pet
        pet = Pet(id=pet_id, name=new.name, category_id=new.category_id, status=new.status)
        self.added.append(pet)
        if self._on_added is not None:
            self._on_added(pet)
        if self._receipts is not None:
            try:
                self._receipts.record(Added.of(f"{line_id} {pet_id}", Source.IMPORT, pet))
            except OutboxError as error:
                self.receipt_error = f"not in the receipt: {error}"

    # The results, and the end

    def result_lines(self, outcomes: Iterable[LineOutcome] | None = None) -> list[ResultLine]:
        """Return the results of the newest run, or of these outcomes, with those of bad lines."""
        found = self.duplicates
        names = {} if found is None else {**found.names, **found.changed}
        known = self.outcomes if outcomes is None else outcomes
        return result_lines(known, self.preview.bad_lines, names, self.candidates_by_line)

    async def _write_results(self) -> None:
        if self.result is None:
            return
        writing = asyncio.create_task(asyncio.to_thread(self._write_result, self.result))
        await until_over(writing)
        try:
            await writing
            self.result_error = ""
        except TransferError as error:
            self.result_error = str(error)

    def _write_result(self, path: Path) -> None:
        self.wrote_result(path, write_result(path, self.result_lines()))

    def wrote_result(self, path: Path | None, digest: str) -> None:
        """Record a result that was written: what is corrected there goes on with this run.

        Raises TransferError where the journal cannot be written.
        """
        self._journal.wrote_result(path, digest)

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
