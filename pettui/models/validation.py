"""JSON values → the interface's resources, or what is wrong with them, by pydantic.

What is sent is strict: exactly the interface. What is received is tolerant where a newer service
may differ: unknown fields are kept, and so is an unknown status; a missing or null one is not set.

Importing pydantic takes a fifth of the time of a start, so nothing that the first frame needs
imports this.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, PlainValidator, ValidationError

from pettui.models.pets import ErrorBody, NewPet, Pet, PetStatus, int64, is_encodable
from pettui.models.statuses import ONE_OF_STATUSES, STATUSES
from pettui.text.json import RepeatedName, kind_of

Fields = TypeVar("Fields", bound=BaseModel)


class WrongShapeError(ValueError):
    """A JSON value is not what the interface states; the message says why in a few words."""


class WrongFieldError(WrongShapeError):
    """One field is not what the interface states."""

    def __init__(self, name: str, rule: str) -> None:
        """Keep the field's name and the rule that it breaks, such as "must be text"."""
        super().__init__(f"{name} {rule}" if rule == MISSING else f"{name}: {rule}")
        self.name = name
        self.rule = rule


MISSING = "is missing"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")  # noqa: TRY004 - pydantic reports ValueError
    return value


def _sendable(value: object) -> str:
    text = _text(value)
    if not is_encodable(text):
        raise ValueError("must hold no half of a character")
    return text


def _status_to_send(value: object) -> PetStatus:
    if isinstance(value, str) and value in STATUSES:
        return STATUSES[value]
    raise ValueError(f"must be {ONE_OF_STATUSES}")


def _status_received(value: object) -> PetStatus | str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("must be text or null")  # noqa: TRY004 - pydantic reports ValueError
    return STATUSES.get(value, value)


Int64 = Annotated[int, PlainValidator(int64)]
Text = Annotated[str, PlainValidator(_text)]


class _NewPetFields(BaseModel):
    name: Annotated[str, PlainValidator(_sendable)]
    categoryId: Int64  # noqa: N815 - as the interface names it
    status: Annotated[PetStatus | None, PlainValidator(_status_to_send)] = None


class _PetFields(BaseModel):
    id: Int64
    name: Text
    categoryId: Int64  # noqa: N815
    status: Annotated[PetStatus | str | None, PlainValidator(_status_received)] = None


class _ErrorFields(BaseModel):
    code: Text
    message: Text
    status: Int64


def new_pet_of(fields: dict[str, Any]) -> NewPet:
    """Return the animal to add in the fields of a JSON object; others are ignored.

    Raises:
        WrongFieldError: one of them cannot be sent.
    """
    read = _read(_NewPetFields, fields)
    return NewPet(name=read.name, category_id=read.categoryId, status=read.status)


def pet_of(fields: dict[str, Any], sent: bytes | None = None) -> Pet:
    """Return the animal in the fields of a JSON object.

    Args:
        fields: as ``json_text`` reads them.
        sent: the JSON that they were read from, which is kept.

    Raises:
        WrongFieldError: one of them is not what the interface states.
    """
    read = _read(_PetFields, fields)
    known: dict[str, Any] = {
        "id": read.id, "name": read.name, "category_id": read.categoryId, "status": read.status,
    }  # fmt: skip
    pet = Pet(**known, **_others(_PetFields, fields))
    return pet if sent is None else pet.received_as(sent)


def error_body_of(fields: dict[str, Any]) -> ErrorBody:
    """Return the Error in the fields of a JSON object; raises as ``pet_of``."""
    read = _read(_ErrorFields, fields)
    return ErrorBody(
        code=read.code, message=read.message, status=read.status, **_others(_ErrorFields, fields)
    )


def fields_of(value: object) -> dict[str, Any]:
    """Return the fields of an object.

    Raises:
        WrongShapeError: it is no object, or has a field twice.
    """
    if not isinstance(value, dict):
        raise WrongShapeError(f"expected an object, got {kind_of(value)}")
    if isinstance(value, RepeatedName):
        raise WrongShapeError(f"{value.names[0][:40]} occurs more than once")
    return value


def _read(model: type[Fields], fields: dict[str, Any]) -> Fields:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        # Without the value: it may be long, and it is not safe to draw.
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    is_missing = first["type"] == "missing"
    rule = MISSING if is_missing else first["msg"].removeprefix("Value error, ")
    raise WrongFieldError(str(first["loc"][0]), rule)


def _others(model: type[BaseModel], fields: dict[str, Any]) -> dict[str, Any]:
    """Return what a model has no field for; pydantic would fail where a name can't be encoded."""
    others = {name: value for name, value in fields.items() if name not in model.model_fields}
    return {"others": others} if others else {}
