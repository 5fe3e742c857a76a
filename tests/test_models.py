"""The interface's resources: strict where it speaks, tolerant where a newer service may differ."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, ErrorBody, NewPet, Pet, PetStatus
from pettui.pydantic_models import ErrorBodyModel, NewPetModel, PetModel

if TYPE_CHECKING:
    from collections.abc import Callable

INT64 = st.integers(INT64_MINIMUM, INT64_MAXIMUM)
STATUS = st.none() | st.sampled_from(PetStatus)
ODD = st.none() | st.booleans() | st.floats() | st.text() | st.just([]) | st.just({})
REX = {"id": 7, "name": "Rex", "categoryId": 3}


@given(pet_id=INT64, category_id=INT64)
def test_ids_of_64_bits_are_kept_exactly(pet_id: int, category_id: int) -> None:
    pet = Pet(id=pet_id, name="Rex", categoryId=category_id)
    assert (pet.id, pet.category_id) == (pet_id, category_id)


@given(st.integers(min_value=INT64_MAXIMUM + 1) | st.integers(max_value=INT64_MINIMUM - 1))
def test_ids_beyond_64_bits_are_refused(number: int) -> None:
    with pytest.raises(ValidationError, match="between -2"):
        Pet(**REX | {"id": number})


@pytest.mark.parametrize("number", [True, False, "1", "", None, [], {}, 1.5, b"1"])
@pytest.mark.parametrize("field", ["id", "categoryId"])
def test_a_fraction_is_no_id(field: str, number: object) -> None:
    with pytest.raises(ValidationError, match="must be a whole number"):
        Pet(**REX | {field: number})


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_a_value_that_is_no_number_is_no_id(text: str) -> None:
    with pytest.raises(ValidationError, match="must be a whole number"):
        Pet(**REX | {"id": json.loads(text)})


def test_a_whole_number_may_be_written_with_a_zero_fraction() -> None:
    assert Pet(**REX | {"id": 1.0}).id == 1
    assert isinstance(Pet(**REX | {"id": -(2.0**52)}).id, int)


@pytest.mark.parametrize("number", [2.0**53, 9007199254740993.0, 1e18, -1e18])
def test_a_large_number_with_a_fraction_is_refused(number: float) -> None:
    with pytest.raises(ValidationError, match="without a fraction"):
        Pet(**REX | {"id": number})


@pytest.mark.parametrize("status", list(PetStatus))
def test_a_status_of_the_interface_is_a_pet_status(status: PetStatus) -> None:
    assert Pet(**REX | {"status": str(status)}).status is status


@given(st.text())
def test_a_status_that_this_version_does_not_know_is_kept_as_text(status: str) -> None:
    assert Pet(**REX | {"status": status}).status == status


def test_a_status_that_is_null_or_missing_is_not_set() -> None:
    assert Pet(**REX).status is None
    assert Pet(**REX | {"status": None}).status is None


@pytest.mark.parametrize("status", [1, True, [], {}, 0.5])
def test_a_status_that_is_no_text_is_refused(status: object) -> None:
    with pytest.raises(ValidationError, match="must be text or null"):
        Pet(**REX | {"status": status})


def test_unknown_fields_are_kept_as_they_were_sent() -> None:
    others = {"vaccinated": True, "tags": [1, {"a": None}], "others": "x", "category": 5}
    assert Pet(**REX | others).others == others


def test_unknown_fields_are_shown_without_the_received_json() -> None:
    pet = Pet(**REX | {"tags": [1, "ö"], "note": "x", "weight": 1.5})
    assert pet.other_texts == {"tags": '[1, "ö"]', "note": "x", "weight": "1.5"}


def test_unknown_fields_are_shown_with_their_numbers_as_they_came() -> None:
    pet = Pet(**REX | {"weight": float("inf")})
    pet.came_as(b'{"id": 7, "name": "Rex", "categoryId": 3, "weight": 1e400}')
    assert pet.other_texts == {"weight": "1e400"}


@pytest.mark.parametrize("name", [None, 1, True, [], {}])
def test_a_name_is_text(name: object) -> None:
    with pytest.raises(ValidationError, match="name"):
        Pet(**REX | {"name": name})


def test_a_pet_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Pet(**REX).name = "Tiny"


@given(name=st.text(), category_id=INT64, status=STATUS)
def test_the_body_of_create_pet_is_what_the_interface_takes(
    name: str, category_id: int, status: PetStatus | None
) -> None:
    body = json.loads(json.dumps(NewPet(name=name, categoryId=category_id, status=status).body()))
    assert body.pop("status", None) == status
    assert body == {"name": name, "categoryId": category_id}


@pytest.mark.parametrize("name", ["\ud800", "a\udfff", "\udc00\ud800"])
def test_a_lone_surrogate_cannot_be_sent(name: str) -> None:
    with pytest.raises(ValidationError, match="no half of a character"):
        NewPet(name=name, categoryId=3)


@pytest.mark.parametrize("status", ["on loan", "", 1, True])
def test_a_status_unknown_to_the_interface_cannot_be_sent(status: object) -> None:
    with pytest.raises(ValidationError, match="status"):
        NewPet(name="Rex", categoryId=3, status=status)


def test_an_error_body_keeps_its_unknown_fields() -> None:
    body = ErrorBody(code="c", message="m", status=400, field="name")
    assert body.others == {"field": "name"}


@pytest.mark.parametrize("field", ["code", "message", "status"])
def test_an_error_body_has_all_three_fields(field: str) -> None:
    fields = {"code": "c", "message": "m", "status": 400}
    del fields[field]
    with pytest.raises(ValidationError, match=field):
        ErrorBody(**fields)


def test_animals_are_equal_however_their_json_is_formatted() -> None:
    one, other = (Pet(id=1, name="Rex", categoryId=3, price=1.1) for _ in range(2))
    other.came_as(b'{"id":1, "name":"Rex", "categoryId":3, "price":1.10}')
    assert one == other
    assert len({one, other}) == 1
    assert one != Pet(id=1, name="Rex", categoryId=3, price=1.2)
    assert one != "Rex"
    assert other.as_json == '{"id":1, "name":"Rex", "categoryId":3, "price":1.10}'
    assert json.loads(one.as_json) == {"id": 1, "name": "Rex", "categoryId": 3, "price": 1.1}


def read(make: Callable[[], tuple[object, ...]]) -> object:
    """Return what is made, or what is wrong with it; NaN is another one each time."""
    try:
        return repr(make())
    except ValidationError as error:
        return error.errors(include_url=False, include_input=False, include_context=False)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "id": INT64 | st.integers() | ODD,
            "name": st.text() | ODD,
            "categoryId": INT64 | st.integers() | ODD,
            "status": STATUS | st.sampled_from(["available", "lost"]) | ODD,
            "category_id": ODD,
            "self": ODD,
            "model_extra": ODD,
        },
    )
)
def test_an_animal_is_what_the_pydantic_model_makes_of_it(
    fields: dict[str, object],
) -> None:
    def made() -> tuple[object, ...]:
        pet = Pet(**fields)
        return pet.id, pet.name, pet.category_id, pet.status, pet.others

    def modelled() -> tuple[object, ...]:
        model = PetModel.model_validate(fields)
        return model.id, model.name, model.category_id, model.status, model.model_extra

    assert read(made) == read(modelled)


@given(name=st.text() | ODD, category=INT64 | st.integers() | ODD, status=STATUS | ODD)
def test_a_new_animal_is_what_the_pydantic_model_makes_of_it(
    name: object, category: object, status: object
) -> None:
    fields = {"name": name, "categoryId": category, "status": status}

    def made() -> tuple[object, ...]:
        new_pet = NewPet(**fields)
        return new_pet.name, new_pet.category_id, new_pet.status

    def modelled() -> tuple[object, ...]:
        model = NewPetModel.model_validate(fields)
        return model.name, model.category_id, model.status

    assert read(made) == read(modelled)


@given(
    st.fixed_dictionaries(
        {"code": st.text() | ODD, "message": st.text() | ODD, "status": INT64 | ODD},
        optional={"field": ODD, "others": ODD},
    )
)
def test_an_error_body_is_what_the_pydantic_model_makes_of_it(fields: dict[str, object]) -> None:
    def made() -> tuple[object, ...]:
        body = ErrorBody(**fields)
        return body.code, body.message, body.status, dict(body.others)

    def modelled() -> tuple[object, ...]:
        model = ErrorBodyModel.model_validate(fields)
        return model.code, model.message, model.status, model.model_extra

    assert read(made) == read(modelled)
