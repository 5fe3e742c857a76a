"""The bytes of a body → JSON values, within limits and without ambiguity.

Python's parser accepts any depth until the stack overflows and any number of digits until it
raises, and keeps the last of two fields with the same name. Here all of that is checked first.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.settings import Limits

_MARK: Final = "\ufeff"  # byte order mark, which RFC 8259 (8.1) lets a reader ignore
BLANK: Final = " \t\n\r"
_BLANKS: Final = re.compile(rf"[{BLANK}]*+")
_WRITTEN: Final = 4  # matches for one value, at most: its name, and the digits of 1.2e3
_STRUCTURE: Final = re.compile(
    r'(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+"?)|(?P<open>[\[{]++)|(?P<close>[\]}]++)'
    r"|(?P<comma>,++)|(?P<digits>[0-9]++)",
    re.DOTALL,
)


class NotJsonError(ValueError):
    """A body is not JSON, or exceeds the limits; the message says why in a few words."""


class RepeatedName(dict[str, Any]):
    """An object with two fields of the same name; JSON does not say which one counts."""

    name: str


def json_text(body: bytes, limits: Limits) -> str:
    """Return the text of a body that is safe to parse as JSON.

    Raises:
        NotJsonError: it is empty, is not UTF-8, or exceeds the limits.
    """
    try:
        text = body.decode("utf-8").removeprefix(_MARK)
    except UnicodeDecodeError as error:
        byte = body[error.start]
        reason = f"it is not UTF-8: byte 0x{byte:02X} at place {error.start}"
        raise NotJsonError(reason) from None
    _check_structure(text, limits)
    return text


def json_value(text: str) -> Any:
    """Return the JSON value of a text."""
    value, end = _value(text, _after_blanks(text, 0))
    _check_end(text, end)
    return value


def json_elements(text: str) -> Iterator[tuple[Any, slice]]:
    """Yield each element of a JSON list, and its slice of the text."""
    position = _after_blanks(text, _after_blanks(text, 0) + 1)
    while text[position : position + 1] != "]":
        value, end = _value(text, position)
        yield value, slice(position, end)
        position = _after_blanks(text, end)
        if text[position : position + 1] == ",":
            position = _after_blanks(text, position + 1)
            if text[position : position + 1] == "]":
                raise _broken(text, position)
        elif text[position : position + 1] != "]":
            raise _broken(text, position)
    _check_end(text, position + 1)


def is_list(text: str) -> bool:
    """Whether a JSON text is a list, by its first character."""
    position = _after_blanks(text, 0)
    return text[position : position + 1] == "["


def _check_structure(text: str, limits: Limits) -> None:
    values = depth = written = 0
    # Python itself converts no more digits to a number, whatever the limits are.
    digits = min(limits.digits, sys.get_int_max_str_digits() or limits.digits)
    is_short = len(text) <= min(digits, limits.values)
    if is_short and text.count("[") + text.count("{") <= limits.depth:
        return  # too short to exceed the limits, as one animal is
    for part in _STRUCTURE.finditer(text):
        length = part.end() - part.start()
        match part.lastgroup:
            case "open":
                depth += length
                values += length
            case "close":
                depth -= length
            case "comma":
                values += length
            case "digits" if length > digits:
                raise NotJsonError(f"it holds a number of more than {digits} digits")
            case _:
                written += 1
        if depth > limits.depth:
            raise NotJsonError(f"its lists and objects are nested deeper than {limits.depth}")
        if values > limits.values or written > limits.values * _WRITTEN:
            raise NotJsonError(f"it holds more than {limits.values} values")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    repeated = RepeatedName(fields)
    repeated.name = Counter(name for name, _ in pairs).most_common(1)[0][0]
    return repeated


def _value(text: str, position: int) -> tuple[Any, int]:
    # Not strict: an unescaped control character must not cost the whole list.
    decoder = json.JSONDecoder(object_pairs_hook=_object, strict=False)
    try:
        return decoder.raw_decode(text, position)
    except json.JSONDecodeError as error:
        is_cut = error.msg.startswith("Unterminated string")
        raise _broken(text, len(text) if is_cut else error.pos) from None
    except RecursionError:
        raise NotJsonError("its lists and objects are nested too deep") from None


def _check_end(text: str, position: int) -> None:
    if _after_blanks(text, position) != len(text):
        raise NotJsonError(f"something follows its end, after {position} characters")


def _broken(text: str, position: int) -> NotJsonError:
    if not text.strip(BLANK):
        return NotJsonError("it is blank")
    if _after_blanks(text, position) >= len(text):
        return NotJsonError(f"it ends in the middle, after {len(text)} characters")
    if not text[:position].strip(BLANK):
        return NotJsonError("it is not JSON")
    return NotJsonError(f"it is damaged at character {position + 1:,}")


def _after_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position
