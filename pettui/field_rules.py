"""Which values the fields of the interface's resources may have."""

from __future__ import annotations

import re
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

INT64_MINIMUM: Final = -(2**63)
INT64_MAXIMUM: Final = 2**63 - 1
EXACT_BELOW: Final = 2**53  # a float represents smaller whole numbers exactly
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class PetStatus(StrEnum):
    """Availability of an animal; exactly the interface's three values."""

    AVAILABLE = "available"
    PENDING = "pending"
    SOLD = "sold"


STATUSES: Final = MappingProxyType({status.value: status for status in PetStatus})


def int64(value: object) -> int:
    """Return a JSON number as an int64.

    ``1.0`` is an integer in JSON Schema and accepted; ``true`` and ``"1"`` are not.

    Raises:
        ValueError: it is no whole number, or out of range.
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
    """Return a text that can be encoded in UTF-8.

    Raises:
        ValueError: it contains a lone surrogate: half of a character.
    """
    if not is_encodable(value):
        raise ValueError("must hold no half of a character")
    return value


def is_encodable(text: str) -> bool:
    """Whether a text holds no half of a character, which an escape of JSON or a bad byte can be."""
    return not _SURROGATE.search(text)


def known_status(value: object) -> object:
    """Return one of the interface's statuses as PetStatus, and any other text unchanged."""
    if isinstance(value, str):
        return STATUSES.get(value, value)
    if value is None:
        return None
    raise ValueError("must be text or null")


def is_plain_text(value: object) -> bool:
    """Whether a value is a text that can be sent as it is."""
    return type(value) is str and is_encodable(value)


def is_plain_int64(value: object) -> bool:
    """Whether a value is an int within int64."""
    return type(value) is int and INT64_MINIMUM <= value <= INT64_MAXIMUM


def is_plainly_new(name: object, category_id: object, status: object) -> bool:
    """Whether these values make a NewPet that can be sent as it is."""
    is_known = status is None or isinstance(status, PetStatus)
    return is_known and is_plain_text(name) and is_plain_int64(category_id)


def is_plainly_a_pet(fields: Mapping[str, Any]) -> bool:
    """Whether all fields have the types of the interface, and need no conversion."""
    status = fields.get("status")
    return (
        is_plain_int64(fields.get("id"))
        and is_plain_int64(fields.get("categoryId"))
        and type(fields.get("name")) is str
        and (status is None or isinstance(status, str))
    )
