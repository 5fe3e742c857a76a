"""The types of JSON values, and what is wrong with one, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pettui.json_text import RepeatedName

if TYPE_CHECKING:
    from collections.abc import Mapping


_KINDS: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
_REASONS: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "string_type": "must be text",
}


class WrongShapeError(ValueError):
    """A JSON value is not what the interface states; the message says why in a few words."""


def kind_of(value: Any) -> str:
    """Return the type of a JSON value in words, such as "a list"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return next(words for kind, words in _KINDS.items() if isinstance(value, kind))


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of an object.

    Raises:
        WrongShapeError: it is no object, or has a field twice.
    """
    if not isinstance(value, dict):
        raise WrongShapeError(f"expected an object, got {kind_of(value)}")
    if isinstance(value, RepeatedName):
        raise WrongShapeError(f"{value.name[:40]} occurs more than once")
    return value


def reason_of(error: ValueError) -> str:
    """Return a model's first error, without the value: "categoryId: must be a whole number"."""
    from pydantic import ValidationError  # noqa: PLC0415 - what is right needs none of it

    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    field = first["loc"][0] if first["loc"] else "it"
    reason = _REASONS.get(first["type"], first["msg"].removeprefix("Value error, "))
    return f"{field} {reason}" if first["type"] == "missing" else f"{field}: {reason}"
