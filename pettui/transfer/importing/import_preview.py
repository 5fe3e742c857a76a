"""ImportPreview: a whole file, checked before the first animal is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.transfer.reading.import_file import ImportFile
from pettui.transfer.reading.import_lines import BadLine, GoodLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from pettui.models import NewPet, PetStatus
    from pettui.transfer.reading.import_lines import ImportLimits, Position


@dataclass(frozen=True, slots=True)
class RepeatedLine:
    """An animal of the same name, category and status as one further up in the file."""

    line: GoodLine
    first: Position  # of the first such animal


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """The content of a file, in its order."""

    lines: tuple[GoodLine, ...]  # animals that can be added, including repeated ones
    bad_lines: tuple[BadLine, ...]
    ignored_columns: tuple[str, ...]  # names that createPet does not have, not yet safe to draw
    repeated: tuple[RepeatedLine, ...]  # without the first of equal lines


def check_import(
    source: BinaryIO,
    name: str,
    categories: Mapping[int, str],
    limits: ImportLimits | None = None,
) -> ImportPreview:
    """Return the content of a file. It blocks, for seconds if the file is large.

    Args:
        source: buffered; read from its current position to its end.
        name: for errors; its suffix and the content determine the format.
        categories: the profile's names by number.
        limits: on what is read.

    Raises:
        TransferError: it is not text, has no usable header, is too large, or cannot be read.
    """
    file = ImportFile(source, name, categories, limits)
    good, bad = [], []
    for line in file.lines():
        if isinstance(line, BadLine):
            bad.append(line)
        else:
            good.append(line)
    return ImportPreview(tuple(good), tuple(bad), file.ignored, tuple(_repeated(good)))


def _repeated(lines: Iterable[GoodLine]) -> Iterator[RepeatedLine]:
    seen: dict[tuple[str, int, PetStatus | None], Position] = {}
    for line in lines:
        first = seen.setdefault(_values(line.new_pet), line.position)
        if first is not line.position:
            yield RepeatedLine(line, first)


def _values(pet: NewPet) -> tuple[str, int, PetStatus | None]:
    return pet.name, pet.category_id, pet.status
