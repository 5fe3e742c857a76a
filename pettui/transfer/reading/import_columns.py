"""The columns of a CSV: from its header, or the default without one."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.transfer.formats import EXPORT_HEADER, RESULT_HEADER
from pettui.transfer.reading.csv_records import cells_of
from pettui.transfer.reading.import_lines import CATEGORY, NAME, STATUS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pettui.transfer.reading.category_names import CategoryNames

DELIMITERS: Final = (",", ";", "\t")
_SHOWN: Final = 40  # characters of a column's name
_DECLARED: Final = re.compile(r"sep=(.)[\r\n]*", re.IGNORECASE)  # Excel's own
_ALIASES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        NAME: ("name",),
        CATEGORY: ("categoryid", "category_id", "category id", "category"),
        STATUS: ("status",),
    }
)
_KNOWN: Final = frozenset(("id", *(alias for names in _ALIASES.values() for alias in names)))


class HeaderError(ValueError):
    """A header that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The indexes of NewPet's fields in a record."""

    name: int
    category: int
    status: int | None
    width: int | None = None  # of the header; None without one
    is_export: bool = False  # whether texts are guarded against formulas
    outcome: int | None = None  # of a result
    ignored: tuple[str, ...] = ()  # names of columns that createPet does not have


WITHOUT_HEADER: Final = Columns(0, 1, 2)


def declared_delimiter(line: str) -> str | None:
    """Return the delimiter in a first line like "sep=;", as Excel writes it; None in any other."""
    found = _DECLARED.fullmatch(line)
    return found[1] if found else None


def likely_delimiter(line: str, categories: CategoryNames) -> str:
    """Return the likely delimiter of a file, judged by its first record."""

    def likelihood(delimiter: str) -> tuple[int, bool, int]:
        cells = cells_of(line, delimiter)
        known = len(_KNOWN.intersection(map(_folded, cells)))
        return known, len(cells) > 1 and categories.has(cells[1]), len(cells)

    return max(DELIMITERS, key=likelihood)


def is_header(cells: Sequence[str], categories: CategoryNames) -> bool:
    """Whether a first record is a header, and not an animal called "Name"."""
    if _KNOWN.isdisjoint(map(_folded, cells)):
        return False
    is_animal = len(cells) > 1 and categories.has(cells[1]) and _folded(cells[1]) not in _KNOWN
    return not is_animal


def columns_of(header: Sequence[str]) -> Columns:
    """Return the columns that a header names, in any order and case.

    Raises:
        HeaderError: it has no name or no category, or a known column twice.
    """
    if tuple(header[:4]) == EXPORT_HEADER:
        is_result = tuple(header) == RESULT_HEADER
        outcome = RESULT_HEADER.index("outcome") if is_result else None
        ignored = () if is_result else _ignored(header, {1, 2, 3})
        return Columns(1, 2, 3, len(header), True, outcome, ignored)
    folded = [_folded(cell) for cell in header]
    repeated = [name for name, count in Counter(folded).items() if count > 1 and name in _KNOWN]
    if repeated:
        raise HeaderError(f"its header has {repeated[0]} twice")
    name, category, status = (_index(folded, field) for field in (NAME, CATEGORY, STATUS))
    if name is None:
        raise HeaderError("its header has no name column")
    if category is None:
        raise HeaderError("its header has no category column")
    ignored = _ignored(header, {name, category, status})
    return Columns(name, category, status, len(header), ignored=ignored)


def field_names(names: Iterable[str]) -> dict[str, str]:
    """Return the names in an object by field; NewPet's own spelling is preferred.

    Args:
        names: of a JSON object, without duplicates.
    """
    present = list(names)
    exact = {field: own for field, own in _EXACT.items() if own in present}
    if len(exact) == len(_EXACT):
        return exact
    by_fold = {_folded(name): name for name in reversed(present)}
    found = {}
    for field, aliases in _ALIASES.items():
        alias = next((alias for alias in aliases if alias in by_fold), None)
        if alias is not None:
            found[field] = by_fold[alias]
    return found | exact


_EXACT: Final[Mapping[str, str]] = MappingProxyType(
    {NAME: "name", CATEGORY: "categoryId", STATUS: "status"}
)


def _index(folded: Sequence[str], field: str) -> int | None:
    return next((folded.index(alias) for alias in _ALIASES[field] if alias in folded), None)


def _ignored(header: Sequence[str], taken: set[int | None]) -> tuple[str, ...]:
    others = (cell.strip() for index, cell in enumerate(header) if index not in taken)
    return tuple(dict.fromkeys(cell for cell in others if cell))


def _folded(cell: str) -> str:
    return cell[:_SHOWN].strip().casefold()
