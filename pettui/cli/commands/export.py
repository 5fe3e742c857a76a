"""``pettui export``: the animals of a query in a file, whole or not at all."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

from pettui.cli.declarations import EXPORT_FORMATS, STANDARD_STREAM
from pettui.cli.exit_codes import OK, UNREADABLE
from pettui.cli.one_shot import Call
from pettui.cli.output import is_terminal, write_output
from pettui.cli.pet_query import (
    UnreadableRows,
    chosen_pets,
    pages,
    pet_id_of,
    pet_query,
)
from pettui.configuration.directories import user_path
from pettui.configuration.errors import ConfigurationError
from pettui.system.signals import interruptible
from pettui.text.amounts import counted
from pettui.transfer.files import (
    TargetExistsError,
    TransferError,
    check_target,
    plain_path,
    transfer_errors,
    write_whole,
)
from pettui.transfer.writing import (
    WRITTEN_SUFFIXES,
    CsvStyle,
    FileFormat,
    PetSpool,
    delimiter_named,
    pet_file,
    written_format,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping

    from pettui.client import PetClient
    from pettui.models.pets import Pet


def export_pets(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Load all animals and then write them to a file; if a page fails, there is no file."""
    call = Call(arguments, environment)
    query = pet_query(call, is_page=False)
    file_format = _export_format(arguments)
    style = _csv_style(arguments, file_format, call.settings.profile.categories)
    path = _export_target(arguments)
    where = path or "standard output"
    since_id = None if arguments.since_id is None else pet_id_of(arguments.since_id, "--since-id")

    async def run(client: PetClient) -> int:
        call.unfinished = f"{where} is not written"
        directory = Path(gettempdir()) if path is None else path.parent
        unreadable = UnreadableRows()
        listed = pages(client, query, call.stderr, unreadable)
        if since_id is not None:
            listed = _newer(listed, since_id)
        with (
            transfer_errors("write", where),
            closing(PetSpool(directory)) as spool,
        ):
            async for pets in chosen_pets(listed, query, call.settings):
                spool.add(pets)
            if unreadable.count and not arguments.skip_unreadable:
                call.stderr.error(
                    f"{unreadable.sentence}: {call.unfinished}; --skip-unreadable leaves them out"
                )
                return UNREADABLE
            if unreadable.count:
                call.stderr.warn(f"{unreadable.sentence}, and left out")
            pieces = pet_file(spool, file_format, style, (*spool.others,))
            if path is None:
                for piece in pieces:
                    write_output(piece)
            else:
                write_whole(path, _interruptible(pieces), overwrite=arguments.force)
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
    path = user_path(plain_path(arguments.file), "FILE")
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
    file_format = written_format(f"-.{wanted}" if wanted else Path(plain_path(arguments.file)).name)
    if file_format is None:
        reason = f"must end in {', '.join(WRITTEN_SUFFIXES)}, which chooses the format"
        raise ConfigurationError("FILE", reason, value=arguments.file)
    return file_format


def _csv_style(
    arguments: argparse.Namespace, file_format: FileFormat, categories: Mapping[int, str]
) -> CsvStyle:
    given = {
        "--delimiter": arguments.delimiter != ",",
        "--bom": arguments.bom,
        "--names": arguments.names,
    }
    for name in (name for name, is_given in given.items() if is_given):
        if file_format is not FileFormat.CSV:
            raise ConfigurationError(name, "only a CSV has this")
    if arguments.names and not categories:
        raise ConfigurationError("--names", "the profile names no categories")
    names = categories if arguments.names else {}
    try:
        delimiter = delimiter_named(arguments.delimiter)
    except ValueError as error:
        raise ConfigurationError("--delimiter", str(error), value=arguments.delimiter) from None
    return CsvStyle(delimiter, arguments.bom, names)


async def _newer(
    listed: AsyncIterator[tuple[Pet, ...]], since_id: int
) -> AsyncIterator[tuple[Pet, ...]]:
    """Return the animals of pages with ids above one; where ids fall, no page behind it is read."""
    from pettui.models.pets import ids_fall

    last: tuple[Pet, ...] = ()
    falls = True
    async for pets in listed:
        falls = falls and ids_fall([pet.id for pet in (*last, *pets)])
        last = pets[-1:] or last
        yield tuple(pet for pet in pets if pet.id > since_id)
        if falls and last and last[0].id <= since_id:
            break


def _interruptible(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Let ctrl+c interrupt the writing of a file until its last piece."""
    with interruptible():
        yield from pieces
