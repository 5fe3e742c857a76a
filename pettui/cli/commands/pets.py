"""``pettui list``, ``get``, ``add`` and ``export``, for scripts, cron and pipes."""

from __future__ import annotations

import re
import sys
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from itertools import islice
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Final

from pettui.cli.declarations import EXPORT_FORMATS, STANDARD_STREAM
from pettui.cli.exit_codes import OK, REFUSED
from pettui.cli.one_shot import MAYBE_ADDED, Call
from pettui.cli.output import check_reader, is_pipe, is_terminal, write_output, write_records
from pettui.columns import COLUMNS, column_named
from pettui.configuration import ConfigurationError, no_such, user_path
from pettui.json_text import Number, json_value, written
from pettui.models import NewPet, Pet, PetStatus, int64
from pettui.settings import LIMIT_DEFAULT, LIMIT_MAXIMUM, Settings, StoreKind
from pettui.signals import interruptible
from pettui.text import counted
from pettui.transfer.files import (
    TargetExistsError,
    TransferError,
    check_target,
    transfer_errors,
    write_whole,
)
from pettui.transfer.writing import EXPORT_HEADER, WRITTEN_SUFFIXES, field_record, written_format

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence

    from pettui.cli.output import StandardError
    from pettui.cli.table import Table
    from pettui.client import PetClient, PetClientError, PetPage
    from pettui.columns import Column
    from pettui.transfer.writing import FileFormat


def list_pets(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print the animals of a query, page by page if the format allows, and return the exit code.

    Pages before a failed one are printed, too.
    """
    call = Call(arguments, environment)
    query = pet_query(call, is_page=is_terminal())
    output = PetOutput(call)
    if is_pipe():
        call.stderr.hide_progress()  # a pager at its other end draws on the same terminal

    async def run(client: PetClient) -> int:
        from pettui.client import PetClientError

        is_empty = True
        try:
            async for pets in chosen_pets(pages(client, query, call.stderr), query, call.settings):
                is_empty = False
                call.stderr.clear_progress()
                call.unfinished = "the list is incomplete"
                output.write(pets)
        except PetClientError:
            if not is_empty:
                output.finish()
            raise
        output.finish()
        call.unfinished = ""
        return OK

    return call.run(run, call.settings)


def get_pet(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print animals in the order of their ids; those that are not there are errors at the end."""
    call = Call(arguments, environment)
    ids = [_pet_id(word) for word in _words(arguments.id)]
    output = PetOutput(call)

    async def run(client: PetClient) -> int:
        code = OK
        async for pet_id, found in _found(client, ids, call.stderr):
            if isinstance(found, Pet):
                output.write([found])
            elif len(ids) == 1:
                raise found
            else:
                call.stderr.error(f"{pet_id}: {found}")
                code = REFUSED
        return code

    return call.run(run, call.settings)


async def _found(
    client: PetClient, ids: Sequence[int], stderr: StandardError
) -> AsyncIterator[tuple[int, Pet | PetClientError]]:
    """Return each animal, or why it is not there: by getPet, and once that is gone by the list."""
    from pettui.client import NOT_FOUND, PetClientError, is_gone

    for index, pet_id in enumerate(ids):
        try:
            yield pet_id, await _pet(client, pet_id, stderr)
        except PetClientError as error:
            if is_gone(error, datetime.now(UTC).date()):
                listed = await _listed(client, ids[index:], stderr)
                for each in ids[index:]:
                    yield each, listed.get(each, error)
                return
            if error.status != NOT_FOUND:
                raise
            yield pet_id, error


def _words(given: Sequence[str]) -> list[str]:
    """Return these words, with those of standard input in place of a hyphen."""
    if STANDARD_STREAM not in given:
        return list(given)
    if sys.stdin is None:
        raise ConfigurationError("standard input", "is closed")
    if not (read := sys.stdin.read().split()):
        raise ConfigurationError("standard input", "has no id")
    return [word for each in given for word in (read if each == STANDARD_STREAM else [each])]


def add_pet(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Send an animal to the service, once, and print it as the service stored it."""
    call = Call(arguments, environment)
    name = _name(arguments.name)
    category = _category_id(arguments.category, call.settings.profile.categories)
    output = PetOutput(call)

    async def run(client: PetClient) -> int:
        status = None if arguments.status is None else PetStatus(arguments.status)
        call.unfinished = MAYBE_ADDED
        created = await client.create_pet(
            NewPet(name=name, category_id=category, status=status), on_wait=call.stderr.retry
        )
        call.unfinished = ""
        call.stderr.notices(created.notices)
        for remark in created.remarks:
            call.stderr.warn(remark)
        try:
            output.write([created.pet])
        except ConfigurationError:
            call.stderr.error(f"the animal was added, with id {created.pet.id}")
            raise
        return OK

    return call.run(run, call.settings)


def export_pets(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Load all animals and then write them to a file; if a page fails, there is no file."""
    call = Call(arguments, environment)
    query = pet_query(call, is_page=False)
    file_format = _export_format(arguments)
    path = _export_target(arguments)
    where = path or "standard output"
    since_id = None if arguments.since_id is None else _pet_id(arguments.since_id, "--since-id")

    async def run(client: PetClient) -> int:
        from pettui.transfer.writing import PetSpool

        call.unfinished = f"{where} is not written"
        directory = Path(gettempdir()) if path is None else path.parent
        listed = pages(client, query, call.stderr)
        if since_id is not None:
            listed = _newer(listed, since_id)
        with transfer_errors("write", where), closing(PetSpool(directory, file_format)) as spool:
            async for pets in chosen_pets(listed, query, call.settings):
                spool.add(pets)
            if path is None:
                for piece in spool.pieces():
                    write_output(piece)
            else:
                write_whole(path, _interruptible(spool.pieces()), overwrite=arguments.force)
            call.unfinished = ""
            call.stderr.notice(f"{counted(spool.count)} written to {where}")
        return OK

    return call.run(run, call.settings)


def _export_target(arguments: argparse.Namespace) -> Path | None:
    """Return the file of an export, which can be written; None for standard output."""
    if arguments.file == STANDARD_STREAM:
        if is_terminal():
            raise ConfigurationError("FILE", "is a terminal; pettui list shows animals there")
        return None
    path = user_path(arguments.file, "FILE")
    try:
        check_target(path, overwrite=arguments.force)
    except TargetExistsError as error:
        raise ConfigurationError("FILE", f"{error}; --force overwrites it") from None
    except TransferError as error:
        raise ConfigurationError("FILE", str(error)) from None
    return path


def _export_format(arguments: argparse.Namespace) -> FileFormat:
    usual = EXPORT_FORMATS[0] if arguments.file == STANDARD_STREAM else None
    wanted = arguments.format or usual
    file_format = written_format(f"-.{wanted}" if wanted else Path(arguments.file).name)
    if file_format is None:
        reason = f"must end in {', '.join(WRITTEN_SUFFIXES)}, which chooses the format"
        raise ConfigurationError("FILE", reason, value=arguments.file)
    return file_format


async def _newer(
    listed: AsyncIterator[tuple[Pet, ...]], since_id: int
) -> AsyncIterator[tuple[Pet, ...]]:
    """Return the animals of pages with ids above one; where ids fall, no page behind it is read."""
    from pettui.models import is_newest_first

    last: tuple[Pet, ...] = ()
    falls = True
    async for pets in listed:
        falls = falls and is_newest_first((*last, *pets))
        last = pets[-1:] or last
        yield tuple(pet for pet in pets if pet.id > since_id)
        if falls and last and last[0].id <= since_id:
            break


def _interruptible(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Let ctrl+c interrupt the writing of a file until its last piece."""
    with interruptible():
        yield from pieces


async def _pet(client: PetClient, pet_id: int, stderr: StandardError) -> Pet:
    response = await client.get_pet(pet_id, on_wait=stderr.retry)
    stderr.notices(response.notices)
    for remark in response.remarks:
        stderr.warn(remark)
    return response.pet


async def _listed(client: PetClient, ids: Sequence[int], stderr: StandardError) -> dict[int, Pet]:
    """Return those of some animals that are in the list, by id."""
    from pettui.client import IncompleteListError

    stderr.notice("getPet is gone; searching the list")
    wanted, found = set(ids), dict[int, Pet]()
    with suppress(IncompleteListError):
        async for pets in pages(client, PetQuery(), stderr):
            found |= {pet.id: pet for pet in pets if pet.id in wanted}
            if len(found) == len(wanted):
                break
    return found


def _pet_id(text: str, name: str = "ID") -> int:
    if re.fullmatch(r"-?[0-9]+", text) is None:
        raise ConfigurationError(name, "must be a whole number", value=text)
    try:
        return int64(Number(text))
    except ValueError as error:
        raise ConfigurationError(name, str(error), value=text) from None


def _name(text: str) -> str:
    if not text.strip():  # such as an unset variable in a script
        raise ConfigurationError("NAME", "is empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigurationError("NAME", "is not UTF-8") from None
    return text


def _category_id(text: str, names: Mapping[int, str]) -> int:
    from pettui.transfer.lines import CategoryNames, LineError

    try:
        return CategoryNames(names).number_of(text)
    except LineError as error:
        raise ConfigurationError("CATEGORY", str(error.reason)) from None


_UNREADABLE_NAMED: Final = 3  # of a page


@dataclass(frozen=True, slots=True)
class PetQuery:
    """The query of a command line."""

    statuses: frozenset[str] = frozenset()  # none for all of them
    words: str = ""
    column: Column | None = None
    is_reversed: bool = False
    limit: int | None = None  # animals at most, of those that are found
    page_size: int = LIMIT_MAXIMUM
    is_page: bool = False  # the first one alone
    always_links: bool = False  # a page without a link is known to be the last one

    def may_go_on_behind(self, page: PetPage) -> bool:
        """Whether there may be animals behind a page without a link."""
        is_full = len(page.rows) >= self.page_size
        return is_full and not page.is_cut and not self.always_links

    def chosen(self, pets: Iterable[Pet], settings: Settings) -> Iterable[Pet]:
        """Return the matching animals, in the order of the query."""
        if len(self.statuses) > 1:  # the service is asked for one, or for all
            pets = tuple(pet for pet in pets if pet.status in self.statuses)
        if not self.words and self.column is None:
            return pets
        from pettui.rows import Direction, RowView, shown_rows

        names = settings.profile.categories
        view = RowView(
            self.words,
            self.column,
            Direction.DESCENDING if self.is_reversed else Direction.ASCENDING,
        )
        elements = shown_rows(tuple(pets), view, lambda each: names.get(each, "")).elements
        return (pet for pet in elements if isinstance(pet, Pet))


def pet_query(call: Call, *, is_page: bool) -> PetQuery:
    """Return the query of a command's arguments.

    Args:
        call: of list or export.
        is_page: unless more is asked for, one page is meant.

    Raises:
        ConfigurationError: an argument cannot be used.
    """
    arguments = call.arguments
    column, limit = column_named(arguments.sort), arguments.limit
    if arguments.reverse and column is None:
        raise ConfigurationError("--reverse", "needs --sort")
    # What is looked for, or comes first when sorted, may be on any page.
    statuses = frozenset(arguments.status or ())
    is_selective = bool(arguments.find) or column is not None or len(statuses) > 1
    is_page = is_page and not (arguments.all or is_selective or limit)
    size = (call.settings.limit or LIMIT_DEFAULT) if is_page else LIMIT_MAXIMUM
    return PetQuery(
        statuses=statuses,
        words=arguments.find or "",
        column=column,
        is_reversed=arguments.reverse,
        limit=limit,
        page_size=arguments.page_size or min(size, size if is_selective else limit or size),
        is_page=is_page,
        always_links=call.settings.profile.kind is not StoreKind.SERVICE,
    )


async def chosen_pets(
    listed: AsyncIterator[tuple[Pet, ...]], query: PetQuery, settings: Settings
) -> AsyncIterator[tuple[Pet, ...]]:
    """Return the animals of pages that a query means, as they come or, sorted, at the end.

    If a page fails, what came before it is returned, and then that is raised.
    """
    from pettui.client import PetClientError

    unsorted: list[Pet] = []  # all of them, if they are to be sorted
    rest, failure = query.limit, None
    try:
        async for pets in listed:
            if query.column is not None:
                unsorted.extend(pets)
                continue
            found = tuple(islice(query.chosen(pets, settings), rest))
            yield found
            if rest is not None and not (rest := rest - len(found)):
                return
    except PetClientError as error:
        failure = error
    if unsorted:
        yield tuple(islice(query.chosen(unsorted, settings), rest))
    if failure is not None:
        raise failure


async def pages(
    client: PetClient, query: PetQuery, stderr: StandardError
) -> AsyncIterator[tuple[Pet, ...]]:
    """Return the animals of each page, and say what is odd about it. Raises PetClientError."""
    status = PetStatus(*query.statuses) if len(query.statuses) == 1 else None
    count = 0
    async for page in client.all_pages(query.page_size, status, on_wait=stderr.retry):
        if page.is_first:
            stderr.notices(page.notices)
        _warn(page, stderr)
        yield page.pets
        count += len(page.pets)
        if page.next_link is not None:
            if query.is_page:
                stderr.notice("there are more animals; --all lists them")
            else:
                stderr.progress(counted(count))
        elif page.is_first and query.may_go_on_behind(page):
            stderr.warn(
                "the service links to no further page;"
                f" there may be more than these {len(page.rows)}"
            )
        if query.is_page:
            break


def _warn(page: PetPage, stderr: StandardError) -> None:
    from pettui.client import UnreadablePet

    for remark in page.remarks:
        stderr.warn(remark)
    unreadable = [row for row in page.rows if isinstance(row, UnreadablePet)]
    for row in unreadable[:_UNREADABLE_NAMED]:
        stderr.warn(f"row {row.index + 1} is not an animal and is left out: {row.reason}")
    if len(unreadable) > _UNREADABLE_NAMED:
        stderr.warn(f"{len(unreadable) - _UNREADABLE_NAMED} more rows are not animals")


NUL: Final = b"\0"


class OutputFormat(Enum):
    """How animals are printed."""

    TABLE = "table"  # on a terminal
    FIELDS = "fields"  # separated by tabs
    JSON = "json"
    CSV = "csv"


class PetOutput:
    """Prints animals as they come."""

    def __init__(self, call: Call) -> None:
        self._format = _format(call.arguments)
        self._columns = _columns(call.arguments.fields)
        self._is_null = call.arguments.null
        self._call = call
        self._has_header = False
        self._table: Table | None = None
        self._others: tuple[str, ...] = ()  # the unknown fields in the header of a CSV
        self._left_out: set[str] = set()  # unknown fields that are not in it

    def write(self, pets: Iterable[Pet]) -> None:
        """Print these animals. Raises as ``write_output``, also if there are none to print."""
        check_reader()
        if pets := tuple(pets):
            self._print(pets)

    def finish(self) -> None:
        """Print the header, if there were no animals. Raises as ``write_output``."""
        if not self._has_header:
            self._print(())

    def _print(self, pets: Sequence[Pet]) -> None:
        if self._format is OutputFormat.TABLE:
            from pettui.cli.table import Table

            settings, environment = self._call.settings, self._call.environment
            self._table = self._table or Table(settings, environment, self._columns)
            write_output(self._table.lines(pets))
        else:
            write_records(self._records(pets), self._call.settings)
        self._has_header = True

    def _csv(self, pets: Sequence[Pet]) -> Iterator[bytes]:
        """Return the next records of a CSV, whose header has the fields of the first animals."""
        from pettui.transfer.writing import csv_header, csv_line

        fields: Sequence[str] = EXPORT_HEADER
        if self._columns is not COLUMNS:
            fields = [column.field for column in self._columns]
            self._left_out |= {name for pet in pets for name in pet.others}  # as it was wanted
        if not self._has_header:
            known = dict.fromkeys(name for pet in pets for name in pet.others)
            self._others = tuple(name for name in known if name not in self._left_out)
            yield csv_header(self._others, fields)
        for pet in pets:
            for name in pet.others.keys() - self._left_out - {*self._others}:
                self._left_out.add(name)
                self._call.stderr.warn(
                    f"the field {name} of animal {pet.id} comes after the header and is left out,"
                    " here and in what follows; --json has it"
                )
            yield csv_line(pet, self._others, fields)

    def _records(self, pets: Sequence[Pet]) -> Iterator[bytes]:
        """Return the next records, each with its end."""
        if self._format is OutputFormat.CSV:
            yield from self._csv(pets)
            return
        end = NUL if self._is_null else b"\n"
        if self._format is OutputFormat.JSON:
            from pettui.transfer.writing import FileFormat, pet_file

            if self._columns is not COLUMNS:
                yield from (self._members(pet).encode() + end for pet in pets)
                return
            for line in pet_file(pets, FileFormat.JSON_LINES):
                yield line[:-1] + end
            return
        if not self._has_header:
            yield "\t".join(column.field for column in self._columns).encode() + end
        for pet in pets:
            fields = (column.raw(pet) for column in self._columns)
            yield ("\t".join(fields) if self._is_null else field_record(fields)).encode() + end

    def _members(self, pet: Pet) -> str:
        """Return the chosen members of an animal, as the service sent them."""
        sent = json_value(pet.as_json)
        fields = (column.field for column in self._columns)
        return written({field: sent[field] for field in fields if field in sent})


def _columns(text: str | None) -> Sequence[Column]:
    """Return the columns of ``--fields``; all of them if there is none."""
    if text is None:
        return COLUMNS
    known = {column.field: column for column in COLUMNS}
    known |= {column.name: column for column in COLUMNS}
    names = dict.fromkeys(word.strip() for word in text.split(","))
    for name in names:
        if name not in known:
            reason = no_such(name, [column.field for column in COLUMNS], "field")
            raise ConfigurationError("--fields", reason)
    return [known[name] for name in names]


def _format(arguments: argparse.Namespace) -> OutputFormat:
    if arguments.csv and arguments.null:
        raise ConfigurationError("--null", "not allowed with --csv")
    if arguments.json:
        return OutputFormat.JSON
    if arguments.csv:
        return OutputFormat.CSV
    return OutputFormat.TABLE if is_terminal() and not arguments.null else OutputFormat.FIELDS
