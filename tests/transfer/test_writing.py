"""Files have what the service sent or what became of an import; Python's own readers read them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import NewPet, Pet, PetStatus
from pettui.transfer.files import TransferError
from pettui.transfer.lines import BadLine, GoodLine, ImportPreview, Position, check_import
from pettui.transfer.mapping import CATEGORY
from pettui.transfer.meaning import WHOLE
from pettui.transfer.results import (
    LineOutcome,
    OutcomeKind,
    check_result,
    result_lines,
    result_path,
    write_result,
)
from pettui.transfer.writing import (
    PLAIN,
    CsvStyle,
    FileFormat,
    pet_file,
    unguarded,
)
from tests.animals import plain_pet, sent_pet, sent_pets

REX = '{"id":7,"name":"Rex","categoryId":3}'


def written(
    animals: list[Pet], file_format: FileFormat = FileFormat.CSV, style: CsvStyle = PLAIN
) -> str:
    return b"".join(pet_file(animals, file_format, style)).decode()


def rows(animals: list[Pet]) -> list[list[str]]:
    """Return the cells of a CSV file, as Python's reader reads them."""
    return list(csv.reader(io.StringIO(written(animals), newline="")))


# ── CSV ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_csv_has_four_columns_and_lines_that_end_in_crlf() -> None:
    animals = [plain_pet(status="sold"), plain_pet(8, "Mimi", -5)]
    assert written(animals) == "id,name,categoryId,status\r\n7,Rex,3,sold\r\n8,Mimi,-5,\r\n"


def test_unknown_fields_follow_as_json_in_order_of_first_appearance() -> None:
    animals = [
        sent_pet('{"id":1,"tags":["a", "b"],"name":"Rex","price":1.10,"categoryId":3}'),
        plain_pet(),
        sent_pet('{"born":null,"price":"1e2","id":2,"name":"Mimi","categoryId":3,"big":1E400}'),
    ]
    assert rows(animals) == [
        ["id", "name", "categoryId", "status", "tags", "price", "born", "big"],
        ["1", "Rex", "3", "", '["a", "b"]', "1.10", "", ""],
        ["7", "Rex", "3", "", "", "", "", ""],
        ["2", "Mimi", "3", "", "", '"1e2"', "null", "1E400"],
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "'"])
def test_no_text_is_a_formula(start: str) -> None:
    text = f"{start}1+1"
    animals = [plain_pet(name=text, status=text, **{text: text})]
    header, row = rows(animals)
    assert header[4] == f"'{text}"
    assert row == ["7", f"'{text}", "3", f"'{text}", json.dumps(text)]


@pytest.mark.parametrize(
    ("value", "cell"), [("-5", "-5"), ("-1e5", "-1e5"), ("-Infinity", "'-Infinity")]
)
def test_only_a_number_that_json_has_is_without_a_guard(value: str, cell: str) -> None:
    assert rows([sent_pet(f'{REX[:-1]},"x":{value}}}')])[1][4] == cell


@given(st.lists(sent_pets(), max_size=4))
def test_any_animals_are_read_back_by_the_csv_module(animals: list[Pet]) -> None:
    header, *lines = rows(animals)
    assert header[:4] == ["id", "name", "categoryId", "status"]
    others = [unguarded(name) for name in header[4:]]
    assert others == list(dict.fromkeys(name for pet in animals for name in pet.others))
    for pet, line in zip(animals, lines, strict=True):
        assert len(line) == len(header)
        assert (int(line[0]), int(line[2])) == (pet.id, pet.category_id)
        assert unguarded(line[1]) == pet.name
        assert unguarded(line[3]) == (pet.status or "")
        read = {name: cell for name, cell in zip(others, line[4:], strict=True) if cell}
        sent = json.loads(
            pet.to_json()
        )  # others keep a number that is not exact in a float as text
        assert {name: json.loads(cell) for name, cell in read.items()} == {
            name: sent[name] for name in pet.others
        }


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────

BODIES = [
    '{"id":1, "name":"Rex" ,"categoryId":3,"price":1.10}',
    '{"categoryId":9223372036854775807,"id":2,"name":"\\u0052ex\\/","x":1E400,"y":-0.0}',
    '{"id":3,"name":"Señor 🐹","categoryId":3,"status":null,"tags":[ ]}',
]


@pytest.mark.parametrize(
    ("file_format", "text"),
    [
        (FileFormat.JSON_LINES, "\n".join([*BODIES, ""])),
        (FileFormat.JSON, "[\n" + ",\n".join(BODIES) + "\n]\n"),
    ],
)
def test_json_has_the_bodies_as_sent(file_format: FileFormat, text: str) -> None:
    assert written([sent_pet(body) for body in BODIES], file_format) == text


@given(st.lists(sent_pets(), max_size=4))
def test_any_animals_are_read_back_by_the_json_module(animals: list[Pet]) -> None:
    lines = written(animals, FileFormat.JSON_LINES).split("\n")[:-1]
    from_lines = [sent_pet(line) for line in lines]
    listed = json.loads(written(animals, FileFormat.JSON))
    assert from_lines == animals
    assert listed == [json.loads(line) for line in lines]


@pytest.mark.parametrize("file_format", FileFormat)
def test_a_lone_surrogate_is_refused_in_one_line(file_format: FileFormat) -> None:
    pet = Pet(id=7, name="a\ud800", category_id=3)
    with pytest.raises(TransferError, match="animal 7 contains an incomplete character"):
        written([pet], file_format)


# ── the result of an import ──────────────────────────────────────────────────────────────────────

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


def result_in(path: Path) -> list[dict[str, object]]:
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
    found = result_in(tmp_path / name)
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
    assert found[2]["error"] == "category is missing"
    assert found[3]["error"] == "400 no: =Not, so\n"
    assert str(found[4]["error"]).startswith("cannot read from h:1: ")
    assert found[6]["duplicateOf"] == "line 2"


@pytest.mark.parametrize("name", FILES)
def test_a_result_is_read_back_as_its_animals(tmp_path: Path, name: str) -> None:
    result_in(tmp_path / name)
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


BAD_CSV = b"""name,category,status,l\xc3\xa9gs\xc3\xa9
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
{"name": "Rex", "categoryId": 3, "status": 7}, {"name": "Rex"},
{"name": "Rex", "name": "Max", "categoryId": 3}, 7, null,
{"name": "\ud800", "categoryId": 3}
]"""


def checked(content: bytes, name: str) -> ImportPreview:
    return check_import(io.BytesIO(content), name, {3: "Dogs"})


@pytest.mark.parametrize(
    ("source", "content", "name"),
    [
        (source, content, name)
        for source, content in (("b.csv", BAD_CSV), ("b.json", BAD_JSON))
        for name in FILES
    ],
)
def test_what_is_bad_is_bad_in_the_result_too_until_it_is_corrected(
    tmp_path: Path, source: str, content: bytes, name: str
) -> None:
    bad = checked(content, source).bad_lines
    assert len(bad) == 11
    write_result(tmp_path / name, result_lines([], bad, {}))
    again = checked((tmp_path / name).read_bytes(), name)
    assert (len(again.bad_lines), again.lines) == (len(bad), ())


BAD_LINES = [
    '{"name": 5, "categoryId": 3, "weight": 1.50}',
    '{"name": null, "categoryId": 1e2, "tags": ["a", {"b": null}]}',
    '{"name": "Rex", "categoryId": true}',
    '{"id": 7, "position": "line 9", "outcome": "added", "name": "Rex"}',
    "not json",
    '{"name": "Rex", "name": "Max", "categoryId": 3}',
    "[1, 2]",
]


def test_a_result_as_json_has_bad_lines_as_they_were(tmp_path: Path) -> None:
    """Objects with their own values, and what is no object as a text; the result says why."""
    bad = checked("\n".join(BAD_LINES).encode(), "b.jsonl").bad_lines
    assert len(bad) == len(BAD_LINES)
    path = tmp_path / "a.jsonl"
    write_result(path, result_lines([], bad, {}))
    for line, was, text in zip(bad, BAD_LINES, path.read_text().splitlines(), strict=True):
        found = json.loads(text, parse_float=str)
        assert [found.pop("position"), found.pop("outcome")] == [line.position.label, "bad"]
        assert found.pop("error") == line.sentence
        if line.source:
            expected = json.loads(was, parse_float=str)
            for name in ("position", "outcome"):
                expected.pop(name, None)
        else:
            expected = {"line": was}
        assert found == expected


@pytest.mark.parametrize(
    ("file", "beside"),
    [
        ("a.csv", "a.result.csv"),
        ("b.x.csv", "b.x.result.csv"),
        ("a.json", "a.result.json"),
        ("a.jsonl", "a.result.jsonl"),
        ("a.ndjson", "a.result.ndjson"),
        ("a.CSV", "a.result.CSV"),
        ("a", "a-result.csv"),
        ("a.tsv", "a.tsv-result.csv"),
        ("a.tsv.csv", "a.tsv.result.csv"),
        (".csv", ".csv-result.csv"),
    ],
)
def test_a_result_is_beside_its_file_and_of_no_other(file: str, beside: str) -> None:
    assert result_path(Path("d", file)) == Path("d", beside)
