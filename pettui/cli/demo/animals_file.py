"""The animals of a demo, from a file in a format that an import can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.configuration import ConfigurationError
from pettui.transfer.errors import TransferError, failure
from pettui.transfer.reading.import_file import ImportFile
from pettui.transfer.reading.import_lines import BadLine, GoodLine, ImportLimits
from pettui.transfer.reading.import_source import open_import

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pettui.models import NewPet

# Each session keeps all of them in memory.
_LIMITS: Final = ImportLimits(content=1_000_000, lines=10_000, line=100_000)


def read_animals(path: Path, categories: Mapping[int, str]) -> tuple[NewPet, ...]:
    """Return a file's animals in reverse, so that the first one is the newest, on top of the list.

    Args:
        path: of a CSV, JSON or JSON Lines file.
        categories: names by number, which the file may use.

    Raises:
        ConfigurationError: it cannot be read, a line is bad, or there is no animal in it.
    """
    try:
        with open_import(path) as source:
            lines = [*ImportFile(source, str(path), categories, _LIMITS).lines()]
        if bad := [line for line in lines if isinstance(line, BadLine)]:
            raise failure("read", path, _reason(bad))
    except TransferError as error:
        raise ConfigurationError("--animals", str(error)) from error
    pets = tuple(line.new_pet for line in reversed(lines) if isinstance(line, GoodLine))
    if not pets:
        raise ConfigurationError("--animals", "it contains no animal", value=str(path))
    return pets


def _reason(bad: Sequence[BadLine]) -> str:
    """Return what is wrong with the first bad line, and how many others there are."""
    first, others = bad[0], len(bad) - 1
    where = ", ".join(filter(None, (first.position.label, first.field)))
    more = f" (and {others:,} more bad lines)" if others else ""
    return f"{where}: {first.reason}{more}"
