"""Files have what the service sent, and Python's own readers read it back."""

from __future__ import annotations

import csv
import io
import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models import Pet, PetStatus
from pettui.transfer.files import TransferError
from pettui.transfer.writing import (
    FileFormat,
    export_name,
    named_format,
    pet_file,
    unguarded,
    written_format,
)
from tests.transfer.animals import a_pet, pets, plain_pet

REX = '{"id":7,"name":"Rex","categoryId":3}'


def written(animals: list[Pet], file_format: FileFormat = FileFormat.CSV) -> str:
    return b"".join(pet_file(animals, file_format)).decode()


def rows(animals: list[Pet]) -> list[list[str]]:
    """Return the cells of a CSV file, as Python's reader reads them."""
    return list(csv.reader(io.StringIO(written(animals), newline="")))


# ── CSV ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_csv_has_four_columns_and_lines_that_end_in_crlf() -> None:
    animals = [plain_pet(status="sold"), plain_pet(8, "Mimi", -5)]
    assert written(animals) == "id,name,categoryId,status\r\n7,Rex,3,sold\r\n8,Mimi,-5,\r\n"


def test_unknown_fields_follow_as_json_in_order_of_first_appearance() -> None:
    animals = [
        a_pet('{"id":1,"tags":["a", "b"],"name":"Rex","price":1.10,"categoryId":3}'),
        plain_pet(),
        a_pet('{"born":null,"price":"1e2","id":2,"name":"Mimi","categoryId":3,"big":1E400}'),
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


@pytest.mark.parametrize("text", ["", " =1", "\n=1"])
def test_other_texts_are_unchanged(text: str) -> None:
    assert rows([plain_pet(name=text)])[1][1] == text


@pytest.mark.parametrize("value", ["-5", "-1e5"])
def test_a_number_of_an_unknown_field_stays_a_number(value: str) -> None:
    assert rows([a_pet(f'{REX[:-1]},"x":{value}}}')])[1][4] == value


def test_negative_infinity_is_guarded() -> None:
    assert rows([a_pet(f'{REX[:-1]},"x":-Infinity}}')])[1][4] == "'-Infinity"


@pytest.mark.parametrize("cell", ["'tis", "'", "'1", "Rex", "=1", ""])
def test_a_cell_without_a_guard_is_unchanged(cell: str) -> None:
    assert unguarded(cell) == cell


@given(st.lists(pets(), max_size=4))
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
        sent = json.loads(pet.as_json)  # others keep a number that is not exact in a float as text
        assert {name: json.loads(cell) for name, cell in read.items()} == {
            name: sent[name] for name in pet.others
        }


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────

BODIES = [
    '{"id":1, "name":"Rex" ,"categoryId":3,"price":1.10}',
    '{"categoryId":9223372036854775807,"id":2,"name":"\\u0052ex\\/","x":1E400,"y":-0.0}',
    '{"id":3,"name":"Señor 🐹","categoryId":3,"status":null,"tags":[ ]}',
]


def test_json_lines_are_the_bodies_as_sent() -> None:
    text = written([a_pet(body) for body in BODIES], FileFormat.JSON_LINES)
    assert text == "".join(f"{body}\n" for body in BODIES)


def test_json_is_a_list_of_the_bodies_as_sent() -> None:
    text = written([a_pet(body) for body in BODIES], FileFormat.JSON)
    assert text == "[\n" + ",\n".join(BODIES) + "\n]\n"


@pytest.mark.parametrize("file_format", [FileFormat.JSON_LINES, FileFormat.CSV])
def test_a_body_of_several_lines_is_written_on_one(file_format: FileFormat) -> None:
    body = '{\r\n\t"id": 7,\n"name": "Rex", "categoryId": 3,\n  "x": [1,\n2]}'
    text = written([a_pet(body)], file_format)
    assert "[1, 2]" in text
    assert text.count("\n") == (1 if file_format is FileFormat.JSON_LINES else 2)


def test_an_unescaped_control_character_is_escaped() -> None:
    pet = a_pet('{"id":7,"name":"a\nb\0","categoryId":3,"x":"\t\n"}')
    text = written([pet], FileFormat.JSON_LINES)
    assert text == '{"id":7,"name":"a\\nb\\u0000","categoryId":3,"x":"\\t\\n"}\n'
    assert rows([pet])[1] == ["7", "a\nb\0", "3", "", '"\\t\\n"']


@given(st.lists(pets(), max_size=4))
def test_any_animals_are_read_back_by_the_json_module(animals: list[Pet]) -> None:
    lines = written(animals, FileFormat.JSON_LINES).split("\n")[:-1]
    from_lines = [a_pet(line) for line in lines]
    listed = json.loads(written(animals, FileFormat.JSON))
    assert from_lines == animals
    assert listed == [json.loads(line) for line in lines]


@pytest.mark.parametrize("file_format", FileFormat)
def test_a_lone_surrogate_is_refused_in_one_line(file_format: FileFormat) -> None:
    pet = Pet(id=7, name="a\ud800", category_id=3)
    with pytest.raises(TransferError, match="animal 7 contains an incomplete character"):
        written([pet], file_format)


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
