"""The resources of the interface, from JSON and to it: strict where it speaks, else tolerant."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM, NewPet, Pet, PetStatus
from pettui.models.validation import WrongFieldError, error_body_of, pet_of
from pettui.text.json import json_value

INT64 = st.integers(INT64_MINIMUM, INT64_MAXIMUM)
STATUS = st.none() | st.sampled_from(PetStatus)


def pet(**changes: str) -> Pet:
    """Return Rex, with some fields as they are written in JSON."""
    fields = {"id": "7", "name": '"Rex"', "categoryId": "3", **changes}
    body = ", ".join(f"{json.dumps(name)}: {value}" for name, value in fields.items())
    return pet_of(json_value(f"{{{body}}}"))


@given(pet_id=INT64, category_id=INT64)
def test_ids_of_64_bits_are_kept_exactly(pet_id: int, category_id: int) -> None:
    found = pet(id=str(pet_id), categoryId=str(category_id))
    assert (found.id, found.category_id) == (pet_id, category_id)


@given(st.integers(min_value=INT64_MAXIMUM + 1) | st.integers(max_value=INT64_MINIMUM - 1))
def test_ids_beyond_64_bits_are_refused(number: int) -> None:
    size = "large" if number > 0 else "small"
    with pytest.raises(WrongFieldError, match=f"this number is too {size}"):
        pet(id=str(number))


@given(st.text())
def test_a_status_that_this_version_does_not_know_is_kept_as_text(status: str) -> None:
    assert pet(status=json.dumps(status)).status == status


def test_unknown_fields_are_kept_as_they_were_sent() -> None:
    others = {"vaccinated": True, "tags": [1, {"a": None}], "others": "x", "model_extra": 5}
    assert pet(**{name: json.dumps(value) for name, value in others.items()}).others == others


REX = {"id": 7, "name": "Rex", "categoryId": 3}
ERROR = {"code": "c", "message": "m", "status": 400}


@given(name=st.text(), category_id=INT64, status=STATUS)
def test_the_body_of_create_pet_is_what_the_interface_takes(
    name: str, category_id: int, status: PetStatus | None
) -> None:
    body = json.loads(json.dumps(NewPet(name=name, category_id=category_id, status=status).body()))
    assert body.pop("status", None) == status
    assert body == {"name": name, "categoryId": category_id}


def test_an_unknown_field_may_have_half_a_character_as_its_name() -> None:
    fields = json_value('{"code": "c", "message": "m", "status": 400, "\\ud800": 1.50}')
    assert error_body_of(fields).others == {"\ud800": 1.5}
    fields = json_value('{"id": 7, "name": "Rex", "categoryId": 3, "\\ud800": null}')
    assert pet_of(fields).others == {"\ud800": None}


def test_animals_are_equal_however_their_json_is_formatted() -> None:
    sent = '{"id":1, "name":"Rex", "categoryId":3, "price":1.10}'
    one = pet(id="1", price="1.1")
    other = pet_of(json_value(sent), sent.encode())
    assert one == other
    assert len({one, other}) == 1
    assert one != pet(id="1", price="1.2")
    assert one != "Rex"
    assert other.to_json() == sent
    assert json.loads(one.to_json()) == {"id": 1, "name": "Rex", "categoryId": 3, "price": 1.1}
