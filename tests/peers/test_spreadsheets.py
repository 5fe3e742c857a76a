"""What other programs make of exports and lists, and that an import reads it back from them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pettui.cli.pet_fields import FIELDS
from pettui.transfer.lines import check_import
from pettui.transfer.writing import (
    EXPORT_HEADER,
    CsvStyle,
    FileFormat,
    field_record,
    pet_file,
)
from tests.animals import plain_pet
from tests.exhaustive import exhaustive, product
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.models.pets import Pet

NAMES: Final = (
    "Rex", "'t Hondje", "=SUM(A1)", "-Bo", "@lice", "+1 dog", '"Bo, the old one', 'Tim "the cat"',
    "two\nlines", "a;b|c, d", "Señor Orejas 🐹", "''", "Last",
)  # fmt: skip
ANIMALS: Final = [plain_pet(number, name, 3) for number, name in enumerate(NAMES, start=1)]
DOGS: Final = {3: "-Dogs"}


def program(name: str, package: str) -> str:
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    return found or missing(f"no {name} here ({package})")


def module(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        return missing(f"no {name} here (pip install {name})")


def missing(reason: str) -> Any:
    """Skip a test of what is too large to be installed for it alone; in CI all are there."""
    pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)


def ran(*words: str | Path, text: str = "") -> str:
    return subprocess.run(
        words, input=text, capture_output=True, check=True, text=True, timeout=PATIENCE
    ).stdout


def through_libreoffice(file: Path, delimiter: str) -> Path:
    """Open a CSV as a person does, save it as a spreadsheet, and that as a CSV."""
    cells = f"{ord(delimiter)},34,76"
    sheet = converted(file, "ods", f"--infilter=CSV:{cells},1")
    converted(sheet, f"csv:Text - txt - csv (StarCalc):{cells}")
    return file


def converted(file: Path, kind: str, *options: str, directory: Path | None = None) -> Path:
    """Have LibreOffice open a file, and save it as another kind."""
    office = program("soffice", "apt install libreoffice-calc-nogui")
    # Of this worker's tests, which run one after the other: making one takes longer than converting.
    home = f"-env:UserInstallation=file://{file.parent.parent}/libreoffice"
    to = directory or file.parent
    ran(office, home, "--headless", *options, "--convert-to", kind, "--outdir", to, file)
    return to / f"{file.stem}.{kind.partition(':')[0]}"


def through_pandas(file: Path, delimiter: str) -> Path:
    """Drop the column of ids."""
    frame = module("pandas").read_csv(file, sep=delimiter, keep_default_na=False)
    assert len(frame) == len(NAMES)
    frame.drop(columns="id").to_csv(file, sep=delimiter, index=False)
    return file


def through_duckdb(file: Path, delimiter: str) -> Path:
    """Put the columns into another order."""
    duckdb, written = module("duckdb"), file.with_name("written.csv")
    rows = f"read_csv('{file}', delim='{delimiter}', quote='\"', header=true)"
    duckdb.sql(f"copy (select categoryId, name from {rows}) to '{written}' (delim '{delimiter}')")
    return written


def through_csvkit(file: Path, delimiter: str) -> Path:
    """Take out columns."""
    cut = program("csvcut", "pip install csvkit")
    file.write_text(ran(cut, "-d", delimiter, "-c", "name,categoryId", file), encoding="utf-8")
    return file


def through_sqlite(file: Path, delimiter: str) -> Path:
    """Put it into a table, and that into a CSV."""
    script = (
        f".mode csv\n.separator '{delimiter}'\n.import '{file}' pets\n.headers on\n"
        "select name, categoryId, status from pets;\n"
    )
    text = ran(program("sqlite3", "apt install sqlite3"), ":memory:", text=script)
    file.write_bytes(text.encode())
    return file


PEERS: Final[tuple[Callable[[Path, str], Path], ...]] = (
    through_libreoffice, through_pandas, through_duckdb, through_csvkit, through_sqlite,
)  # fmt: skip


@pytest.mark.parametrize(("peer", "style"), product(PEERS, (CsvStyle(";", True, DOGS), CsvStyle())))
def test_an_export_that_went_through_another_program_is_read_back_exactly(
    peer: Callable[[Path, str], Path], style: CsvStyle, tmp_path: Path
) -> None:
    file = tmp_path / "pets.csv"
    file.write_bytes(b"".join(pet_file(ANIMALS, FileFormat.CSV, style)))
    with peer(file, style.delimiter).open("rb") as source:
        read = check_import(source, "pets.csv", {})
    assert not read.bad_lines
    found = [(line.new_pet.name, line.new_pet.category_id) for line in read.lines]
    assert found == [(pet.name, pet.category_id) for pet in ANIMALS]


@pytest.mark.parametrize("kind", ["xlsx", *exhaustive("ods", "xls")])
def test_an_export_that_libreoffice_saves_as_a_spreadsheet_is_read_back_exactly(
    kind: str, tmp_path: Path
) -> None:
    file = tmp_path / "pets.csv"
    file.write_bytes(b"".join(pet_file(ANIMALS, FileFormat.CSV, CsvStyle(";", True, DOGS))))
    saved = converted(file, kind, f"--infilter=CSV:{ord(';')},34,76,1")
    with saved.open("rb") as source:
        read = check_import(source, saved.name, {})
    assert not read.bad_lines
    found = [(line.new_pet.name, line.new_pet.category_id) for line in read.lines]
    assert found == [(pet.name, pet.category_id) for pet in ANIMALS]
    unknown = ("it is not known whether some of its rows are hidden",)
    assert read.remarks == (unknown if kind == "xls" else ())


@pytest.mark.parametrize("kind", ["xlsx", "ods", "xls"])
def test_what_a_person_leaves_in_a_sheet_is_read_as_it_is_shown(kind: str, tmp_path: Path) -> None:
    """Dates, formulas, a filter, rows above, another sheet, and formatting down to the end."""
    openpyxl = module("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Stock"
    rows = [("name", "category", "status", "since"), ("Rex", 3.0, "sold", date(2024, 1, 5)),
            ("Luna", "=1+2", "", time(7, 30)), ("Bo", 1, "pending", "=1/0"), ("007", 2, "", True)]  # fmt: skip
    for each in ((), (), *rows):
        sheet.append(each)
    sheet.row_dimensions[6].hidden = True
    sheet["C1048576"].font = openpyxl.styles.Font(bold=True)
    book.create_sheet("Notes")["A1"] = "none"
    book.save(tmp_path / "made.xlsx")
    saved = converted(tmp_path / "made.xlsx", kind, directory=tmp_path / "saved")
    with saved.open("rb") as source:
        read = check_import(source, saved.name, {})
    assert read.bad_lines == ()
    found = [
        (each.position.line, each.new_pet.name, each.new_pet.category_id) for each in read.lines
    ]
    assert found == [(4, "Rex", 3), (5, "Luna", 3), (6, "Bo", 1), (7, "007", 2)]
    hidden = "1 hidden row is read, too"
    unknown = "it is not known whether some of its rows are hidden"
    others = "the sheet Stock is read, and not Notes"
    assert read.remarks == (others, unknown if kind == "xls" else hidden)


def listed(animals: list[Pet]) -> str:
    """Return the fields that ``pettui list`` prints."""
    records = [EXPORT_HEADER, *([field.raw(pet) for field in FIELDS] for pet in animals)]
    return "".join(f"{field_record(each)}\n" for each in records)


def test_pandas_reads_each_row_of_a_list_of_fields(tmp_path: Path) -> None:
    file = tmp_path / "pets.tsv"
    file.write_text(listed(ANIMALS), encoding="utf-8")
    frame = module("pandas").read_csv(file, sep="\t", keep_default_na=False)
    assert [*frame["id"]] == [pet.id for pet in ANIMALS]
