"""Files as people and spreadsheets write them: each line is an animal, or bad for a reason."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.cli.pet_fields import FIELDS
from pettui.transfer.files import TransferError
from pettui.transfer.lines import BadLine, GoodLine, ImportLimits, by_reason, check_import
from pettui.transfer.mapping import ReadingOptions
from pettui.transfer.reading import EncodingError
from pettui.transfer.survey import UnmappedError
from pettui.transfer.writing import (
    EXPORT_HEADER,
    FileFormat,
    field_record,
    fields_in,
    pet_file,
)
from tests.animals import STATUS, sent_pets
from tests.exhaustive import product

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.models.pets import Pet
    from pettui.transfer.lines import ImportPreview

SHOP = {1: "Cats", 3: "Dogs", 7: "Guinea pigs", 8: "Fish", 9: "fish"}
Read = list[tuple[object, ...]]


def read(content: str | bytes, name: str = "a.csv", shop: Mapping[int, str] = SHOP) -> Read:
    """Return (name, category, status) of each animal, and (line, field, reason) of each bad line."""
    return [
        (line.new_pet.name, line.new_pet.category_id, line.new_pet.status)
        if isinstance(line, GoodLine)
        else (line.position.line, line.field, line.reason)
        for line in lines_of(content, name, shop)
    ]


def lines_of(
    content: str | bytes,
    name: str,
    shop: Mapping[int, str] = SHOP,
    limits: ImportLimits | None = None,
) -> list[GoodLine | BadLine]:
    found = checked(content.encode() if isinstance(content, str) else content, name, shop, limits)
    lines = [*found.lines, *found.bad_lines]
    return sorted(lines, key=lambda line: (line.position.line, line.position.element or 0))


def checked(
    content: bytes,
    name: str = "a.csv",
    shop: Mapping[int, str] = SHOP,
    limits: ImportLimits | None = None,
    options: ReadingOptions | None = None,
) -> ImportPreview:
    """Return what is in a file, of which a person says that it has no header if it has none."""
    options = options or ReadingOptions()
    try:
        return check_import(io.BytesIO(content), name, shop, limits, options)
    except UnmappedError as error:
        if not re.match("line [0-9]+ (is no|cannot be read as a) header", error.reason):
            raise
        options = replace(options, has_header=False)
        return check_import(io.BytesIO(content), name, shop, limits, options)


def ignored(content: str, name: str = "a.csv") -> tuple[str, ...]:
    return checked(content.encode(), name).ignored_columns


def is_named(pet: Pet) -> bool:
    return bool(pet.name.strip())


REX = [("Rex", 3, "available"), ("Mimi", 1, None)]
OBJECTS = ['{"name":"Rex","categoryId":3,"status":"available"}', '{"name":"Mimi","categoryId":1}']

# ── CSV ──────────────────────────────────────────────────────────────────────────────────────────

SPELLINGS = {
    "a header": "name,category,status\nRex,3,available\nMimi,1,\n",
    "no header": "Rex,3,available\nMimi,1\n",
    "no end of the last line": "Rex,3,available\nMimi,1",
    "CRLF": "name,category,status\r\nRex,3,available\r\nMimi,1,\r\n",
    "CR": "name,category,status\rRex,3,available\rMimi,1,\r",
    "semicolons": "name;category;status\nRex;3;available\nMimi;1;\n",
    "bars": "name|category|status\nRex|3|available\nMimi|1|\n",
    "tabs": "name\tcategory\tstatus\nRex\t3\tavailable\nMimi\t1\t\n",
    "a delimiter declared for Excel": "sep=;\r\nname;category;status\r\nRex;3;available\r\nMimi;1;",
    "any order and case": "STATUS,Category ID, Name \navailable,3,Rex\n,1,Mimi\n",
    "the interface's words": "categoryId,name,status\n3,Rex,available\n1,Mimi,\n",
    "names in a header's file": "name;status;category\nRex;Available; DOGS \nMimi;;1\n",
    "blank lines": "\n\nname,category,status\n\nRex,3,available\n,,\n  \nMimi,1,\n\n",
    "quotation marks": '"name","category","status"\n"Rex","3","available"\n"Mimi","1",""\n',
    "blanks round the values": "name,category,status\nRex, 3 , AVAILABLE\nMimi,1, \n",
    "numbers of a spreadsheet": "Rex,3.0,available\nMimi,+1.00,\n",
    "numbers with a decimal comma": "Rex;3,0;available\nMimi;1,00;\n",
    "leading zeros": "Rex,0003,available\nMimi,00000000000000000000000001,\n",
}


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]


@pytest.mark.parametrize(
    ("spelling", "encoding", "name"), product([*SPELLINGS], ENCODINGS, ["a.csv", "a.txt", "-"])
)
def test_a_csv_is_read_however_it_is_written(spelling: str, encoding: str, name: str) -> None:
    assert read(SPELLINGS[spelling].encode(encoding), name) == REX


@pytest.mark.parametrize("name", ['Rex, "the dog"', "two\nlines", "two\r\nlines", "a;b\tc", '"'])
def test_a_quoted_name_may_hold_anything(name: str) -> None:
    quoted = name.replace('"', '""')
    assert read(f'id,name,categoryId,status\n1,"{quoted}",3,\n') == [(name, 3, None)]


@pytest.mark.parametrize(
    ("cell", "name", "delimiter"),
    [
        ("'=1", "=1", ","), ("''tis", "'tis", ";"), ("'tis", "'tis", "\t"), ("=1", "=1", ","),
        ("'t Hondje", "'t Hondje", ","), ("'-1", "-1", "\t"), ("''", "'", ";"), ("'@a", "@a", ","),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "columns",
    [
        ("id", "name", "categoryId", "status", "others"),
        ("name", "categoryId"),
        ("category", "Name"),
        (),
    ],
)
def test_a_guard_is_removed_where_an_export_puts_it_whatever_the_columns_are(
    cell: str, name: str, delimiter: str, columns: tuple[str, ...]
) -> None:
    values = {"id": "1", "name": cell, "Name": cell, "categoryId": "-5", "category": "'-5"}
    record = [values.get(column, "") for column in columns or ("name", "categoryId")]
    content = "\r\n".join(delimiter.join(line) for line in (columns, record) if line)
    assert read(content) == [(name, -5, None)]


AS_WRITTEN = {
    "a quotation mark within a name": ('5" dog,3\n', [('5" dog', 3, None)]),
    "blanks within a name": ("name,category\nThe  dog,3\n", [("The  dog", 3, None)]),
    "blanks round a name": ("name,category\n\u00a0 Rex ,3\n", [("Rex", 3, None)]),
    "blanks behind a comma": ("id, name, category\n1, Rex, 3\n", [("Rex", 3, None)]),
    "a quotation mark behind a blank": (
        'name, category, status\n "Rex, Jr.",  3, "sold"\n',
        [("Rex, Jr.", 3, "sold")],
    ),
    "names of columns": ("Name,3,sold\nstatus,Dogs\n", [("Name", 3, "sold"), ("status", 3, None)]),
}


@pytest.mark.parametrize(("content", "expected"), AS_WRITTEN.values(), ids=AS_WRITTEN)
def test_a_name_is_as_it_is_written(content: str, expected: Read) -> None:
    assert read(content) == expected


BAD_VALUES = {
    "no category": ("Rex,", "category", "is missing"),
    "another name": (
        "Rex,Elephants",
        "category",
        '^"Elephants" is not a number or one of Cats, Dogs, Guinea pigs, …$',
    ),
    "a name of two": ("Rex,FISH", "category", '^"FISH" is the name of 8 and of 9; use the number'),
    "a fraction": ("Rex,3.5", "category", '^"3.5" is not a number in plain digits$'),
    "a thousand": ("Rex,1.000", "category", '^"1.000" is not a number in plain digits$'),
    "a thousand with a comma": ('Rex,"1,000"', "category", '"1,000" is not a number in plain'),
    "two marks": ('Rex,"1.000,00"', "category", '"1.000,00" is not a number in plain'),
    "digits that are not ASCII": ("Rex,３", "category", "is not a number"),
    "2^63": ("Rex,9223372036854775808", "category", "^this number is too large$"),
    "less than -2^63": ("Rex,-9223372036854775809", "category", "^this number is too small$"),
    "a long category": (f"Rex,{'x' * 5_000}", "category", '^"x{40}…" is not a number'),
    "another status": (
        "Rex,3,on loan",
        "status",
        '^"on loan" is none of available, pending or sold$',
    ),
    "no name": (",3,sold", "name", "is missing"),
    "an open quotation mark": ('"Rex,3\n', "", "opens here and is never closed"),
    "something after a quotation mark": ('"Rex"y,3', "", "something follows"),
}


@pytest.mark.parametrize(
    ("bad_value", "header"), product([*BAD_VALUES.values()], ["", "name,category,status\n"])
)
def test_a_bad_line_has_its_number_its_field_and_a_reason(
    bad_value: tuple[str, str, str], header: str
) -> None:
    line, field, reason = bad_value
    before = "Mimi,1\n\n" + '"two\nlines",1\n'
    number = 5 + header.count("\n")
    *good, bad = read(header + before + line)
    assert good == [("Mimi", 1, None), ("two\nlines", 1, None)]
    assert bad[:2] == (number, field)
    assert re.search(reason, str(bad[2]))


NEVER_CLOSED = "a quotation mark opens here and is never closed"


@pytest.mark.parametrize("end", ["", '"Max,1\n', 'Tim "the cat",1\n', '"Rex, Jr.",1\n"Max,1'])
def test_a_quotation_mark_that_is_never_closed_costs_its_line_alone(end: str) -> None:
    content = "name,category\n" + '"Bo,1\n' + "Rex,3\n" * 300 + end
    found = check_import(io.BytesIO(content.encode()), "a.csv", SHOP)
    bad = [(line.position.line, line.reason) for line in found.bad_lines]
    assert bad[0] == (2, NEVER_CLOSED)
    assert {reason for _, reason in bad} == {NEVER_CLOSED}
    assert len(bad) == 1 + end.count('"Max')
    assert [line.position.line for line in found.lines[:300]] == [*range(3, 303)]
    names = [line.new_pet.name for line in found.lines[300:]]
    assert names == re.findall('Tim.*cat"|Rex, Jr.', end)


def test_quotation_marks_without_end_are_read_in_time() -> None:
    """Each would make a record of all lines behind it; they are read once more at most."""
    lines = '"Bo ""1"" \nRex,3\n' * 20_000
    found = checked(lines.encode())
    assert (len(found.lines), len(found.bad_lines)) == (20_000, 20_000)


def test_bad_lines_are_grouped_by_what_is_wrong_with_them() -> None:
    statuses = ["Stray"] * 4 + ["sold", "Lost", "Lost"]
    content = "name,category,status\n" + "".join(f"Rex,3,{each}\n" for each in statuses)
    found = check_import(io.BytesIO((content + ",3,\nRex,3,,x\n").encode()), "a.csv", SHOP)
    assert [f"{each.label}: {each.sentence}" for each in by_reason(found.bad_lines)] == [
        '4 lines: status "Stray" is none of available, pending or sold (lines 2, 3, 4, …)',
        '2 lines: status "Lost" is none of available, pending or sold (lines 7, 8)',
        "line 9: name is missing",
        f"line 10: it has 4 cells, but the header has 3; {QUOTES}",
    ]
    found = check_import(
        io.BytesIO(b'[{"name": "Rex", "category": null}, {"name": "Tim"}]'), "a.json", SHOP
    )
    (group,) = by_reason(found.bad_lines)
    assert f"{group.label}: {group.sentence}" == "2 animals: category is missing (animals 1, 2)"


QUOTES = "a cell with a delimiter in it needs quotation marks"


def test_a_byte_of_another_encoding_makes_only_its_line_bad() -> None:
    content = "name,category\nSeñor,3\n".encode("latin-1") + "Renée,3\n".encode()
    (bad, good) = read(content)
    assert bad == (2, "name", "it is not UTF-8 (byte 0xF1); save the file as UTF-8")
    assert good == ("Renée", 3, None)


WORDS = {
    "cp1252": ("Señor Orejas", "Zoë", "Ægir"),
    "cp1250": ("Ľaľo", "Żółw", "Růžena"),
    "cp1253": ("Άρης", "Μπλε", "Λουκάς"),
    "cp1251": ("Мурка", "Шарик", "Ёлка"),
    "mac-roman": ("Renée", "Fußel", "Bjørn"),
}


@pytest.mark.parametrize("encoding", WORDS)
@pytest.mark.parametrize("start", ["name;category\n", "name;category\nOne right: Ñ;3\n"])
def test_what_is_not_utf_8_is_read_once_a_person_says_how(encoding: str, start: str) -> None:
    names = WORDS[encoding]
    rows = start.encode() + "".join(f'"{name}";3\n' for name in names).encode(encoding)
    with pytest.raises(EncodingError, match="it is neither UTF-8 nor UTF-16") as error:
        check_import(io.BytesIO(rows), "a.csv", SHOP)
    assert [*error.value.names] == ["cp1252", "cp1250", "cp1253", "cp1251", "mac-roman"]
    assert error.value.names[encoding] == names
    found = check_import(io.BytesIO(rows), "a.csv", SHOP, options=ReadingOptions(encoding=encoding))
    assert [line.new_pet.name for line in found.lines][-3:] == [*names]


@pytest.mark.parametrize(
    "content",
    [
        "name,category\nRex\n",
        "category,name\n,Rex\n",
        "Rex\n",
        "id,name,categoryId,status\n7,Rex\n",
    ],
)
def test_a_line_that_ends_before_its_category_is_bad(content: str) -> None:
    assert [line[1:] for line in read(content)] == [("category", "is missing")]


LONG_CELL, LONG_NAME = "x" * 10_000_000 + ",3", '{"name":"' + "x" * 10_000_000 + '"}'
OF_10_MB = {
    "a cell": ("a.csv", f"Mimi,1\n{LONG_CELL}\nMimi,1"),
    "JSON Lines": ("a.jsonl", f"{OBJECTS[1]}\n{LONG_NAME}\n{OBJECTS[1]}"),
    "JSON": ("a.json", f"[{OBJECTS[1]},{LONG_NAME},{OBJECTS[1]}]"),
}


@pytest.mark.parametrize(("name", "content"), OF_10_MB.values(), ids=OF_10_MB)
def test_a_line_of_10_mb_makes_only_itself_bad(name: str, content: str) -> None:
    before, bad, after = read(content, name)
    assert before == after == ("Mimi", 1, None)
    assert bad[2] == "it is too long"


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────

JSON_SPELLINGS = {
    "JSON Lines": "\n".join(OBJECTS),
    "JSON Lines with CRLF and blank lines": "\r\n\r\n".join(OBJECTS) + "\r\n",
    "a list": f"[{','.join(OBJECTS)}]",
    "a list over lines": f"\n [\n {OBJECTS[0]} ,\n\n{OBJECTS[1]}\n]\n",
    "categories by name": "\n".join(OBJECTS).replace(":3", ':"Dogs"').replace(":1", ':"1"'),
    "a fraction of nothing": "\n".join(OBJECTS).replace(":3", ":3.000"),
    "escapes": "\n".join(OBJECTS).replace("Rex", "\\u0052e\\u0078"),
}


@pytest.mark.parametrize(
    ("spelling", "encoding", "name"),
    product([*JSON_SPELLINGS], ENCODINGS[:3], ["a.json", "a.jsonl", "a.ndjson", "a.txt", "-"]),
)
def test_json_is_read_however_it_is_written(spelling: str, encoding: str, name: str) -> None:
    assert read(JSON_SPELLINGS[spelling].encode(encoding), name) == REX


WITHIN = {
    "no list, but objects over lines": "\n".join(OBJECTS).replace(",", ",\n"),
    "the only list": f'{{"total": 2, "animals": [{OBJECTS[0]}, {OBJECTS[1]}], "tags": ["a"]}}',
    "an object within it": f'{{"data": {{"items": [{OBJECTS[0]}, {OBJECTS[1]}]}}}}',
    "over lines": '{\n "animals": [\n  ' + ",\n  ".join(OBJECTS) + "\n ]\n}\n",
    "escapes and brackets before it": f'{{"a": "]}}\\"[", "b": {{"c": [{{}}]}}, "d": [{OBJECTS[0]},{OBJECTS[1]}]}}',
}


@pytest.mark.parametrize(("content", "name"), product([*WITHIN.values()], ["a.json", "-"]))
def test_a_list_within_an_object_is_read(content: str, name: str) -> None:
    assert read(content, name) == REX


def test_of_several_lists_within_an_object_one_is_named() -> None:
    content = f'{{"x": {{"owners": [{{"name": "Ann"}}], "animals": [{OBJECTS[0]}, {OBJECTS[1]}]}}}}'
    with pytest.raises(TransferError, match=r"the lists x.owners, x.animals; --items names one"):
        read(content, "a.json")
    with pytest.raises(TransferError, match="it has no list of objects that is called pets"):
        check_import(
            io.BytesIO(content.encode()), "a.json", SHOP, options=ReadingOptions(items="pets")
        )
    found = check_import(
        io.BytesIO(content.encode()), "a.json", SHOP, options=ReadingOptions(items="x.animals")
    )
    assert [line.position.label for line in found.lines] == ["animal 1", "animal 2"]


def test_an_animal_with_a_list_of_its_own_is_an_animal() -> None:
    content = '{"name": "Rex", "categoryId": 3, "visits": [{"day": 1}]}'
    for text in (content, f"{content}\n{content}"):
        assert {line[0] for line in read(text, "a.json")} == {"Rex"}


BAD_OBJECTS = {
    "no JSON": ("{", "", "ends in the middle"),
    "null": ("null", "", "expected an object"),
    "a field twice": ('{"name":"a","name":"b","categoryId":3}', "", "name occurs more than once"),
    "no name": ('{"categoryId":3}', "name", "is missing"),
    "a name of null": ('{"name":null,"categoryId":3}', "name", "is missing"),
    "a name of a number": ('{"name":7,"categoryId":3}', "name", "must be text"),
    "no category": ('{"name":"Rex"}', "category", "is missing"),
    "2^63": (
        '{"name":"Rex","categoryId":9223372036854775808}',
        "category",
        "^this number is too large$",
    ),
    "5,000 digits": (f'{{"name":"Rex","categoryId":{"9" * 5_000}}}', "category", "too large"),
    "a fraction": ('{"name":"Rex","categoryId":1.5}', "category", "not a number in plain"),
    "a thousand as text": (
        '{"name":"Rex","category":"1.000"}',
        "category",
        "not a number in plain",
    ),
    "infinity": ('{"name":"Rex","categoryId":1e999}', "category", "is not a number"),
    "a number as status": (
        '{"name":"Rex","categoryId":3,"status":1}',
        "status",
        "is none of avail",
    ),
    "nested deeper": ('{"name":' + "[" * 100_000 + "]" * 100_000 + "}", "", "nested"),
}


@pytest.mark.parametrize(("text", "field", "reason"), BAD_OBJECTS.values(), ids=BAD_OBJECTS)
def test_a_bad_line_of_json_lines_has_its_field_and_a_reason(
    text: str, field: str, reason: str
) -> None:
    good, bad, last = read(f"{OBJECTS[1]}\n\n{text}\n{OBJECTS[1]}", "a.jsonl")
    assert good == last == ("Mimi", 1, None)
    assert bad[0] == 3
    assert bad[1] in (field, "name")
    assert re.search(reason, str(bad[2]))


BROKEN = {
    "a list that is cut": (f"[{OBJECTS[1]}", "ends in the middle"),
    "a list that is cut behind a comma": (f"[{OBJECTS[1]},", "ends in the middle"),
    "an element that is cut": (f'[{OBJECTS[1]},{{"name":"R', "ends in the middle"),
    "the wrong bracket": (f"[{OBJECTS[1]}}}", "is damaged at character"),
    "a list behind a list": (f"[{OBJECTS[1]}]\n[{OBJECTS[1]}]", "something follows its end"),
    "an element that is too deep": (f"[{BAD_OBJECTS['nested deeper'][0]}]", "nested too deep"),
    "an object that is cut": ('{\n"name": "Rex",\n', "ends in the middle"),
}


@pytest.mark.parametrize(("content", "reason"), BROKEN.values(), ids=BROKEN)
def test_json_that_is_broken_is_not_read_at_all(content: str, reason: str) -> None:
    with pytest.raises(TransferError, match=reason):
        read(content, "a.json")


@pytest.mark.parametrize(
    ("content", "name"), product(["[]", "[ \n]\n", "", " \n\n", "\ufeff"], ["a.json", "a.jsonl"])
)
def test_a_file_without_animals_has_none(content: str, name: str) -> None:
    assert read(content, name) == []


# ── files that are not read at all ───────────────────────────────────────────────────────────────

REFUSED = {
    "no name in the header": (b"id,categoryId,status\n1,3,sold\n", "a.csv", "has no name"),
    "no category in the header": (b"id,name,status\n1,Rex,sold\n", "a.csv", "has no category"),
    "a column twice": (b"name,Name,category\na,b,3\n", "a.csv", "its header has name twice"),
    "a ZIP file that is cut": (b"PK\x03\x04\x14\x00", "a.csv", "it is damaged"),
    "a page that is called XLS": (b"\n<HTML><table><tr><td>Rex</td>", "a.xls", "a page or XML"),
    "a spreadsheet of XML": (
        b'\xef\xbb\xbf<?xml version="1.0"?><Workbook/>',
        "a.xls",
        "a page or XML",
    ),
    "a compressed file": (b"\x1f\x8b\x08\x00", "a.csv", "it is not text"),
    "UTF-32": ("Rex,3".encode("utf-32"), "a.csv", "it is not text"),
    "a program": (b"\x7fELF\x02\x01\x01\x00\x00\x00", "a.csv", "it is not text"),
    "random bytes": (b"\x89PNG\r\n\x1a\n\x01\xff\xfe", "a", "it is not text"),
    "a database": (b"SQLite format 3\x00\x10\x00", "a.json", "it is not text"),
    "a CSV called JSON": (b"name,category\n", "a.json", "it is not JSON: it starts with"),
}


@pytest.mark.parametrize(("content", "name", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_file_without_usable_content_is_refused_in_one_line(
    content: bytes, name: str, reason: str
) -> None:
    with pytest.raises(TransferError, match=rf"^cannot read {name}: .*{reason}") as error:
        read(content, name)
    assert str(error.value).isprintable()


def test_a_file_with_too_many_bytes_is_refused() -> None:
    limits, animals = ImportLimits(content=70_000), "Rex,3\n" * 10
    assert len(lines_of(animals + "\n" * 69_940, "a.csv", limits=limits)) == 10
    with pytest.raises(TransferError, match="it is larger than 70 kB"):
        lines_of(animals + "\n" * 69_941, "a.csv", limits=limits)


# ── whatever it is ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("file_format", "name"),
    [(FileFormat.CSV, "a.csv"), (FileFormat.JSON, "a.json"), (FileFormat.JSON_LINES, "a.jsonl")],
)
@given(animals=st.lists(sent_pets(STATUS).filter(is_named), max_size=4))
def test_an_export_read_back_gives_name_category_and_status_exactly(
    file_format: FileFormat, name: str, animals: list[Pet]
) -> None:
    """But for blanks at a name's ends."""
    content = b"".join(pet_file(animals, file_format))
    expected = [(pet.name.strip(), pet.category_id, pet.status) for pet in animals]
    assert read(content, name) == expected
    assert not animals or read(content, "-") == expected


@given(animals=st.lists(sent_pets(STATUS).filter(is_named), max_size=4))
def test_fields_read_back_give_name_category_and_status_exactly(animals: list[Pet]) -> None:
    fields = ([field.raw(pet) for field in FIELDS] for pet in animals)
    content = "".join(f"{field_record(each)}\n" for each in (EXPORT_HEADER, *fields))
    expected = [(pet.name.strip(), pet.category_id, pet.status) for pet in animals]
    assert read(content, "-") == expected


def test_fields_steer_no_terminal_behind_a_pipe() -> None:
    steering = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066)))
    record = field_record([f"Rex{steering}", "3"])
    assert record.replace("\t", "").isprintable()
    assert fields_in(record) == [f"Rex{steering}", "3"]


def test_a_backslash_in_fields_that_stands_for_nothing_makes_a_line_bad() -> None:
    reason = r"\x stands for nothing; a backslash is written as \\"
    assert read("key\tname\tcategoryId\na\t\\x\t3\n\nb\tRex\t1\n", "-") == [
        (2, "", reason),
        ("Rex", 1, None),
    ]


def test_objects_that_share_a_line_are_animals_of_their_own() -> None:
    """Their positions tell them apart, in the journal of an import too."""
    first, *others = (f'{{"name": "{name}", "categoryId": 3}}' for name in ("Rex", "Tom", "Kim"))
    text = first.replace(",", ",\n") + " " + " ".join(others)
    lines = lines_of(text.encode(), "a.json", SHOP)
    assert [line.new_pet.name for line in lines if isinstance(line, GoodLine)] == [
        "Rex",
        "Tom",
        "Kim",
    ]
    assert len({line.position for line in lines}) == 3


# ── what Python's own modules write, and what is broken in any place ──────────────────────────────


@given(st.lists(st.sampled_from(["\n", "\r\n", "\r"]), max_size=12), st.text("ab\u2028\x0b"))
def test_a_bad_line_is_named_by_the_line_that_an_editor_shows(ends: list[str], name: str) -> None:
    """Whatever ends a line; U+2028 and a vertical tab do not."""
    content = "name,category\n" + "".join(f"x{name},1{end}" for end in ends) + "bad,x"
    *good, bad = lines_of(content, "a.csv")
    unified = content.replace("\r\n", "\n").replace("\r", "\n")
    assert [line.position.line for line in good] == list(range(2, len(good) + 2))
    assert bad.position.line == unified.count("\n") + 1
