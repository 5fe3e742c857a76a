"""A whole file, checked before anything is sent."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models import NewPet, Pet
from pettui.transfer.errors import TransferError
from pettui.transfer.formats import FileFormat
from pettui.transfer.importing.import_preview import ImportPreview, check_import
from pettui.transfer.pet_writers import pet_file
from pettui.transfer.reading.import_lines import ImportLimits
from tests.transfer.animals import INT64, NAMES, STATUS, a_pet


def preview(content: str, limits: ImportLimits | None = None) -> ImportPreview:
    return check_import(io.BytesIO(content.encode()), "a.csv", {}, limits)


def test_good_and_bad_lines_are_in_the_files_order() -> None:
    found = preview("name,category,legs\nRex,3,4\nMimi,cats,4\nTiny,7,4\n,7,4\n")
    assert [(line.position.line, line.new_pet.name) for line in found.lines] == [
        (2, "Rex"),
        (4, "Tiny"),
    ]
    assert [(line.position.line, line.field) for line in found.bad_lines] == [
        (3, "category"),
        (5, "name"),
    ]
    assert found.ignored_columns == ("legs",)


def test_a_repeated_line_names_the_first_one() -> None:
    found = preview("Rex,3,sold\nRex,3\nRex,3,sold\nMimi,1\nRex,3\nRex,3\n")
    repeated = [(each.line.position.line, each.first.line) for each in found.repeated]
    assert repeated == [(3, 1), (5, 2), (6, 2)]
    assert len(found.lines) == 6


def test_a_file_that_is_too_long_is_an_error() -> None:
    with pytest.raises(TransferError, match=r"cannot read a.csv: it has more than 2 lines"):
        preview("A,1\nB,2\nC,3\n", ImportLimits(lines=2))


@given(
    animals=st.lists(st.tuples(NAMES, INT64, STATUS), min_size=1, max_size=5),
    file_format=st.sampled_from(FileFormat),
)
def test_an_export_is_read_back_exactly(
    animals: list[tuple[str, int, str | None]], file_format: FileFormat
) -> None:
    pets: list[Pet] = []
    for number, (name, category, status) in enumerate(animals, start=1):
        body = NewPet(name=name, categoryId=category, status=status).body()
        pet = Pet(id=number, **body)
        pets.append(a_pet(pet.as_json))
    suffix = {"CSV": "csv", "JSON": "json", "JSON Lines": "jsonl"}[file_format.value]
    content = b"".join(pet_file(pets, file_format))
    found = check_import(io.BytesIO(content), f"a.{suffix}", {})
    assert found.bad_lines == ()
    read = [(pet.name, pet.category_id, pet.status) for pet in (x.new_pet for x in found.lines)]
    assert read == animals
    assert found.ignored_columns == ("id",)
