"""How commands print animals: a table on a terminal, elsewhere fields, JSON Lines or CSV."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from pettui.cli.output import check_reader, is_terminal, write_output, write_records
from pettui.configuration import ConfigurationError, no_such
from pettui.rows.columns import COLUMNS
from pettui.text.json import json_value, written
from pettui.transfer.writing import EXPORT_HEADER, field_record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from pettui.cli.one_shot import Call
    from pettui.cli.table import Table
    from pettui.models.pets import Pet
    from pettui.rows.columns import Column


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

    def write_missing_header(self) -> None:
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
        sent = json_value(pet.to_json())
        fields = (column.field for column in self._columns)
        return written({field: sent[field] for field in fields if field in sent})


def _columns(text: str | None) -> Sequence[Column]:
    """Return the columns of ``--fields``; all of them if there is none."""
    if text is None:
        return COLUMNS
    known = {column.field: column for column in COLUMNS}
    known |= {column.name: column for column in COLUMNS}
    columns: list[Column] = []
    for name in map(str.strip, text.split(",")):
        if name not in known:
            reason = no_such(name, [column.field for column in COLUMNS], "field")
            raise ConfigurationError("--fields", reason)
        if known[name] in columns:
            raise ConfigurationError("--fields", f"names {known[name].field} twice")
        columns.append(known[name])
    return columns


def _format(arguments: argparse.Namespace) -> OutputFormat:
    if arguments.csv and arguments.null:
        raise ConfigurationError("--null", "not allowed with --csv")
    if arguments.json:
        return OutputFormat.JSON
    if arguments.csv:
        return OutputFormat.CSV
    return OutputFormat.TABLE if is_terminal() and not arguments.null else OutputFormat.FIELDS
