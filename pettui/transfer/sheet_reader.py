"""The program that reads a spreadsheet for ``sheets``, in a process of its own.

A workbook says itself how large it is unpacked and where its last cell is, and calamine makes room
for all that lies between: a kilobyte can ask for a terabyte, and Rust ends a process that has no
memory left. So this one may use only so much of memory and time, has nothing of the user's but the
file, and is started for each file. Where a system has none of memory (macOS), what the
ZIP's directory says is the only one.

Standard input is the file. Standard output is JSON Lines: the sheet, and its rows; or at last why
it is not read, with the exit code REFUSED.
"""

from __future__ import annotations

import json
import resource
import sys
from contextlib import contextmanager
from datetime import date, time, timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from pettui.text.amounts import size_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from python_calamine import CalamineWorkbook

REFUSED: Final = 11  # exit codes
NO_MEMORY: Final = 12  # where Rust has none left, the process ends by a signal
_PIECE: Final = 1 << 20  # bytes
_ROWS: Final = 1 << 20  # of a sheet: Excel's, LibreOffice's, and what a number of one can be
_ZIP: Final = b"PK\x03\x04"
_EXCEL: Final = "xl/workbook.xml"
_OPEN_DOCUMENT: Final = "content.xml"


class Limits(NamedTuple):
    """What a spreadsheet may take."""

    unpacked: int = 500_000_000  # bytes, by its ZIP's directory
    memory: int = 1_000_000_000  # bytes of address space, Python's own included
    seconds: int = 60  # of a processor
    text: int = 50_000_000  # characters of all cells together
    cells: int = 10_000_000  # up to the last of each row that is not empty
    rows: int = 200_000  # that are not empty


class UnreadableError(Exception):
    """Why a file is not read, in a few words."""


def main() -> None:
    """Read standard input; the arguments are the limits and, if one is wanted, a sheet's name."""
    *numbers, sheet = sys.argv[1:]
    limits = Limits(*map(int, numbers))
    _limit_this_process(limits)
    try:
        for each in lines_of_sheet(BytesIO(sys.stdin.buffer.read()), limits, sheet or None):
            sys.stdout.write(f"{json.dumps(each)}\n")
    except UnreadableError as error:
        sys.stdout.write(f"{json.dumps(str(error))}\n")
        sys.exit(REFUSED)
    except MemoryError:
        sys.exit(NO_MEMORY)


def _limit_this_process(limits: Limits) -> None:
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.seconds),
        (resource.RLIMIT_AS, limits.memory),
    ):
        _, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(kind, (allowed, hard))
        except (OSError, ValueError):  # macOS refuses RLIMIT_AS
            continue


def lines_of_sheet(source: BinaryIO, limits: Limits, sheet: str | None) -> Iterator[Any]:
    """Yield the sheet, and each row that is not empty: number, cells, whether it is hidden.

    Raises:
        UnreadableError: it is no spreadsheet, is damaged or too large, or has no such sheet.
    """
    is_zip = source.read(len(_ZIP)) == _ZIP
    if is_zip:
        _check_zip(source, limits)
    source.seek(0)
    workbook = _opened(source)
    name, others = _chosen(workbook, sheet)
    hidden = _hidden_rows(source, workbook.sheet_names.index(name)) if is_zip else None
    yield {"sheet": name, "others": others, "knows_hidden": hidden is not None}
    size = cell_count = row_count = 0
    for number, row in enumerate(_rows(workbook, name), start=1):
        cells = [*map(text_of, row)]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        size, cell_count = size + sum(map(len, cells)), cell_count + len(cells)
        row_count += 1
        if size > limits.text:
            raise UnreadableError(f"it has more than {size_text(limits.text)} of text")
        if cell_count > limits.cells:
            raise UnreadableError(f"it has more than {limits.cells:,} cells")
        if row_count > limits.rows:
            raise UnreadableError(f"it has more than {limits.rows:,} rows")
        yield [number, cells, number in (hidden or ())]


def _check_zip(source: BinaryIO, limits: Limits) -> None:
    """Refuse a ZIP that is no spreadsheet, or too large by its own word."""
    try:
        with ZipFile(source) as archive:
            members = archive.infolist()
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise UnreadableError(f"it is damaged: {error}") from None
    if not {each.filename for each in members} & {_EXCEL, "xl/workbook.bin", _OPEN_DOCUMENT}:
        raise UnreadableError("it is a ZIP file without a spreadsheet; unpack it first")
    if sum(each.file_size for each in members) > limits.unpacked:
        raise UnreadableError(f"unpacked it has more than {size_text(limits.unpacked)}")


def _opened(source: BinaryIO) -> CalamineWorkbook:
    from python_calamine import CalamineWorkbook  # noqa: PLC0415 - an extra, in this process alone

    with _read_errors("it is no spreadsheet that can be read"):
        return CalamineWorkbook.from_filelike(source)


def _rows(workbook: CalamineWorkbook, name: str) -> Iterator[Sequence[object]]:
    with _read_errors(f"its sheet {name} is damaged"):
        yield from workbook.get_sheet_by_name(name).iter_rows()


@contextmanager
def _read_errors(what: str) -> Iterator[None]:
    from python_calamine import CalamineError  # noqa: PLC0415

    try:
        yield
    except (CalamineError, OSError, ValueError) as error:
        raise UnreadableError(f"{what}: {error}") from None


def _chosen(workbook: CalamineWorkbook, wanted: str | None) -> tuple[str, list[str]]:
    """Return the name of the sheet to read, the first that can be seen, and those of the others."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum  # noqa: PLC0415

    sheets = [each for each in workbook.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    names = [each.name for each in sheets]
    if wanted is None:
        reason = "it has no sheet with cells"
        seen = [each.name for each in sheets if each.visible == SheetVisibleEnum.Visible]
        likely = seen or names
    else:
        reason = f"it has no sheet {wanted}, but {', '.join(names)}"
        likely = sorted(
            (each for each in names if each.casefold() == wanted.casefold()),
            key=lambda name: name != wanted,
        )
    if not likely:
        raise UnreadableError(reason)
    return likely[0], [each for each in names if each != likely[0]]


def text_of(value: object) -> str:
    """Return a cell as a CSV would have it: whole numbers whole, dates in ISO 8601."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return "" if value is None else str(value)


# Which rows are hidden, which calamine does not say


def _hidden_rows(source: BinaryIO, index: int) -> set[int] | None:
    """Return the numbers of a sheet's hidden rows; None where they are not known."""
    try:
        with ZipFile(source) as archive:
            if _EXCEL in archive.namelist():
                return {*_hidden_in_excel(archive, index)}
            return {*_hidden_in_open_document(archive, index)}
    except (BadZipFile, LookupError, RuntimeError, ValueError, expat.ExpatError):
        return None  # calamine has read it all the same


def _hidden_in_excel(archive: ZipFile, index: int) -> Iterator[int]:
    sheets = [*_elements(archive, _EXCEL, "sheet")]
    related = next(value for name, value in sheets[index][1].items() if name.endswith(":id"))
    relations = _elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
    target = next(each["Target"] for _, each in relations if each["Id"] == related)
    path = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    number = 0
    for _, attributes in _elements(archive, path, "row"):
        number = int(attributes.get("r", number + 1))
        if attributes.get("hidden") in ("1", "true"):
            yield number


def _hidden_in_open_document(archive: ZipFile, index: int) -> Iterator[int]:
    table, number = -1, 1
    for tag, attributes in _elements(archive, _OPEN_DOCUMENT, "table", "table-row"):
        if tag == "table":
            table += 1
        elif table == index and number <= _ROWS:
            count = min(int(attributes.get("table:number-rows-repeated", "1")), _ROWS)
            if attributes.get("table:visibility") in ("collapse", "filter"):
                yield from range(number, number + count)
            number += count


def _elements(archive: ZipFile, path: str, *tags: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield tag and attributes of such elements, as they begin; nothing else is kept."""
    found: list[tuple[str, dict[str, str]]] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if (name := tag.rpartition(":")[2]) in tags:
            found.append((name, attributes))

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    with archive.open(path) as member:
        while piece := member.read(_PIECE):
            parser.Parse(piece)
            yield from found
            found.clear()


if __name__ == "__main__":
    main()
