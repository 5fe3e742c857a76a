"""Lines that were pasted are names, or rows with columns; the form says what they do not."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models.validation import new_pet_of
from pettui.transfer.lines import BadLine, GoodLine, ImportLine, survey_text
from pettui.transfer.mapping import option_values, options_of
from pettui.transfer.survey import UnmappedError
from pettui.tui.transfer.paste_reading import (
    LINES_MAXIMUM,
    FormValues,
    TooManyLinesError,
    is_several,
    pasted_pets,
)

NAMES = {1: "Cats", 3: "Dogs"}
FORM = FormValues(3, "sold")


def read(text: str, values: FormValues = FORM) -> list[tuple[object, ...]]:
    """Return name, category and status of each animal, or line and fault of what is none."""
    return [
        (line.new_pet.name, line.new_pet.category_id, line.new_pet.status)
        if isinstance(line, GoodLine)
        else (line.position.line, line.field)
        for line in pasted_pets(text, values, NAMES)
    ]


@pytest.mark.parametrize(
    ("text", "animals"),
    [
        ("Rex\nMimi", [("Rex", 3, "sold"), ("Mimi", 3, "sold")]),
        ("Rex\r\nMimi\r\n", [("Rex", 3, "sold"), ("Mimi", 3, "sold")]),
        ("Rex\rMimi\r", [("Rex", 3, "sold"), ("Mimi", 3, "sold")]),
        ("\n\n  Rex \n \t \n\tMimi\n\n", [("Rex", 3, "sold"), ("Mimi", 3, "sold")]),
        ("Rex, the dog\nMimi, a cat", [("Rex, the dog", 3, "sold"), ("Mimi, a cat", 3, "sold")]),
        ('"Rex"\nMi"mi', [('"Rex"', 3, "sold"), ('Mi"mi', 3, "sold")]),
        ("1,5\nRex", [("1", 5, "sold"), ("Rex", 3, "sold")]),
        # Columns of a spreadsheet.
        ("Rex\t1\tpending\nMimi\tdogs\t", [("Rex", 1, "pending"), ("Mimi", 3, None)]),
        ("Rex\t1\nMimi", [("Rex", 1, "sold"), ("Mimi", 3, "sold")]),
        ("Rex\t\tavailable\n", [("Rex", 3, "available")]),
        ("Tim\t1\nRex\tbirds\nMimi\t1\tgone\n\t1\t",
         [("Tim", 1, "sold"), (2, "category"), (3, "status"), (4, "name")]),
        ("Mimi\t1,0\nRex\t1.000", [("Mimi", 1, "sold"), (2, "category")]),
        ('"a\tb"\t1\n"c\nd"\t1', [("a\tb", 1, "sold"), ("c\nd", 1, "sold")]),
        # CSV.
        ("Rex,1,SOLD\nMimi,Dogs\nTiny", [("Rex", 1, "sold"), ("Mimi", 3, "sold"), ("Tiny", 3, "sold")]),
        ("Rex;1\nMimi;xx\nTiny;3", [("Rex", 1, "sold"), (2, "category"), ("Tiny", 3, "sold")]),
        ('"Rex, Jr.",1\nMimi,3', [("Rex, Jr.", 1, "sold"), ("Mimi", 3, "sold")]),
        ('Rex,1\n"Mimi,3\n', [("Rex", 1, "sold"), (2, "")]),
        # With a header.
        ("Status\tName\nsold\tRex\n\tMimi", [("Rex", 3, "sold"), ("Mimi", 3, None)]),
        ("name,category\nRex,1\nMimi,", [("Rex", 1, "sold"), ("Mimi", 3, "sold")]),
        ("id,name,categoryId,status\n7,'=Rex,1,\n8,Mimi,3,sold", [("=Rex", 1, None), ("Mimi", 3, "sold")]),
        ("name\tcategory\nRex\t1\t2", [(2, "")]),
        ("Name\t1\nRex\t1", [("Name", 1, "sold"), ("Rex", 1, "sold")]),
    ],
    ids=repr,
)  # fmt: skip
def test_a_line_is_a_name_or_a_row(text: str, animals: list[tuple[object, ...]]) -> None:
    assert read(text) == animals


@pytest.mark.parametrize(
    "text",
    ["Hundename\tGeburtsjahr\nBello\t2011", "Rex\tbirds\nMimi\t1", "Pet;Kind;State\nA;1;x\nB;3;x"],
)
def test_columns_whose_first_line_is_neither_a_header_nor_an_animal_are_not_read(text: str) -> None:
    with pytest.raises(UnmappedError, match=r"line 1 is neither a header") as error:
        read(text)
    assert error.value.survey.guess.delimiter == (";" if ";" in text else "\t")


def test_the_clerk_says_what_pasted_columns_are_and_the_form_fills_in_the_rest() -> None:
    text = "Last\tFirst\tKind\tState\nof Home\tRex\tDog\there\n\tMimi\t\tgone\n\tTim\t1\n"
    with pytest.raises(UnmappedError) as error:
        read(text)
    said = options_of(
        {
            **option_values(error.value.survey.guess),
            "column": ["name=First", "name=Last", "category=Kind", "status=State"],
            "category_of": ["Dog=Dogs"],
            "status_of": ["here=available", "gone=unset"],
        }
    )
    found = [
        line.new_pet for line in pasted_pets(text, FORM, NAMES, said) if isinstance(line, GoodLine)
    ]
    assert [(pet.name, pet.category_id, pet.status) for pet in found] == [
        ("Rex of Home", 3, "available"),
        ("Mimi", 3, None),
        ("Tim", 1, "sold"),
    ]
    without = survey_text(text, NAMES, replace(said, has_header=False))
    assert (without.lines, without.columns[0].samples) == (4, ("Last", "of Home"))
    only_names = options_of({"column": ["name=2"], "no_header": True, "delimiter": "tab"})
    assert len(pasted_pets("1\tRex\n2\tMimi", FORM, NAMES, only_names)) == 2


def test_lines_of_a_paste_are_left_out_where_the_clerk_says_so() -> None:
    said = options_of({"column": ["name=Pet", "category=Kind"], "category_of": ["Rat=skip"]})
    assert len(pasted_pets("Pet\tKind\nRex\t3\nTim\tRat", FORM, NAMES, said)) == 1


def test_without_a_category_in_the_form_a_line_needs_one_of_its_own() -> None:
    values = FormValues(None, "")
    assert read("Rex\nMimi", values) == [(1, "category"), (2, "category")]
    assert read("Rex\t1\nMimi\t", values) == [("Rex", 1, None), (2, "category")]


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Rex", False), ("Rex\n", False), ("\r\n\r\nRex\r\n  \n", False), ("", False), ("\n", False),
        ("Rex\nMimi", True), ("Rex\rMimi", True), ("Rex\tMimi", False), ("Rex\t3", True),
        ("Rex\tdogs\tsold\n", True), ("Rex\u2028Mimi", False), ("Rex\x0bMimi", False),
    ],
    ids=repr,
)  # fmt: skip
def test_several_lines_are_several_animals_and_a_row_is_one(text: str, is_so: bool) -> None:
    assert is_several(text, NAMES) is is_so


def test_too_many_lines_are_refused_as_a_whole() -> None:
    whole = "Rex\n\n" * LINES_MAXIMUM
    assert len(pasted_pets(whole, FORM, NAMES)) == LINES_MAXIMUM
    with pytest.raises(TooManyLinesError, match="5,000"):
        pasted_pets(whole + "Mimi", FORM, NAMES)


@given(
    st.text(alphabet="ab1 3,;\t\"'\r\n=\u2028ä\x00dogs"),
    st.sampled_from([FORM, FormValues(None, "")]),
)
def test_any_paste_is_read_and_no_animal_is_without_a_name(text: str, values: FormValues) -> None:
    lines: list[ImportLine] = []
    with suppress(UnmappedError):  # only a clerk can say what it is
        lines = pasted_pets(text, values, NAMES)
    for line in lines:
        assert isinstance(line, BadLine) or line.new_pet.name.strip()
        if isinstance(line, GoodLine):
            assert new_pet_of(line.new_pet.body()) == line.new_pet
