"""PetOutput: prints animals, for people or for programs."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from pettui.cli.one_shot.standard_output import is_terminal, write_output
from pettui.columns import COLUMNS
from pettui.configuration import ConfigurationError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from pettui.cli.one_shot.one_shot_command import OneShotCall
    from pettui.models import Pet

_ESCAPES: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n"})
NUL: Final = b"\0"


class OutputFormat(Enum):
    """How animals are printed."""

    TABLE = "table"  # on a terminal
    FIELDS = "fields"  # separated by tabs
    JSON = "json"
    CSV = "csv"


_NEEDS_ALL: Final = frozenset({OutputFormat.TABLE, OutputFormat.CSV})  # animals at once


class PetOutput:
    """Prints animals as they come, if the format allows."""

    def __init__(self, call: OneShotCall) -> None:
        self._format = _format(call.arguments)
        self._is_null = call.arguments.null
        self._settings = call.settings
        self._environment = call.environment
        self._kept: list[Pet] = []
        self._has_header = False

    def write(self, pets: Iterable[Pet]) -> None:
        """Print these animals now, or all at the end. Raises as ``write_output``."""
        if self._format in _NEEDS_ALL:
            self._kept.extend(pets)
        else:
            self._write_records(self._records(tuple(pets)))

    def finish(self) -> None:
        """Print the rest. Raises as ``write_output``."""
        if self._format is OutputFormat.CSV:
            from pettui.transfer.pet_writers import exact_csv

            self._write_records(exact_csv(self._kept))
        elif self._format is OutputFormat.TABLE:
            from pettui.cli.one_shot.terminal_table import table

            write_output(table(self._kept, self._settings, self._environment))
        elif not self._has_header:
            self._write_records(self._records(()))

    def _records(self, pets: Sequence[Pet]) -> Iterator[bytes]:
        """Return the next records, each with its end."""
        end = NUL if self._is_null else b"\n"
        if self._format is OutputFormat.JSON:
            from pettui.transfer.formats import FileFormat
            from pettui.transfer.pet_writers import pet_file

            for line in pet_file(pets, FileFormat.JSON_LINES):
                yield line[:-1] + end
            return
        if not self._has_header:
            self._has_header = True
            yield "\t".join(column.field for column in COLUMNS).encode() + end
        for pet in pets:
            fields = (column.raw(pet) for column in COLUMNS)
            written = fields if self._is_null else (each.translate(_ESCAPES) for each in fields)
            yield "\t".join(written).encode() + end

    def _write_records(self, records: Iterable[bytes]) -> None:
        if not is_terminal():
            write_output(b"".join(records))
            return
        from pettui.cli.one_shot.terminal_table import safe_record

        safe_records = (safe_record(each, self._settings) for each in records)
        write_output(b"".join(safe_records))


def _format(arguments: argparse.Namespace) -> OutputFormat:
    if arguments.csv and arguments.null:
        raise ConfigurationError("--null", "not allowed with --csv")
    if arguments.json:
        return OutputFormat.JSON
    if arguments.csv:
        return OutputFormat.CSV
    return OutputFormat.TABLE if is_terminal() and not arguments.null else OutputFormat.FIELDS
