"""Spreadsheets, as programs write them, as people leave them, and as somebody means harm."""

# ruff: noqa: DTZ001 - a sheet knows no zones
from __future__ import annotations

import datetime as dt
import re
import sys
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from pettui.system import extras
from pettui.transfer.files import TransferError
from pettui.transfer.lines import ImportPreview, check_import
from pettui.transfer.mapping import ReadingOptions
from pettui.transfer.sheet_reader import Limits, UnreadableError, lines_of_sheet, text_of
from pettui.transfer.sheets import Sheet, read_sheet
from tests.exhaustive import only_whole
from tests.transfer.workbooks import (
    HEADER,
    cell,
    head,
    number,
    ods,
    ods_cell,
    ods_row,
    row,
    with_huge_sheet,
    xlsx,
    zipped,
)

if TYPE_CHECKING:
    from pathlib import Path

REX = row(cell("Rex"), number("3"), cell("sold"))
BO = (cell("Bo"), number("3"))


def checked(content: bytes, sheet: str | None = None) -> ImportPreview:
    return check_import(BytesIO(content), "a.xlsx", {}, options=ReadingOptions(sheet=sheet))


def cells_of(content: bytes, **options: Any) -> dict[int, tuple[str, ...]]:
    """Return the cells of each row that is not empty, by its number."""
    return {each.line: tuple(each.cells) for each in sheet_of(content, **options).records}


def sheet_of(book: bytes, **options: Any) -> Sheet:
    return read_sheet(BytesIO(book), "a.xlsx", **{"content": 10**8, **options})


def names_of(preview: ImportPreview) -> list[tuple[int, str, int]]:
    return [
        (each.position.line, each.new_pet.name, each.new_pet.category_id) for each in preview.lines
    ]


def test_the_animals_of_a_sheet_are_those_of_the_same_csv() -> None:
    preview = checked(
        xlsx(head(), REX, row(cell("Mimi"), number("1.0")), row(cell("Tiny"), cell("x")))
    )
    assert names_of(preview) == [(2, "Rex", 3), (3, "Mimi", 1)]
    assert [(each.position.line, each.field) for each in preview.bad_lines] == [(4, "category")]
    assert preview.remarks == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"), (True, "TRUE"), (3, "3"), (3.0, "3"), (0.0, "0"), (2.5, "2.5"), (1e20, "1" + 20 * "0"),
        (-7.0, "-7"), (dt.date(2024, 1, 5), "2024-01-05"), (float("inf"), "inf"), (None, ""),
        (dt.datetime(2024, 1, 5, 13, 1), "2024-01-05T13:01:00"), (dt.time(3, 4), "03:04:00"),
        (dt.timedelta(hours=30, seconds=5), "30:00:05"),
    ],
)  # fmt: skip
def test_whole_numbers_are_whole_and_dates_are_iso(value: object, text: str) -> None:
    assert text_of(value) == text


def test_the_first_sheet_that_can_be_seen_is_read_or_the_one_that_is_wanted() -> None:
    more = {"Old": head() + row(*BO), "Notes": row(cell("none"))}
    book = xlsx(head(), REX, others=more, states={"Animals": 'state="hidden"'})
    assert names_of(checked(book)) == [(2, "Bo", 3)]
    assert checked(book).remarks == ("the sheet Old is read, and not Animals, Notes",)
    assert names_of(checked(book, "animals")) == [(2, "Rex", 3)]
    with pytest.raises(TransferError, match="it has no sheet New, but Animals, Old, Notes"):
        checked(book, "New")
    with pytest.raises(TransferError, match="it is no spreadsheet, and has no sheets"):
        check_import(BytesIO(b"Rex,3\n"), "a.csv", {}, options=ReadingOptions(sheet="Old"))


HIDDEN = {
    "Excel": xlsx(head(), row(*BO, attributes=' hidden="1"'), REX, row(*BO, attributes=" hidden='true'")),
    "numbered": xlsx(
        head(), row(*BO, attributes=' r="7" hidden="1"'), row(attributes=' r="9" hidden="1"'),
        row(*BO, attributes=' r="10"'), row(*BO, attributes=' r="12" hidden="1"'),
    ),
    "OpenDocument": ods(
        ods_row(*map(ods_cell, HEADER)),
        ods_row(ods_cell("Bo"), ods_cell("3"), attributes=' table:visibility="filter"'),
        ods_row(attributes=' table:visibility="collapse" table:number-rows-repeated="3"'),
        ods_row(ods_cell("Rex"), ods_cell("3")),
        ods_row(
            ods_cell("Bo"), ods_cell("3"),
            attributes=' table:number-rows-repeated="1" table:visibility="collapse"',
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("content", HIDDEN.values(), ids=HIDDEN)
def test_hidden_rows_that_are_not_empty_are_read_counted_and_said(content: bytes) -> None:
    preview = checked(content)
    assert preview.remarks == ("2 hidden rows are read, too",)
    assert len(preview.lines) == 3


def test_a_missing_extra_is_said_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    said = "it is a spreadsheet, which needs python_calamine; install pettui again from its directory, "
    with pytest.raises(TransferError, match=re.escape(f"{said}as '.[sheets]'; or save it as CSV")):
        checked(xlsx(head(), REX))


def test_what_reads_a_sheet_gets_no_key_and_is_not_in_this_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nenv >{tmp_path}/env\nexec {sys.executable} "$@"\n')
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setenv("SHOP_KEY", "sekrit-0123456789")
    monkeypatch.setenv("PETTUI_API_KEY", "sekrit-9876543210")
    assert names_of(checked(xlsx(head(), REX))) == [(2, "Rex", 3)]
    assert "sekrit" not in (tmp_path / "env").read_text()
    assert "python_calamine" not in sys.modules


def test_a_file_can_be_read_once_more_after_its_sheet_was(tmp_path: Path) -> None:
    book = Random(1).randbytes(100_000)  # longer than what is read ahead
    book = zipped({"more": book.hex()}) + xlsx(head(), REX)
    (tmp_path / "a.xlsx").write_bytes(book)
    with (tmp_path / "a.xlsx").open("rb") as source:
        for _ in range(2):
            assert names_of(check_import(source, "a.xlsx", {})) == [(2, "Rex", 3)]
            source.seek(0)
            assert (source.read(100) + source.read()) == book
            source.seek(0)


# ── what other programs were reported for ────────────────────────────────────────────────────────

REPORTED = {
    "a number as text keeps its zeros": (row(cell("007"), number("7")), ("007", "7")),
    "NA is a text": (row(cell("NA"), cell("NULL")), ("NA", "NULL")),
    "empty cells keep their columns": (
        row(cell("Rex", "A2"), cell("sold", "C2")), ("Rex", "", "sold"),
    ),
    "a date and not its number": (row(cell("Rex"), number("45296", ' s="1"')), ("Rex", "2024-01-05")),
    "more than 24 hours": (row(cell("Rex"), number("1.25", ' s="2"')), ("Rex", "30:00:00")),
}  # fmt: skip


@pytest.mark.parametrize(("second", "cells"), REPORTED.values(), ids=REPORTED)
def test_cells_are_what_the_sheet_shows(second: str, cells: tuple[str, ...]) -> None:
    assert cells_of(xlsx(head(), second)) == {1: HEADER, 2: cells}


DAMAGED = {
    "cut": (xlsx(head(), REX)[:-100], "is damaged|no spreadsheet that can be read"),
    "only its first bytes": (b"PK\x03\x04\x14\x00", "is damaged"),
    "a ZIP of something else": (zipped({"a.txt": "Rex"}), "a ZIP file without a spreadsheet"),
    "a compound file of something else": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(3000), "no spreadsheet that can be read",
    ),
    "a sheet without its end": (xlsx(head(), REX + "<row><c"), "is damaged"),
    "no sheet": (zipped({"xl/workbook.xml": "<workbook/>"}), "no spreadsheet that can be read|no sheet"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_spreadsheet_is_an_error_in_one_line(content: bytes, reason: str) -> None:
    with pytest.raises(TransferError, match=rf"^cannot read a\.xlsx: .*({reason})") as error:
        checked(content)
    assert str(error.value).isprintable()


# ── bombs ────────────────────────────────────────────────────────────────────────────────────────

LAUGHS = "".join(f'<!ENTITY l{n} "{10 * f"&l{n - 1};"}">' for n in range(1, 10))
LAUGH = f'<!DOCTYPE a [<!ENTITY l0 "lol">{LAUGHS}]>'
EMPTY = '<row><c s="1"/></row>'
BOMBS = {
    "a cell in the last corner": (
        xlsx(head(), REX, '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'), "memory",
    ),
    "a directory that tells of gigabytes": (
        with_huge_sheet(head(), EMPTY, 10_000, "", says=2_000_000_000), "unpacked it has more than 500 MB",
    ),
    "a directory that tells of a kilobyte": (
        with_huge_sheet(head() + '<row><c t="inlineStr"><is><t>', 100 * "A", 1_000_000,
                        "</t></is></c></row>", says=1000), "is damaged|memory|text",
    ),
    "entities of entities": (
        xlsx(head(), row(cell("&l9;"), number("3")), prologue=LAUGH), "is damaged",
    ),
    "entities of entities in OpenDocument": (
        ods(ods_row(ods_cell("&l9;"), ods_cell("3")), prologue=LAUGH), "read|damaged",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "reason"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_an_error_in_one_line(content: bytes, reason: str) -> None:
    with pytest.raises(TransferError, match=rf"^cannot read a\.xlsx: .*({reason})") as error:
        checked(content)
    assert str(error.value).isprintable()


@pytest.mark.parametrize("count", [20_000, *only_whole(10_000_000)])
@pytest.mark.parametrize(
    "empty", ['<c s="1"/>', f"</row>{EMPTY}<row>"], ids=["in a row", "of rows"]
)
def test_empty_cells_are_none_however_many_there_are(count: int, empty: str) -> None:
    book = with_huge_sheet(f"{head()}{REX}<row>", empty, count, "</row>", says=None)
    assert names_of(checked(book)) == [(2, "Rex", 3)]


def test_text_that_many_cells_share_is_counted_for_each() -> None:
    book = xlsx(*(row(*10 * (cell(100 * "A"),)) for _ in range(100)))
    with pytest.raises(UnreadableError, match="more than 50 kB of text"):
        [*lines_of_sheet(BytesIO(book), Limits(text=50_000), None)]
    with pytest.raises(UnreadableError, match="more than 500 cells"):
        [*lines_of_sheet(BytesIO(book), Limits(cells=500), None)]
    with pytest.raises(UnreadableError, match="unpacked it has more than 5 kB"):
        [*lines_of_sheet(BytesIO(book), Limits(unpacked=5_000), None)]


def test_what_takes_too_long_is_ended_and_said() -> None:
    book = with_huge_sheet(head(), EMPTY, 10_000_000, "", says=None)
    with pytest.raises(
        TransferError, match="reading it takes longer than 1 seconds; save it as CSV"
    ):
        sheet_of(book, limits=Limits(seconds=1))
