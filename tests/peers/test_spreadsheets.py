"""What other programs make of exports and lists, and that an import reads it back from them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pettui.rows.columns import COLUMNS
from pettui.transfer.lines import check_import
from pettui.transfer.writing import (
    EXPORT_HEADER,
    CsvStyle,
    FileFormat,
    field_record,
    pet_file,
)
from tests.transfer.animals import plain_pet
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
    office = program("soffice", "apt install libreoffice-calc-nogui")
    home, cells = f"-env:UserInstallation=file://{file.parent}/office", f"{ord(delimiter)},34,76"
    for source, kind, options in (
        (file, "ods", (f"--infilter=CSV:{cells},1",)),
        (file.with_suffix(".ods"), f"csv:Text - txt - csv (StarCalc):{cells}", ()),
    ):
        ran(
            office,
            home,
            "--headless",
            *options,
            "--convert-to",
            kind,
            "--outdir",
            file.parent,
            source,
        )
    return file


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


@pytest.mark.parametrize("style", [CsvStyle(), CsvStyle(";", True, DOGS)], ids=["plain", "Excel"])
@pytest.mark.parametrize("peer", PEERS)
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


def listed(animals: list[Pet]) -> str:
    """Return the fields that ``pettui list`` prints."""
    records = [EXPORT_HEADER, *([column.raw(pet) for column in COLUMNS] for pet in animals)]
    return "".join(f"{field_record(each)}\n" for each in records)


def test_a_list_of_fields_has_for_other_programs_as_many_rows_as_animals(tmp_path: Path) -> None:
    file = tmp_path / "pets.tsv"
    file.write_text(listed(ANIMALS), encoding="utf-8")
    script = f".mode tabs\n.import '{file}' pets\nselect count(*) from pets;\n"
    sqlite = program("sqlite3", "apt install sqlite3")
    assert int(ran(sqlite, ":memory:", text=script)) == len(ANIMALS)


def test_pandas_reads_each_row_of_a_list_of_fields(tmp_path: Path) -> None:
    file = tmp_path / "pets.tsv"
    file.write_text(listed(ANIMALS), encoding="utf-8")
    frame = module("pandas").read_csv(file, sep="\t", keep_default_na=False)
    assert [*frame["id"]] == [pet.id for pet in ANIMALS]
