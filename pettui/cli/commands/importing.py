"""``pettui import``: sends each animal of a file exactly once."""

from __future__ import annotations

import asyncio
import gc
import shlex
import sys
import tempfile
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Final

from pettui.cli.declarations import STANDARD_STREAM
from pettui.cli.exit_codes import (
    BAD_INPUT,
    INTERRUPTED,
    NO_ANSWER,
    OK,
    SOME_LINES,
    UNREADABLE,
    exit_code,
)
from pettui.cli.mapping_options import (
    reading_options,
    report_categories,
    report_survey,
    wrong_option,
)
from pettui.cli.one_shot import Call
from pettui.cli.output import ClosedPipeError, StandardError, write_error, write_records
from pettui.cli.progress import ImportProgressDisplay
from pettui.client import PetClient, PetClientError
from pettui.composition.store import open_imports_of, open_journal, own_samples, receipts_of
from pettui.configuration.directories import user_path
from pettui.configuration.editing import check_mapping_name, keep_mapping
from pettui.configuration.errors import ConfigurationError
from pettui.configuration.reading import configuration_path
from pettui.settings.settings import MAPPING_HEADER, Settings
from pettui.system.signals import cancelled_by_signals
from pettui.text.amounts import counted
from pettui.transfer.files import (
    STANDARD_INPUTS,
    Digest,
    TransferError,
    failure,
    is_stream,
    open_file,
    plain_path,
    read_stream,
    transfer_errors,
)
from pettui.transfer.import_run import HeldError, ImportOptions
from pettui.transfer.import_texts import (
    SENT,
    LineText,
    bad_texts,
    failed_texts,
    file_texts,
    first_texts,
    found_texts,
    held_texts,
    totals_texts,
)
from pettui.transfer.importing import Choice, Import, Likeness, Phase
from pettui.transfer.lines import ImportLimits, ImportPreview, check_import
from pettui.transfer.mapping import (
    CATEGORY,
    NAME,
    SKIP,
    STATUS,
    UNMAPPED,
    UNSET,
    MappingError,
    ReadingOptions,
    are_numbered,
    option_values,
)
from pettui.transfer.meaning import MISSING
from pettui.transfer.reading import EncodingError
from pettui.transfer.results import (
    ImportSummary,
    LineOutcome,
    OutcomeKind,
    candidates_text,
    check_result,
    result_file,
    result_path,
    write_result,
)
from pettui.transfer.survey import UnmappedError
from pettui.transfer.writing import FileFormat

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pettui.composition.store import OwnSamples
    from pettui.outbox.candidates import CandidateSearch
    from pettui.transfer.import_texts import RawText
    from pettui.transfer.results import ResultLine


def import_pets(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Check a whole file, and then send its animals; return the exit code."""
    call = Call(arguments, environment)
    command = ImportCommand(call)
    try:
        command.ask_about_samples()
    except KeyboardInterrupt:
        call.stderr.error("interrupted; nothing was sent")
        return INTERRUPTED
    return call.run(command.run, command.settings)


class ImportCommand:
    """Checks a whole file, and then sends its animals."""

    def __init__(self, call: Call) -> None:
        arguments = call.arguments
        self._arguments = arguments
        self._stderr = call.stderr
        self._environment = call.environment
        self._options = ImportOptions(arguments.again, arguments.retry_unknown, arguments.parallel)
        self.settings = with_connections(call.settings, self._options.parallel)
        self._receipts = receipts_of(self.settings.profile)
        self._open_imports = open_imports_of(self.settings.profile)
        if arguments.dry_run and arguments.check:
            raise ConfigurationError("--check", "not allowed with --dry-run")
        if arguments.retry_unknown and arguments.check:
            raise ConfigurationError("--check", "not allowed with --retry-unknown")
        self._samples: OwnSamples | None = None  # to be taken out first
        self._display = ImportProgressDisplay(call.stderr, call.settings)
        options = reading_options(arguments, call.settings)
        if arguments.save_mapping is not None:
            check_mapping_name(arguments.save_mapping, "--save-mapping")
        is_standard = arguments.file in (STANDARD_STREAM, *STANDARD_INPUTS)
        file = None if is_standard else user_path(plain_path(arguments.file), "FILE")
        name = STANDARD_INPUT if file is None else str(file)
        with opened_input(file, call.stderr) as source:
            self._file = file = file if file is None or not is_stream(file) else None
            self._result = result_target(arguments.result, file, is_dry_run=arguments.dry_run)
            call.stderr.progress("checking all lines")
            self._preview = self._checked(source, name, options)
        self._check_header(options)
        if options.mapping is not UNMAPPED:
            categories = call.settings.profile.categories
            self._say(totals_texts(self._preview.lines, partial(_label, categories)))
        if arguments.save_mapping is not None:
            self._keep(options)

    def _checked(self, source: BinaryIO, name: str, options: ReadingOptions) -> ImportPreview:
        """Return what is in the file.

        Raises:
            ConfigurationError: only the user can say what something in it means.
        """
        categories = self.settings.profile.categories
        try:
            return check_import(source, name, categories, options=options)
        except EncodingError as error:
            self._stderr.clear_progress()
            for encoding, names in error.names.items():
                self._stderr.notice(f"{encoding} {', '.join(names)}")
            raise ConfigurationError("FILE", f"{error}; {_CHOOSE_ENCODING}") from None
        except UnmappedError as error:
            self._stderr.clear_progress()
            report_survey(error.survey, categories, self._stderr)
            choose = _CHOOSE_MEMBERS if error.survey.is_json else _CHOOSE_COLUMNS
            raise ConfigurationError("FILE", f"{error}; {choose}") from None
        except MappingError as error:
            raise wrong_option(error) from None

    def _check_header(self, options: ReadingOptions) -> None:
        """Refuse a saved mapping that goes by numbers of columns which are others in this file."""
        name = self._arguments.mapping
        header = self.settings.mappings[name].get(MAPPING_HEADER) if name is not None else None
        if header and are_numbered(options.mapping) and tuple(header) != self._preview.header:
            reason = "goes by numbers of columns, and this file has other ones; say them again"
            raise ConfigurationError("--mapping", reason, value=name)

    def _say(self, texts: Iterable[RawText]) -> None:
        """Print texts: what holds the import as errors, and duplicates sent unasked as warnings."""
        prints = {"error": self._stderr.error}
        if not self._arguments.send_duplicates:
            prints[SENT] = self._stderr.warn
        for text, style in texts:
            prints.get(style, self._stderr.notice)(text)

    def _keep(self, options: ReadingOptions) -> None:
        """Keep what is said of the file in the configuration."""
        arguments = self._arguments
        path = configuration_path(arguments.config, self._environment)
        if path is None:
            raise ConfigurationError("--save-mapping", "there is no home directory to keep it in")
        header = {MAPPING_HEADER: [*self._preview.header]} if self._preview.header else {}
        keep_mapping(path, arguments.save_mapping, {**option_values(options), **header})
        self._stderr.notice(f"--mapping {arguments.save_mapping} says this again; it is in {path}")

    def ask_about_samples(self) -> None:
        """Decide whether the store's samples go first, while it has nothing else.

        Raises:
            ConfigurationError: only the user can decide that, and none was asked.
        """
        arguments = self._arguments
        samples = own_samples(self.settings.profile)
        if arguments.begin_empty and samples is None:
            raise ConfigurationError("--begin-empty", "is for a store of your own")
        is_held_by_bad = self._preview.bad_lines and not arguments.skip_bad
        is_sent = self._preview.lines and not (is_held_by_bad or arguments.check)
        if samples is None or arguments.keep_samples or not is_sent:
            return
        try:
            count = samples.count()
        except TransferError as error:  # the store can't be read
            raise ConfigurationError("import", str(error)) from error
        if not count:
            return
        only = f"the store has nothing but {counted(count, 'sample')}"
        if arguments.dry_run:
            self._stderr.notice(f"{only}: {_EMPTYING}")
        elif arguments.begin_empty or _answer(only, self._stderr):
            self._samples = samples

    async def _begin_empty(self) -> None:
        """Take the samples out, if that was decided."""
        if self._samples is None:
            return
        if not (count := await asyncio.to_thread(self._samples.remove)):
            raise TransferError("other animals are in the store by now; nothing was sent")
        self._stderr.notice(f"{counted(count, 'sample')} taken out")

    async def run(self, client: PetClient) -> int:
        """Send the animals, report what became of them, and return the exit code.

        Raises:
            PetClientError: a call failed before anything was sent.
            TransferError: the journal cannot be used.
        """
        gc.freeze()  # the file's lines are no garbage, and searching them takes time
        gc.enable()  # as in every long-running command
        report_preview(self._preview, self.settings.profile.categories, self._stderr)
        is_dry_run = self._arguments.dry_run
        with (
            cancelled_by_signals(asyncio.current_task()),
            closing(open_journal(self.settings.profile, is_read_only=is_dry_run)) as journal,
        ):
            importing = Import(
                self._preview,
                journal,
                self._options,
                file=self._file,
                receipts=self._receipts,
                open_imports=self._open_imports,
            )
            try:
                return await self._import(client, importing)
            except asyncio.CancelledError:
                if importing.phase is not Phase.OVER:
                    self._stderr.error("interrupted; nothing was sent")
                else:
                    self._report(importing, importing.outcomes, code=INTERRUPTED)
                raise

    async def _import(self, client: PetClient, importing: Import) -> int:
        arguments, bad_lines = self._arguments, self._preview.bad_lines
        if arguments.check:
            self._say(held_texts(importing, WAYS))
            search = await importing.find_candidates(
                client, self._stderr.retry, self._show_compared
            )
            report_candidates(importing, search, self._stderr)
            return self._report(importing, importing.known)
        if bad_lines and not (arguments.skip_bad or arguments.dry_run):
            self._say(held_texts(importing, WAYS))
            return self._report(importing, importing.known, was_begun=False, code=SOME_LINES)
        importing.leaves_out_bad = arguments.skip_bad
        await self._begin_empty()
        if importing.candidates or importing.count_of(OutcomeKind.ADDED_EARLIER):
            try:
                await importing.look_for_duplicates(
                    client, self._stderr.retry, self._show_compared, with_earlier=True
                )
            except PetClientError:
                self._stderr.error("nothing was sent: the list could not be read")
                raise
        self._choose(importing)
        importing.leaves_out_unreadable = arguments.skip_unreadable
        _say_lines(self._stderr.notice, found_texts(importing), " ")
        self._say(held_texts(importing, WAYS))
        is_held = importing.is_held_by_alike or importing.is_held_by_reading
        is_unclear = importing.is_held_by_unreadable
        if arguments.dry_run:
            is_odd = bad_lines or is_held or importing.gone
            code = UNREADABLE if is_unclear else SOME_LINES if is_odd else OK
            return self._report(importing, _dry_outcomes(importing), was_begun=False, code=code)
        if is_held or is_unclear:
            code = UNREADABLE if is_unclear else SOME_LINES
            return self._report(importing, importing.known, was_begun=False, code=code)
        return await self._send(client, importing)

    def _choose(self, importing: Import) -> None:
        """Decide by the options; without one, lines like animals that are there hold the import."""
        arguments = self._arguments
        if arguments.skip_duplicates:
            importing.choose_alike(Likeness.DUPLICATE, Choice.LEFT_OUT)
        elif arguments.send_duplicates or not importing.has_listed_duplicates:
            importing.choose_alike(Likeness.DUPLICATE, Choice.SENT)
        if arguments.skip_changed:
            importing.choose_alike(Likeness.CHANGED, Choice.LEFT_OUT)
        elif arguments.send_changed:
            importing.choose_alike(Likeness.CHANGED, Choice.SENT)

    def _show_compared(self, count: int) -> None:
        self._stderr.progress(f"compared with {counted(count)}")

    async def _send(self, client: PetClient, importing: Import) -> int:
        code = None
        try:
            await importing.send(client, self._display.show, self._stderr.retry)
        except PetClientError as error:
            self._stderr.error(str(error))
            if importing.advice:
                self._stderr.error(importing.advice)
            code = exit_code(error)
        except HeldError as error:
            self._stderr.error(f"{error}; run it again: it goes on here")
            code = NO_ANSWER
        except TransferError as error:
            self._stderr.error(str(error))
            code = BAD_INPUT
        if importing.receipt_error:
            self._stderr.warn(importing.receipt_error)
        self._stderr.notices(importing.notices)
        return self._report(importing, importing.outcomes, code=code)

    def _report(
        self,
        importing: Import,
        outcomes: Sequence[LineOutcome],
        *,
        was_begun: bool = True,
        code: int | None = None,
    ) -> int:
        """Write the result, print the summary, and return the exit code.

        Args:
            importing: has the lines.
            outcomes: of all lines that are animals.
            was_begun: whether sending had started.
            code: the exit code, unless a line is unknown; None derives it from the lines.
        """
        summary = ImportSummary(outcomes, len(self._preview.bad_lines))
        if code is None or (summary.unknown and was_begun and code != INTERRUPTED):
            code = _exit_code(summary) or (SOME_LINES if importing.gone else OK)
        if was_begun:
            report_outcomes(outcomes, self._stderr)
        parts = self._parts(summary, code, was_begun=was_begun)
        try:
            self._write_result(importing, importing.result_lines(outcomes))
        except (TransferError, ConfigurationError) as error:
            self._stderr.error(str(error))
            code = code or BAD_INPUT
        else:
            if isinstance(self._result, Path):
                parts.append(f"the result is in {self._result}")
        text = "; ".join(parts)
        if code == INTERRUPTED:
            text = f"interrupted: {text}"
        (self._stderr.error if code else self._stderr.notice)(text)
        return code

    def _parts(self, summary: ImportSummary, code: int, *, was_begun: bool) -> list[str]:
        """Return what there is to say at the end."""
        sentence = summary.sentence(is_dry_run=not was_begun)
        if self._arguments.dry_run:
            return [sentence, "nothing was sent"]
        if not was_begun:
            is_unclear = code == UNREADABLE
            return ["nothing was sent", sentence, *([_SKIPPING_UNREADABLE] if is_unclear else [])]
        return [sentence, *_what_next(summary)]

    def _write_result(self, importing: Import, lines: Sequence[ResultLine]) -> None:
        if isinstance(self._result, Path):
            importing.wrote_result(self._result, write_result(self._result, lines))
            return
        if self._result is None:
            return
        self._stderr.clear_progress()  # both may be one terminal
        digest = Digest()
        with suppress(ClosedPipeError):  # the reader has read enough
            write_records(digest.passing(result_file(lines, FileFormat.CSV)), self.settings)
            importing.wrote_result(None, digest.text)


_CHOOSE_ENCODING: Final = "choose with --encoding how its names are right"


_CHOOSE_MEMBERS: Final = "say what these are, with the options of the guess or others"
_CHOOSE_COLUMNS: Final = (
    "nothing is read by position: say what the columns are, with the options of the guess or "
    "others, or --no-header where the first line is an animal"
)


def _label(categories: Mapping[int, str], number: int) -> str:
    return f"{number} {categories[number]}" if number in categories else f"category {number}"


def _dry_outcomes(importing: Import) -> list[LineOutcome]:
    """Return what would become of each line."""
    sent = {line.position for line in importing.to_send}
    left_out = {line.position for line in importing.candidates} - sent
    return [
        replace(each, kind=OutcomeKind.NOT_SENT)
        if each.line.position in sent
        else importing.left_out_outcome(each.line)
        if each.line.position in left_out
        else each
        for each in importing.known
    ]


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
    if summary.repeated:
        some = "" if summary.repeated == summary.unknown else f"{summary.repeated:,} of the "
        yield f"the next run sends {some}unknown lines again by itself, and adds none twice"
    if summary.unknown > summary.repeated:
        yield (
            "unknown lines may have been added; --check lists the animals that they could be, "
            "--retry-unknown sends them again"
        )


def result_target(named: str | None, file: Path | None, *, is_dry_run: bool) -> Path | str | None:
    """Return where the result goes, after checking that it can be written; None for nowhere.

    Args:
        named: the value of ``--result``.
        file: to import; None is standard input.
        is_dry_run: whether there is a result only if it is named.

    Raises:
        ConfigurationError: it cannot be written there.
    """
    if named is None and is_dry_run:
        return None
    if named is None and file is not None:
        path = result_path(file)
    elif named is None or named == STANDARD_STREAM:
        return STANDARD_STREAM
    else:
        path = user_path(named, "--result")
    try:
        check_result(path)
    except TransferError as error:
        raise ConfigurationError("--result", str(error)) from None
    return path


def with_connections(settings: Settings, parallel: int) -> Settings:
    """Return settings with connections for so many requests, and one for the list."""
    limits = settings.limits
    connections = max(limits.connections, parallel + 1)
    return replace(settings, limits=replace(limits, connections=connections))


_EMPTYING: Final = "--begin-empty takes them out first, --keep-samples adds to them"


def _answer(only: str, stderr: StandardError) -> bool:
    """Ask on a terminal whether the store is to be emptied first.

    Raises:
        ConfigurationError: nobody is there to answer.
    """
    can_ask = stderr.is_terminal and sys.stdin is not None and sys.stdin.isatty()
    answer = ""
    while can_ask and answer not in ("y", "n"):
        stderr.clear_progress()
        write_error(f"{only}; empty the store first? y or n: ")
        line = sys.stdin.readline()
        can_ask, answer = bool(line), line.strip().casefold()
    if not can_ask:
        raise ConfigurationError("import", f"{only}; {_EMPTYING}; nothing was sent")
    return answer == "y"


STANDARD_INPUT: Final = "standard input"
_PIECE: Final = 65_536  # bytes


@contextmanager
def opened_input(path: Path | None, stderr: StandardError) -> Iterator[BinaryIO]:
    """Open the input; the block's end closes it.

    Args:
        path: of a file or a pipe; None is standard input.
        stderr: for a notice if the input is a terminal.

    Raises:
        ConfigurationError: it cannot be read, or the block raises TransferError.
    """
    try:
        if path is None:
            opened = _standard_input(stderr)
        elif is_stream(path):
            with transfer_errors("read", path), path.open("rb", buffering=0) as stream:
                opened = _spooled(stream.fileno(), str(path))
        else:
            opened = open_file(path)
        with opened as source:
            if not source.read(1):  # of what should have written it
                what = STANDARD_INPUT if path is None else str(path)
                raise failure("read", what, "it is empty, without even a header")
            source.seek(0)
            yield source
    except TransferError as error:
        raise ConfigurationError("FILE", str(error)) from None
    finally:
        stderr.clear_progress()


def _standard_input(stderr: StandardError) -> BinaryIO:
    if sys.stdin is None:
        raise ConfigurationError(STANDARD_INPUT, "is closed")
    if sys.stdin.isatty():
        stderr.notice("reading animals from this terminal; end with ctrl+d")
    return _spooled(sys.stdin.fileno(), STANDARD_INPUT)


def _spooled(descriptor: int, name: str) -> BinaryIO:
    """Return a copy of a stream in an unnamed file, which disappears when it is closed.

    At most one byte more than the maximum is copied, which shows that it is too large.
    """
    with transfer_errors("keep", name):
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        try:
            room = ImportLimits().content + 1
            while room and (piece := read_stream(descriptor, min(room, _PIECE), name)):
                file.write(piece)
                room -= len(piece)
            file.seek(0)
        except BaseException:
            with suppress(OSError):  # its buffer may not fit on the disk
                file.close()
            raise
    return file


NAMELESS_OPTIONS: Final = (
    "--name-from COLUMN says what is called otherwise, --skip-unnamed leaves out what has no name"
)
_SKIPPING_UNREADABLE: Final = "--skip-unreadable sends all the same"
WAYS: Final = MappingProxyType(
    {
        "leave_out_bad": "--skip-bad",
        "map_values": "",
        "begin_empty": "--begin-empty",
        "keep_samples": "--keep-samples",
        "leave_out_duplicates": "--skip-duplicates",
        "send_duplicates": "--send-duplicates",
        "leave_out_changed": "--skip-changed",
        "send_changed": "--send-changed",
        "send_earlier": "--again",
    }
)
"""The options that do what actions of the screen do."""
_MEANS: Final = MappingProxyType({CATEGORY: "NUMBER", STATUS: UNSET})


def report_preview(
    preview: ImportPreview, categories: Mapping[int, str], stderr: StandardError
) -> None:
    """Print what a file has beside its animals, and how bad lines can be corrected."""
    for text, _ in file_texts(preview):
        stderr.notice(text)
    _say_lines(stderr.error, bad_texts(preview.bad_lines))
    for field, option in ((CATEGORY, "--category-of"), (STATUS, "--status-of")):
        if values := preview.unknown(field):
            value = next(iter(values))
            example = shlex.quote(f"{value}={_MEANS[field]}")
            stderr.notice(f"{option} {example} says what one means, {SKIP} leaves its lines out")
    if preview.unknown(CATEGORY):
        report_categories(categories, stderr)
    if any(line.field == NAME and line.reason == MISSING for line in preview.bad_lines):
        stderr.notice(NAMELESS_OPTIONS)


def _say_lines(say: Callable[[str], None], texts: Sequence[LineText], joint: str = ": ") -> None:
    for each in texts:
        say(f"{each.label}{joint}{each.text}" if each.label else each.text)


def report_candidates(importing: Import, search: CandidateSearch, stderr: StandardError) -> None:
    """Print what each unknown line could be, and how far the list was read."""
    found = importing.candidates_by_line
    if not found:
        stderr.notice("no line is unknown")
        return
    could = [
        LineText(at.label, f"could be {candidates_text(pets) or 'no listed animal'}")
        for at, pets in found.items()
    ]
    _say_lines(stderr.notice, first_texts(could, "are unknown"), " ")
    alike = {pet.id for each in search.found.values() for pet in each.pets}
    if own := alike & importing.added_ids:
        stderr.notice(f"left out: {counted(len(own))} that imports added")
    if not_kept := sum(each.count - len(each.pets) for each in search.found.values()):
        stderr.warn(f"{counted(not_kept)} more like them are not named")
    (stderr.warn if search.cut else stderr.notice)(search.sentence)


def report_outcomes(outcomes: Sequence[LineOutcome], stderr: StandardError) -> None:
    """Print why lines were not added, word for word, and what is odd about added ones."""
    odd = [
        LineText(each.line.position.label, f"added with id {each.pet_id}: {each.error}")
        for each in outcomes
        if each.kind is OutcomeKind.ADDED and each.error
    ]
    _say_lines(stderr.warn, first_texts(odd, "were added with something odd"))
    _say_lines(stderr.error, failed_texts(outcomes))
