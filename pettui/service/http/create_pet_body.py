"""The body of createPet: bytes → NewPet, exactly as the interface defines it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.json_text import NotJsonError, RepeatedName, json_value
from pettui.service.http.errors import ServiceError, invalid
from pettui.validation import MISSING, WrongFieldError, new_pet_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.models import NewPet

RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "a string of Unicode text",
        "categoryId": "a whole number from -2^63 to 2^63 - 1",
        "status": "available, pending or sold, or be left out",
    }
)


def read_new_pet(body: bytes) -> NewPet:
    """Return the animal that a request body describes.

    Raises:
        ServiceError: 400; its message begins with the field it is about.
    """
    try:
        fields = json_value(body.decode(), strict=True)
    except UnicodeDecodeError:
        raise _not_json("must be UTF-8") from None
    except NotJsonError as error:
        reason = f"must be one JSON object, with name and categoryId; {error}"
        raise _not_json(reason) from None
    if not isinstance(fields, dict):
        raise _not_json("must be a JSON object")
    repeated = fields.names if isinstance(fields, RepeatedName) else ()
    for name in RULES:
        if name in repeated:
            raise invalid(name, "given only once")
    try:
        return new_pet_of(fields)
    except WrongFieldError as error:
        rule = RULES[error.name]
        if error.rule == MISSING:
            reason = f"{error.name} is missing; it must be {rule}"
            raise ServiceError(400, "missing_value", reason) from None
        raise invalid(error.name, rule) from None


def _not_json(reason: str) -> ServiceError:
    return ServiceError(400, "invalid_json", f"The body {reason}")
