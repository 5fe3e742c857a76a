"""The body of createPet: bytes → NewPet, exactly as the interface defines it.

pydantic is not exact enough: its strict integers refuse ``1.0``, its lax ones accept ``true``,
and a number beyond 2^53 changes when it is read as a float.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from pettui.field_rules import is_encodable
from pettui.models import INT64_MAXIMUM, INT64_MINIMUM, NewPet, PetStatus
from pettui.service.http.errors import ServiceError, invalid

NAME_RULE = "a string"
CATEGORY_RULE = "a whole number from -2^63 to 2^63 - 1"
STATUS_RULE = "available, pending or sold, or be left out"

FIELDS = ("name", "categoryId", "status")


class _Number(str):
    """A JSON number as it was written; in unknown fields it is never converted."""

    __slots__ = ()


class _Object(tuple[tuple[str, Any], ...]):
    """The members of a JSON object in order, so that duplicates can be found."""

    __slots__ = ()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# A decoder keeps no state between texts.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_Object,
    parse_int=_Number,
    parse_float=_Number,
    parse_constant=_refuse_constant,
)


def read_new_pet(body: bytes) -> NewPet:
    """Return the animal that a request body describes.

    Raises:
        ServiceError: 400; its message begins with the field it is about.
    """
    fields = _fields(_decoded(body))
    return NewPet(
        name=_name(_required(fields, "name", NAME_RULE)),
        categoryId=_category_id(_required(fields, "categoryId", CATEGORY_RULE)),
        status=_status(fields),
    )


def _decoded(body: bytes) -> object:
    try:
        return _DECODER.decode(body.decode())
    except RecursionError:
        rule = "JSON with fewer nested brackets"
    except UnicodeDecodeError:
        rule = "UTF-8"
    except ValueError:
        rule = "one JSON object, with name and categoryId"
    raise ServiceError(400, "invalid_json", f"The body must be {rule}")


def _fields(value: object) -> dict[str, Any]:
    if not isinstance(value, _Object):
        raise ServiceError(400, "invalid_json", "The body must be a JSON object")
    known = [(name, member) for name, member in value if name in FIELDS]
    fields = dict(known)
    if len(fields) < len(known):
        duplicate = next(name for name in FIELDS if [n for n, _ in known].count(name) > 1)
        raise invalid(duplicate, "given only once")
    return fields


def _required(fields: dict[str, Any], name: str, rule: str) -> object:
    if name not in fields:
        raise ServiceError(400, "missing_value", f"{name} is missing; it must be {rule}")
    return fields[name]


def _name(value: object) -> str:
    if not isinstance(value, str) or isinstance(value, _Number):
        raise invalid("name", NAME_RULE)
    if not is_encodable(value):
        raise invalid("name", "Unicode text, without half a surrogate pair")
    return value


def _category_id(value: object) -> int:
    number = whole_number(value) if isinstance(value, _Number) else None
    if number is None or not INT64_MINIMUM <= number <= INT64_MAXIMUM:
        raise invalid("categoryId", CATEGORY_RULE)
    return number


def _status(fields: dict[str, Any]) -> PetStatus | None:
    if "status" not in fields:
        return None
    value = fields["status"]
    if isinstance(value, str) and not isinstance(value, _Number):
        for status in PetStatus:
            if value == status:
                return status
    raise invalid("status", STATUS_RULE)


def whole_number(text: str) -> int | None:
    """Return the exact value of a JSON number that is whole and has at most 20 digits, else None.

    ``1.0``, ``1e3`` and ``12.50e1`` are whole. Neither float nor Decimal is both exact and cheap
    for all that a client may send (``1e999999999999``, a megabyte of zeros).
    """
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.removeprefix("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return 0
    if len(exponent.lstrip("+-0")) > 9:
        return None  # far beyond int64, or a tiny fraction
    zeros = len(digits) - len(significant) - len(fraction) + int(exponent or "0")
    if zeros < 0 or len(significant) + zeros > 20:
        return None
    value = int(significant + "0" * zeros)
    return -value if text.startswith("-") else value
