"""The interface's resources: NewPet, Pet, PetStatus and Error.

Parsing is strict about what the interface states, and tolerant where a newer service may differ:
unknown fields are kept (``others``), an unknown status is kept as text, and a missing or null
status of a Pet is ``None``, shown as "not set". Each resource is created from the fields of a JSON
object, by their names there. ``field_rules`` says what they may contain; ``pydantic_models``
converts or rejects whatever is not plainly right, and is imported only then.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pettui.exact_json import field_texts, on_one_line, value_text
from pettui.field_rules import (
    INT64_MAXIMUM,
    INT64_MINIMUM,
    STATUSES,
    PetStatus,
    encodable,
    int64,
    is_plain_int64,
    is_plainly_a_pet,
    is_plainly_new,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "EXACT_MAXIMUM", "INT64_MAXIMUM", "INT64_MINIMUM", "NOT_STORED", "ErrorBody", "NewPet", "Pet",
    "PetStatus", "encodable", "int64",
]  # fmt: skip

EXACT_MAXIMUM: Final = 256 * 1024  # bytes of an animal; numbers of a larger one may be rounded
NOT_STORED: Final = "not_stored"  # an Error's code: the animal was not stored
_NO_OTHERS: Final[Mapping[str, Any]] = MappingProxyType({})
_PET_FIELDS: Final = frozenset({"id", "name", "categoryId", "status"})
_ERROR_FIELDS: Final = frozenset({"code", "message", "status"})
_set = object.__setattr__  # fields of frozen objects, in their constructors


@dataclass(frozen=True, slots=True, init=False)
class NewPet:
    """The body of createPet. ``body()`` is what goes over the wire."""

    name: str
    category_id: int
    status: PetStatus | None

    def __init__(
        self,
        *,
        name: str,
        categoryId: int,  # noqa: N803 - as the interface names it
        status: PetStatus | None = None,
    ) -> None:
        """Check the fields.

        Raises:
            pydantic.ValidationError: a ValueError that says what is wrong with each field.
        """
        category_id = categoryId
        if not is_plainly_new(name, category_id, status):
            from pettui.pydantic_models import NewPetModel  # noqa: PLC0415 - see above

            read = NewPetModel(name=name, categoryId=category_id, status=status)
            name, category_id, status = read.name, read.category_id, read.status
        _set(self, "name", name)
        _set(self, "category_id", category_id)
        _set(self, "status", status)

    def body(self) -> dict[str, Any]:
        """Return the JSON object for createPet; a status that is not set is left out."""
        body = {"name": self.name, "categoryId": self.category_id}
        return body if self.status is None else {**body, "status": self.status.value}


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Pet:
    """An animal as the service returns it (listPets, createPet, getPet)."""

    id: int
    name: str
    category_id: int
    status: PetStatus | str | None
    _others: Mapping[str, Any]
    _json: bytes | None = field(repr=False)  # a quarter of the size of a str with emoji
    _other_texts: Mapping[str, str] | None = field(repr=False)  # computed when first needed

    def __init__(self, /, **fields: Any) -> None:
        """Check the fields of a JSON object, by the names that they have there.

        Raises:
            pydantic.ValidationError: a ValueError that says what is wrong with each field.
        """
        if not is_plainly_a_pet(fields):
            fields = _read_pet(fields)
        status: Any = fields.get("status")
        _set(self, "id", fields["id"])
        _set(self, "name", fields["name"])
        _set(self, "category_id", fields["categoryId"])
        _set(self, "status", STATUSES.get(status, status))
        _set(self, "_others", _others(fields, _PET_FIELDS))
        _set(self, "_json", None)
        _set(self, "_other_texts", None)

    def __eq__(self, other: object) -> bool:
        # The same animal, however it was written.
        if not isinstance(other, Pet):
            return NotImplemented
        return self._values == other._values and self._others == other._others

    def __hash__(self) -> int:
        return hash(self._values)

    @property
    def _values(self) -> tuple[object, ...]:
        return self.id, self.name, self.category_id, self.status

    def came_as(self, json_bytes: bytes) -> None:
        """Keep the JSON that the animal was parsed from, which is more exact: 1.10, say."""
        _set(self, "_json", json_bytes)

    @property
    def as_json(self) -> str:
        """The animal on one line of JSON: exactly as received, if it was received."""
        if self._json is not None:
            return on_one_line(self._json)
        fields = {"id": self.id, "name": self.name, "categoryId": self.category_id}
        status = {} if self.status is None else {"status": self.status}
        return json.dumps({**fields, **status, **self._others}, ensure_ascii=False)

    @property
    def size(self) -> int:
        """The size of its JSON in bytes: as received, if it was received."""
        return len(self.as_json.encode() if self._json is None else self._json)

    @property
    def others(self) -> dict[str, Any]:
        """Fields that the interface does not know, as they were sent."""
        return dict(self._others)

    @property
    def other_texts(self) -> Mapping[str, str]:
        """The texts of these fields: a string itself, or JSON with its numbers as received."""
        if self._other_texts is None:
            others = self._others
            if others and self._json is not None and len(self._json) <= EXACT_MAXIMUM:
                texts = field_texts(self._json)
                _set(self, "_other_texts", {name: texts[name] for name in others})
            else:
                texts = {name: value_text(value) for name, value in others.items()}
                _set(self, "_other_texts", texts)
        return self._other_texts or {}


@dataclass(frozen=True, slots=True, init=False)
class ErrorBody:
    """The interface's Error: ``status`` is the HTTP status that its sender claims."""

    code: str
    message: str
    status: int
    others: Mapping[str, Any] = field(hash=False)

    def __init__(self, /, **fields: Any) -> None:
        """Check the fields of a JSON object, by the names that they have there.

        Raises:
            pydantic.ValidationError: a ValueError that says what is wrong with each field.
        """
        is_plain = type(fields.get("code")) is type(fields.get("message")) is str
        if not is_plain or not is_plain_int64(fields.get("status")):
            from pettui.pydantic_models import ErrorBodyModel  # noqa: PLC0415 - see above

            fields = ErrorBodyModel.model_validate(fields).model_dump()
        _set(self, "code", fields["code"])
        _set(self, "message", fields["message"])
        _set(self, "status", fields["status"])
        _set(self, "others", _others(fields, _ERROR_FIELDS))


def _read_pet(fields: Mapping[str, Any]) -> dict[str, Any]:
    from pettui.pydantic_models import PetModel  # noqa: PLC0415 - see above

    read = PetModel.model_validate(fields)
    known = {"id": read.id, "name": read.name, "categoryId": read.category_id}
    return {**known, "status": read.status, **(read.model_extra or {})}


def _others(fields: Mapping[str, Any], known: frozenset[str]) -> Mapping[str, Any]:
    """Return the fields that the interface does not know; mostly there are none."""
    if known.issuperset(fields):
        return _NO_OTHERS
    return {name: value for name, value in fields.items() if name not in known}
