"""The program that reads a spreadsheet for ``sheets``, in a process of its own.

A workbook says itself how large it is unpacked and where its last cell is, and calamine makes room
for all that lies between: a kilobyte can ask for a terabyte, and Rust ends a process that has no
memory left. So this one may use only so much of memory and time, has nothing of the user's but the
file, and is started for each file. Where a system has none of memory (macOS), what the
ZIP's directory says is the only one.

Standard input is the file. Standard output is JSON Lines: the sheet, its rows, and the end, or why
it could not be read.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from contextlib import contextmanager
from datetime import date, time, timedelta
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple
from zipfile import BadZipFile, ZipFile

from pettui.text.amounts import size_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from python_calamine import CalamineWorkbook

NO_MEMORY: Final = 12  # exit code; where Rust has none left, the process ends by a signal
_PIECE: Final = 1 << 20  # bytes
_LONGEST_TAG: Final = 1 << 20  # bytes
_ROWS: Final = 1 << 20  # of a sheet: Excel's, LibreOffice's, and what a number of one can be
_ZIP: Final = b"PK\x03\x04"
_EXCEL: Final = "xl/workbook.xml"
_SHEET: Final = re.compile(rb"<(?:\w+:)?sheet\s[^>]*?\s\w+:id=[\"']([^\"']*)[\"']")
_TARGET: Final = re.compile(rb"<(?:\w+:)?Relationship\s[^>]*>")
_EXCEL_ROW: Final = re.compile(rb"<(?:\w+:)?row\b[^>]*>")
_ROW_NUMBER: Final = re.compile(rb"\sr=[\"'](\d{1,7})[\"']")
_TABLE: Final = re.compile(rb"<(/?)table:table(?=[\s>])[^>]*>|<table:table-row\b[^>]*>")
_ATTRIBUTE: Final = re.compile(rb"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


class Limits(NamedTuple):
    """What a spreadsheet may take."""

    unpacked: int = 500_000_000  # bytes, by its ZIP's directory
    memory: int = 1_000_000_000  # bytes of address space, Python's own included
    seconds: int = 60  # of a processor
    text: int = 50_000_000  # characters of all cells together
    cells: int = 10_000_000  # up to the last of each row that is not empty


class UnreadableError(Exception):
    """Why a file is not read, in a few words."""


def main() -> None:
    """Read standard input; the arguments are the limits and, if one is wanted, a sheet's name."""
    *numbers, sheet = sys.argv[1:]
    limits = Limits(*map(int, numbers))
    _limit_this_process(limits)
    try:
        for each in lines_of_sheet(sys.stdin.buffer, limits, sheet or None):
            sys.stdout.write(f"{json.dumps(each)}\n")
    except UnreadableError as error:
        sys.stdout.write(f"{json.dumps({'error': str(error)})}\n")
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
    """Yield the sheet, each row that is not empty (number, cells, whether it is hidden), the end.

    Raises:
        UnreadableError: it is no spreadsheet, is damaged or too large, or has no such sheet.
    """
    head = source.read(len(_ZIP))
    source.seek(0)
    if head == _ZIP:
        _check_zip(source, limits)
    workbook = _opened(source)
    name, others = _chosen(workbook, sheet)
    hidden = _hidden_rows(source, workbook.sheet_names.index(name)) if head == _ZIP else None
    yield {"sheet": name, "others": others, "knows_hidden": hidden is not None}
    ranges = iter(hidden or ())
    current = next(ranges, None)
    size = count = 0
    for number, row in enumerate(_rows(workbook, name), start=1):
        while current is not None and number >= current.stop:
            current = next(ranges, None)
        cells = [*map(text_of, row)]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        size, count = size + sum(map(len, cells)), count + len(cells)
        if size > limits.text:
            raise UnreadableError(f"it has more than {size_text(limits.text)} of text")
        if count > limits.cells:
            raise UnreadableError(f"it has more than {limits.cells:,} cells")
        yield [number, cells, current is not None and number in current]
    yield {"end": True}


def _check_zip(source: BinaryIO, limits: Limits) -> None:
    """Refuse a ZIP that is no spreadsheet, or too large by its own word."""
    try:
        with ZipFile(source) as archive:
            members = archive.infolist()
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise UnreadableError(f"it is damaged: {error}") from None
    finally:
        source.seek(0)
    names = {each.filename.casefold() for each in members}
    if any(each.endswith(".iwa") for each in names):
        raise UnreadableError("it is of Apple Numbers; export it as Excel, or as CSV")
    if not names & {_EXCEL, "xl/workbook.bin", "content.xml"}:
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
    """Raise what calamine raises as UnreadableError, and a panic of Rust, which is no Exception."""
    from python_calamine import CalamineError, PasswordError  # noqa: PLC0415

    try:
        yield
    except PasswordError:
        raise UnreadableError("it is protected with a password; save it without one") from None
    except (CalamineError, OSError, ValueError) as error:
        raise UnreadableError(f"{what}: {error}") from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise UnreadableError("it is damaged, or no spreadsheet that can be read") from None


def _chosen(workbook: CalamineWorkbook, wanted: str | None) -> tuple[str, list[str]]:
    """Return the name of the sheet to read, the first that can be seen, and those of the others."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum  # noqa: PLC0415

    sheets = [each for each in workbook.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    names = [each.name for each in sheets]
    if wanted is not None:
        folded = [each for each in names if each.casefold() == wanted.casefold()]
        if wanted not in names and len(folded) != 1:
            raise UnreadableError(f"it has no sheet {wanted}, but {', '.join(names)}")
        chosen = wanted if wanted in names else folded[0]
    elif not sheets:
        raise UnreadableError("it has no sheet with cells")
    else:
        seen = [each.name for each in sheets if each.visible == SheetVisibleEnum.Visible]
        chosen = (seen or names)[0]
    return chosen, [each for each in names if each != chosen]


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


# Which rows are hidden, which calamine does not say. Only tags are looked at, piece by piece, and
# no entity is resolved, so that there is nothing to expand.


def _hidden_rows(source: BinaryIO, index: int) -> list[range] | None:
    """Return the hidden rows of a sheet in their order; None where that is not known."""
    source.seek(0)
    try:
        with ZipFile(source) as archive:
            if _EXCEL in archive.namelist():
                return _hidden_in_excel(archive, index)
            if "content.xml" in archive.namelist():
                return _hidden_in_ods(archive, index)
    except (BadZipFile, KeyError, NotImplementedError, OSError, ValueError, RuntimeError):
        return None  # calamine has read it all the same
    return None


def _hidden_in_excel(archive: ZipFile, index: int) -> list[range] | None:
    ids = _SHEET.findall(_start_of(archive, _EXCEL))
    tags = _TARGET.findall(_start_of(archive, "xl/_rels/workbook.xml.rels"))
    targets = {each.get("Id"): each.get("Target", "") for each in map(_attributes, tags)}
    if index >= len(ids) or not (target := targets.get(ids[index].decode())):
        return None
    path = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    hidden: list[range] = []
    number = 0
    for tag in islice(_tags(archive, path, _EXCEL_ROW), _ROWS):
        own = _ROW_NUMBER.search(tag[0])
        number = number + 1 if own is None else int(own[1])
        if b"hidden" in tag[0] and _attributes(tag[0]).get("hidden") in ("1", "true"):
            hidden.append(range(number, number + 1))
    return sorted(hidden, key=lambda each: each.start)


def _hidden_in_ods(archive: ZipFile, index: int) -> list[range] | None:
    hidden: list[range] = []
    depth, table, number = 0, -1, 1
    for tag in islice(_tags(archive, "content.xml", _TABLE), _ROWS):
        if tag[0].startswith((b"<table:table ", b"<table:table>", b"</")):
            depth += -1 if tag[1] else 1
            table += depth == 1 and not tag[1]
            continue
        if table != index or depth != 1:
            continue
        attributes = _attributes(tag[0])
        repeated = attributes.get("table:number-rows-repeated", "")
        count = min(int(repeated), _ROWS) if re.fullmatch("[0-9]{1,12}", repeated) else 1
        if attributes.get("table:visibility") in ("collapse", "filter"):
            hidden.append(range(number, number + count))
        number += count
    return hidden


def _start_of(archive: ZipFile, name: str) -> bytes:
    with archive.open(name) as member:
        return member.read(_PIECE)


def _tags(archive: ZipFile, name: str, tag: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
    with archive.open(name) as member:
        rest = b""
        while piece := member.read(_PIECE):
            content = rest + piece
            end = content.rfind(b">") + 1
            yield from tag.finditer(content, 0, end)
            rest = content[end:]
            if len(rest) > _LONGEST_TAG:
                raise ValueError("a tag is too long")


def _attributes(tag: bytes) -> dict[str, str]:
    found: Iterable[tuple[bytes, bytes, bytes]] = _ATTRIBUTE.findall(tag)
    return {name.decode(): unescape((one or other).decode()) for name, one, other in found}


if __name__ == "__main__":
    main()
