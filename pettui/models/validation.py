"""JSON values → the interface's resources, or what is wrong with them.

What is sent is strict: exactly the interface. What is received is tolerant where a newer service
may differ: unknown fields are kept, and so is an unknown status; a missing or null one is not set.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.models.pets import ErrorBody, NewPet, Pet, PetStatus, int64, is_encodable
from pettui.models.statuses import ONE_OF_STATUSES, STATUSES
from pettui.text.json import RepeatedName, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import TypeAlias

    # How each field is read; that raises ValueError with the rule that a value breaks.
    Readers: TypeAlias = Mapping[str, Callable[[object], Any]]


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
        raise ValueError("must be text")  # noqa: TRY004 - as its field says it
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
        raise ValueError("must be text or null")  # noqa: TRY004 - as its field says it
    return STATUSES.get(value, value)


_STATUS: Final = frozenset({"status"})  # optional
_NEW_PET: Final[Readers] = MappingProxyType(
    {"name": _sendable, "categoryId": int64, "status": _status_to_send}
)
_PET: Final[Readers] = MappingProxyType(
    {"id": int64, "name": _text, "categoryId": int64, "status": _status_received}
)
_ERROR: Final[Readers] = MappingProxyType({"code": _text, "message": _text, "status": int64})


def new_pet_of(fields: dict[str, Any]) -> NewPet:
    """Return the animal to add in the fields of a JSON object; others are ignored.

    Raises:
        WrongFieldError: one of them cannot be sent.
    """
    name, category_id, status = _read(_NEW_PET, fields, _STATUS)
    return NewPet(name=name, category_id=category_id, status=status)


def pet_of(fields: dict[str, Any], sent: bytes | None = None) -> Pet:
    """Return the animal in the fields of a JSON object.

    Args:
        fields: as ``json_text`` reads them.
        sent: the JSON that they were read from, which is kept.

    Raises:
        WrongFieldError: one of them is not what the interface states.
    """
    pet_id, name, category_id, status = _read(_PET, fields, _STATUS)
    pet = Pet(
        id=pet_id,
        name=name,
        category_id=category_id,
        status=status,
        others=_others(_PET, fields),
    )
    return pet if sent is None else pet.received_as(sent)


def error_body_of(fields: dict[str, Any]) -> ErrorBody:
    """Return the Error in the fields of a JSON object; raises as ``pet_of``."""
    code, message, status = _read(_ERROR, fields)
    others = _others(_ERROR, fields)
    return ErrorBody(code=code, message=message, status=status, others=others)


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


def _read(readers: Readers, fields: dict[str, Any], optional: Collection[str] = ()) -> list[Any]:
    """Return the values of fields; raise the first that is missing or wrong."""
    values = []
    for name, read in readers.items():
        if name in fields:
            try:
                values.append(read(fields[name]))
            except ValueError as error:
                raise WrongFieldError(name, str(error)) from None
        elif name in optional:
            values.append(None)
        else:
            raise WrongFieldError(name, MISSING)
    return values


def _others(readers: Readers, fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in readers}
