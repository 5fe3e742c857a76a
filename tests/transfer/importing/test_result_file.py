"""The result file of an import."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.models import NewPet, PetStatus
from pettui.transfer.files import TransferError
from pettui.transfer.lines import CATEGORY, WHOLE, BadLine, GoodLine, Position, check_import
from pettui.transfer.results import (
    LineOutcome,
    OutcomeKind,
    check_result,
    import_summary,
    result_lines,
    result_path,
    write_result,
)

if TYPE_CHECKING:
    from pettui.transfer.lines import ImportPreview

NAMES = ["=1+1", "'quoted", 'a "b", c', "two\nlines", "Ægir 🐹"]
PETS = [NewPet(name=name, category_id=3, status=PetStatus.SOLD) for name in NAMES]
LINES = [GoodLine(Position(2 * number), pet) for number, pet in enumerate(PETS, start=1)]
OUTCOMES = [
    LineOutcome(LINES[0], OutcomeKind.ADDED, 7),
    LineOutcome(LINES[1], OutcomeKind.REFUSED, error="400 no: =Not, so\n"),
    LineOutcome(LINES[2], OutcomeKind.UNKNOWN, error="cannot read from h:1: \ud800"),
    LineOutcome(LINES[3], OutcomeKind.ADDED_EARLIER, 3),
    LineOutcome(LINES[4], OutcomeKind.NOT_SENT),
]
BAD = [BadLine(Position(3), CATEGORY, "is missing"), BadLine(Position(1), WHOLE, "it is too long")]
FILES = ["a.csv", "a.json", "a.jsonl"]


def written(path: Path) -> list[dict[str, object]]:
    """Write a result of these lines, and return it as read by Python's own readers."""
    write_result(path, result_lines(OUTCOMES, BAD, {LINES[4].position: "line 2"}))
    text = path.read_text(encoding="utf-8")
    match path.suffix:
        case ".json":
            return list(json.loads(text))
        case ".jsonl":
            return [json.loads(line) for line in text.splitlines()]
        case _:
            return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("name", FILES)
def test_a_result_has_every_line_in_order_with_its_outcome(tmp_path: Path, name: str) -> None:
    found = written(tmp_path / name)
    assert [(line["position"], line["outcome"]) for line in found] == [
        ("line 1", "bad"),
        ("line 2", "added"),
        ("line 3", "bad"),
        ("line 4", "refused"),
        ("line 6", "unknown"),
        ("line 8", "added earlier"),
        ("line 10", "not sent"),
    ]
    assert [str(line.get("id") or "") for line in found] == ["", "7", "", "", "", "3", ""]
    assert found[0]["error"] == "it is too long"
    assert found[2]["error"] == "category: is missing"
    assert found[3]["error"] == "400 no: =Not, so\n"
    assert str(found[4]["error"]).startswith("cannot read from h:1: ")
    assert found[6]["duplicateOf"] == "line 2"


@pytest.mark.parametrize("name", FILES)
def test_a_result_is_read_back_as_its_animals(tmp_path: Path, name: str) -> None:
    written(tmp_path / name)
    with (tmp_path / name).open("rb") as source:
        found = check_import(source, name, {})
    assert [line.new_pet for line in found.lines] == PETS
    assert len(found.bad_lines) == len(BAD)


@pytest.mark.parametrize("name", FILES)
def test_a_result_replaces_only_an_earlier_result(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    check_result(path)
    assert not path.exists()
    for lines in ([], result_lines(OUTCOMES, BAD, {})):
        write_result(path, lines)
        check_result(path)
    path.write_text("name,category\nRex,3\n")
    with pytest.raises(
        TransferError, match="a file that is not the result of an import is already there"
    ):
        check_result(path)


def test_an_unwritable_result_is_known_in_advance(tmp_path: Path) -> None:
    with pytest.raises(TransferError, match="no such file or directory"):
        check_result(tmp_path / "nowhere" / "a.csv")
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(TransferError, match="it is a directory"):
        check_result(tmp_path / "a.csv")
    for name in ("a.txt", "a", ".csv"):
        with pytest.raises(TransferError, match="must end in"):
            check_result(tmp_path / name)


BAD_CSV = b"""name,category,status,legs
 Rex ,Dogz,Sold,4
,3,sold,4
  ,3,,4
=1+1,=2+2,-x,4
'quoted,@3,,4
"two
lines",x,,4
Rex,the dog,3,4,sold
-5,99999999999999999999,,4
R\xe9my,3,sold,4
Luna,3,s\xe9,4
"never,3
"""
BAD_JSON = rb"""[
{"name": 5, "categoryId": 3}, {"categoryId": 3}, {"name": "Rex", "categoryId": true},
{"name": "Rex", "categoryId": [1, 2]}, {"name": "Rex", "categoryId": 3, "status": "lost"},
{"name": "Rex", "categoryId": 3, "status": 7}, {"name": "Rex"}, {"name": "Rex",}, 7, null,
{"name": "\ud800", "categoryId": 3}
]"""


def checked(content: bytes, name: str) -> ImportPreview:
    return check_import(io.BytesIO(content), name, {3: "Dogs"})


@pytest.mark.parametrize(
    ("source", "content", "name"),
    [("b.csv", BAD_CSV, "a.csv"), ("b.json", BAD_JSON, "a.csv"), ("b.csv", BAD_CSV, "a.jsonl")],
)
def test_what_is_bad_is_bad_in_the_result_too_until_it_is_corrected(
    tmp_path: Path, source: str, content: bytes, name: str
) -> None:
    bad = checked(content, source).bad_lines
    assert len(bad) == 11
    write_result(tmp_path / name, result_lines([], bad, {}))
    again = checked((tmp_path / name).read_bytes(), name)
    assert (len(again.bad_lines), again.lines) == (len(bad), ())


def test_a_result_has_the_cells_of_bad_lines_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_result(path, result_lines([], checked(BAD_CSV, "b.csv").bad_lines, {}))
    records = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))[1:]
    assert [record[1:4] for record in records] == [
        [" Rex ", "Dogz", "Sold"],
        ["", "3", "sold"],
        ["  ", "3", ""],
        ["'=1+1", "'=2+2", "'-x"],  # harmless for spreadsheets
        ["''quoted", "'@3", ""],
        ["two\nlines", "x", ""],
        ["Rex", "the dog", "3"],
        ["'-5", "99999999999999999999", ""],
        ["", "", ""],  # no text
        ["", "", ""],
        ["", "", ""],
    ]
    assert records[6][-1] == "sold"  # the cell too many
    again = checked(path.read_bytes(), "a.csv").bad_lines
    assert again[3].cells == ("=1+1", "=2+2", "-x")


@pytest.mark.parametrize("name", FILES)
def test_a_corrected_result_is_imported(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_result(path, result_lines([], checked(b"'Rex,Dogz,sold\n", "b.csv").bad_lines, {}))
    path.write_text(path.read_text().replace("Dogz", "Dogs"))
    found = checked(path.read_bytes(), name)
    assert found.bad_lines == ()
    assert [line.new_pet for line in found.lines] == [
        NewPet(name="'Rex", category_id=3, status=PetStatus.SOLD)
    ]


@pytest.mark.parametrize(
    ("file", "beside"),
    [("a.json", "a.result.csv"), ("a", "a.result.csv"), ("b.x.csv", "b.x.result.csv")],
)
def test_a_result_is_beside_its_file(file: str, beside: str) -> None:
    assert result_path(Path("d", file)) == Path("d", beside)


def test_a_summary_names_only_what_there_is() -> None:
    line = GoodLine(Position(1), NewPet(name="Rex", category_id=3))
    outcomes = [LineOutcome(line, kind) for kind in (*OutcomeKind, OutcomeKind.ADDED)]
    assert import_summary(outcomes, 1_000).sentence() == (
        "2 lines added, 1 added by an earlier import, 1 left out as duplicate, 1 refused, "
        "1 unknown, 1,000 bad, 1 not sent"
    )
    assert import_summary(outcomes[:1], 0).sentence() == "1 line added"
