"""What a JSON value is, and what is wrong with it, in words."""

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
_WRONG: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "string_type": "must be text",
}


class WrongShapeError(ValueError):
    """A JSON value that is not what the interface states; it says why in a few words."""


def kind_of(value: Any) -> str:
    """Name the kind of a JSON value: "a list", say."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return next(words for kind, words in _KINDS.items() if isinstance(value, kind))


def fields_of(value: Any) -> dict[str, Any]:
    """Give the fields of an object.

    Raises:
        WrongShapeError: it is none, or has a field twice.
    """
    if not isinstance(value, dict):
        raise WrongShapeError(f"an object was expected, {kind_of(value)} came")
    if isinstance(value, RepeatedName):
        raise WrongShapeError(f"{value.name[:40]} is there more than once")
    return value


def reason_of(error: ValueError) -> str:
    """Give the first fault of a model, without the value: "categoryId: must be a whole number"."""
    from pydantic import ValidationError  # noqa: PLC0415 - what is right needs none of it

    if not isinstance(error, ValidationError):
        return str(error)
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    said = fault["msg"].removeprefix("Value error, ")
    field = fault["loc"][0] if fault["loc"] else "it"
    wrong = _WRONG.get(fault["type"], said)
    return f"{field} {wrong}" if fault["type"] == "missing" else f"{field}: {wrong}"
