"""The suffix of a file, in any case, determines its format; an unknown one does not."""

from __future__ import annotations

from datetime import date

import pytest

from pettui.models import PetStatus
from pettui.transfer.writing import FileFormat, export_name, named_format, written_format


@pytest.mark.parametrize(
    ("name", "written", "read"),
    [
        ("a.csv", FileFormat.CSV, FileFormat.CSV),
        ("A.CSV", FileFormat.CSV, FileFormat.CSV),
        ("a.b.json", FileFormat.JSON, FileFormat.JSON),
        ("a.jsonl", FileFormat.JSON_LINES, FileFormat.JSON_LINES),
        ("a.ndjson", FileFormat.JSON_LINES, FileFormat.JSON_LINES),
        ("a.tsv", None, FileFormat.CSV),
        ("a.txt", None, None),
        ("csv", None, None),
        (".csv", None, None),
        ("", None, None),
        ("a.csv.gz", None, None),
    ],
)
def test_a_suffix_names_a_format(
    name: str, written: FileFormat | None, read: FileFormat | None
) -> None:
    assert (written_format(name), named_format(name)) == (written, read)


def test_an_export_is_named_after_its_filter_and_day() -> None:
    day = date(2026, 11, 21)
    available = export_name(PetStatus.AVAILABLE, day, FileFormat.CSV)
    assert available == "pets-available-2026-11-21.csv"
    assert export_name(None, day, FileFormat.JSON_LINES) == "pets-2026-11-21.jsonl"


@pytest.mark.parametrize("file_format", FileFormat)
def test_the_name_of_an_export_has_its_suffix(file_format: FileFormat) -> None:
    assert written_format(export_name(None, date(2026, 1, 1), file_format)) is file_format
