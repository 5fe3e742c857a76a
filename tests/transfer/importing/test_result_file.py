"""The result file of an import."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from pettui.models import NewPet, PetStatus
from pettui.transfer.errors import TransferError
from pettui.transfer.importing.import_preview import check_import
from pettui.transfer.importing.line_states import LineOutcome, OutcomeKind
from pettui.transfer.importing.result_file import (
    check_result,
    result_lines,
    result_path,
    write_result,
)
from pettui.transfer.reading.import_lines import CATEGORY, WHOLE, BadLine, GoodLine, Position

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
FILES = ["a.csv", "a.json", "a.jsonl", "a.txt"]


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
    with pytest.raises(TransferError, match="it is a directory"):
        check_result(tmp_path)


@pytest.mark.parametrize(
    ("file", "beside"),
    [("a.json", "a.result.csv"), ("a", "a.result.csv"), ("b.x.csv", "b.x.result.csv")],
)
def test_a_result_is_beside_its_file(file: str, beside: str) -> None:
    assert result_path(Path("d", file)) == Path("d", beside)
