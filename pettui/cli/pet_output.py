"""How commands print animals: a table on a terminal, elsewhere fields, JSON Lines or CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.output import check_reader, is_terminal, write_output, write_records
from pettui.cli.pet_fields import FIELDS, Field
from pettui.configuration.errors import ConfigurationError, no_such
from pettui.rows.columns import COLUMNS
from pettui.settings.settings import Colours
from pettui.system.capabilities import PLAIN
from pettui.text.json import json_value, written
from pettui.transfer.writing import EXPORT_HEADER, field_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pettui.cli.one_shot import Call
    from pettui.cli.table import Table
    from pettui.models.pets import Pet


class PetOutput:
    """Prints animals as they come."""

    def __init__(self, call: Call) -> None:
        arguments = call.arguments
        if arguments.csv and arguments.null:
            raise ConfigurationError("--null", "not allowed with --csv")
        self._fields = _chosen(arguments.fields)  # None: all of them
        self._end = b"\0" if arguments.null else b"\n"  # of a record
        others = arguments.json or arguments.csv or arguments.null
        self._is_table = is_terminal() and not others
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
        if self._is_table:
            write_output(self._lines(pets).encode())
        else:
            write_records(self._records(pets), self._call.settings)
        self._has_header = True

    def _lines(self, pets: Sequence[Pet]) -> str:
        """Return the next lines of a table, behind its header."""
        from pettui.cli.table import Table

        settings = self._call.settings
        columns = COLUMNS if self._fields is None else [field.column for field in self._fields]
        if self._table is None:
            terminal = self._call.environment.get("TERM", "")
            self._table = Table(
                [column.name for column in columns],
                settings,
                at_right={index for index, each in enumerate(columns) if each.is_at_right},
                has_styles=settings.colours is not Colours.NONE and terminal not in PLAIN,
            )
        glyphs, names = self._table.glyphs, settings.profile.categories
        return self._table.lines(
            [
                [column.line(pet, lambda each: names.get(each, ""), glyphs) for column in columns]
                for pet in pets
            ],
            [
                [column.look(column.value(pet)).sgr if column.look else "" for column in columns]
                for pet in pets
            ],
        )

    def _csv(self, pets: Sequence[Pet]) -> Iterator[bytes]:
        """Return the next records of a CSV, whose header has the fields of the first animals."""
        from pettui.transfer.writing import csv_header, csv_line

        fields: Sequence[str] = EXPORT_HEADER
        if self._fields is not None:
            fields = [field.name for field in self._fields]
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
        end, arguments = self._end, self._call.arguments
        if arguments.csv:
            yield from self._csv(pets)
            return
        if arguments.json:
            from pettui.transfer.writing import FileFormat, pet_file

            if self._fields is not None:
                names = [field.name for field in self._fields]
                yield from (_members(pet, names).encode() + end for pet in pets)
                return
            for line in pet_file(pets, FileFormat.JSON_LINES):
                yield line[:-1] + end
            return
        fields = FIELDS if self._fields is None else self._fields
        if not self._has_header:
            yield "\t".join(field.name for field in fields).encode() + end
        for pet in pets:
            values = (field.raw(pet) for field in fields)
            yield ("\t".join(values) if arguments.null else field_record(values)).encode() + end


def _members(pet: Pet, names: Iterable[str]) -> str:
    """Return these members of an animal, as the service sent them."""
    sent = json_value(pet.to_json())
    return written({name: sent[name] for name in names if name in sent})


def _chosen(text: str | None) -> Sequence[Field] | None:
    """Return the fields of ``--fields``, by their names or those of their columns; None for all."""
    if text is None:
        return None
    known = {field.column.name: field for field in FIELDS} | {field.name: field for field in FIELDS}
    chosen: list[Field] = []
    for name in map(str.strip, text.split(",")):
        if name not in known:
            reason = no_such(name, [field.name for field in FIELDS], "field")
            raise ConfigurationError("--fields", reason)
        if known[name] in chosen:
            raise ConfigurationError("--fields", f"names {known[name].name} twice")
        chosen.append(known[name])
    return chosen
