"""The interface's resources: NewPet, Pet, PetStatus and Error, parsed strictly where it speaks.

Tolerant where a newer service may differ: unknown fields are kept (``model_extra``), an unknown
status is kept as text, and a missing or null status of a Pet is ``None``, shown as "not set".
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictStr,
)

from pettui.exact_json import field_texts, on_one_line, value_text

INT64_MINIMUM = -(2**63)
INT64_MAXIMUM = 2**63 - 1
EXACT_BELOW = 2**53  # whole numbers, in a float
EXACT_MAXIMUM = 256 * 1024  # bytes of an animal; a larger one is not read a second time to be shown


def int64(value: object) -> int:
    """Give a JSON number as a whole number of 64 bits.

    ``1.0`` is an integer to JSON Schema and is taken; ``true`` and ``"1"`` are none.

    Raises:
        ValueError: it is no whole number, or beyond the bounds of int64.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a whole number")  # noqa: TRY004 - pydantic reports ValueError
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError("must be a whole number")
        if abs(value) >= EXACT_BELOW:
            raise ValueError("must be written without a fraction from 2^53 on")
    if not INT64_MINIMUM <= value <= INT64_MAXIMUM:
        raise ValueError("must be between -2^63 and 2^63 - 1")
    return int(value)


def encodable(value: str) -> str:
    """Give a text that can be sent and stored.

    Raises:
        ValueError: it holds half of a character (a lone surrogate), which UTF-8 has no bytes for.
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("must hold no half of a character") from None
    return value


NOT_STORED = "not_stored"  # an Error's code: nothing of the animal was stored
Int64 = Annotated[int, BeforeValidator(int64)]


class PetStatus(StrEnum):
    """Availability of an animal; exactly the interface's three values."""

    AVAILABLE = "available"
    PENDING = "pending"
    SOLD = "sold"


def known_status(value: object) -> object:
    """Give a status of the interface as PetStatus, and any other text as it came."""
    if isinstance(value, str):
        return PetStatus(value) if value in PetStatus.__members__.values() else value
    if value is None:
        return None
    raise ValueError("must be text or null")


class NewPet(BaseModel):
    """The body of createPet. ``body()`` is what goes over the wire."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, defer_build=True)

    name: Annotated[StrictStr, AfterValidator(encodable)]
    category_id: Int64 = Field(alias="categoryId")
    status: PetStatus | None = None

    def body(self) -> dict[str, Any]:
        """Give the JSON object that createPet takes; a status that is not set is left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Pet(BaseModel):
    """An animal as the service returns it (listPets, createPet, getPet)."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="allow")

    id: Int64
    name: StrictStr
    category_id: Int64 = Field(alias="categoryId")
    status: Annotated[PetStatus | StrictStr | None, BeforeValidator(known_status)] = None

    _json: bytes | None = PrivateAttr(default=None)  # takes a quarter of a text with emoji

    _other_texts: dict[str, str] | None = PrivateAttr(default=None)  # once somebody looks

    def __eq__(self, other: object) -> bool:
        # The same animal, however it was written.
        if not isinstance(other, Pet):
            return NotImplemented
        return self.__dict__ == other.__dict__ and self.model_extra == other.model_extra

    def __hash__(self) -> int:
        return hash((self.id, self.name, self.category_id, self.status))

    def came_as(self, json_bytes: bytes) -> None:
        """Keep the JSON that the animal was read from, which says more than its values: 1.10."""
        self._json = json_bytes

    @property
    def as_json(self) -> str:
        """Return the animal on one line of JSON: as it came, where it came, to the last digit."""
        if self._json is None:
            fields = self.model_dump(by_alias=True, exclude_unset=True)
            return json.dumps(fields, ensure_ascii=False)
        return on_one_line(self._json)

    @property
    def others(self) -> dict[str, Any]:
        """Fields that the interface does not know, as they were sent."""
        return dict(self.model_extra or {})

    @property
    def other_texts(self) -> dict[str, str]:
        """What is shown of these fields: a text itself, or JSON with its numbers as they came."""
        if self._other_texts is None:
            others = self.others
            if others and self._json is not None and len(self._json) <= EXACT_MAXIMUM:
                texts = field_texts(self._json)
                self._other_texts = {name: texts[name] for name in others}
            else:
                self._other_texts = {name: value_text(value) for name, value in others.items()}
        return self._other_texts


class ErrorBody(BaseModel):
    """The interface's Error: ``status`` is the HTTP status that its sender claims."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    code: StrictStr
    message: StrictStr
    status: Int64
