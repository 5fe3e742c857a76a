"""The bytes of a body → JSON values, within bounds, and without what JSON leaves open.

Python's reader takes any depth until the stack is full, any number of digits until it raises,
and of two fields with one name the last. Here all of that is looked at first.
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
_WRITTEN: Final = 4  # of one value at most: its name, and the digits of 1.2e3
_STRUCTURE: Final = re.compile(
    r'(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+"?)|(?P<open>[\[{]++)|(?P<close>[\]}]++)'
    r"|(?P<comma>,++)|(?P<digits>[0-9]++)",
    re.DOTALL,
)


class NotJsonError(ValueError):
    """A body that is no JSON text, or more of one than is taken; it says why in a few words."""


class RepeatedName(dict[str, Any]):
    """An object with one name twice, of which JSON does not say which one counts."""

    name: str


def json_text(body: bytes, limits: Limits) -> str:
    """Give the text of a body that is safe to read as JSON.

    Raises:
        NotJsonError: it is empty, is not UTF-8, or goes beyond the limits.
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
    """Give the one value that a text is."""
    value, end = _value(text, _after_blanks(text, 0))
    _check_end(text, end)
    return value


def json_elements(text: str) -> Iterator[tuple[Any, slice]]:
    """Return each element of the list that a text is, and where in the text it stands."""
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
    """Tell whether a JSON text is a list, by its first character."""
    position = _after_blanks(text, 0)
    return text[position : position + 1] == "["


def _check_structure(text: str, limits: Limits) -> None:
    values = depth = written = 0
    # Python itself turns no more digits into a number, whatever the limits say.
    digits = min(limits.digits, sys.get_int_max_str_digits() or limits.digits)
    is_short = len(text) <= min(digits, limits.values)
    if is_short and text.count("[") + text.count("{") <= limits.depth:
        return  # one animal, say: whatever stands in it is within the limits
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
    # Not strict: a control character that was not escaped costs nobody a list.
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
    return NotJsonError(f"it is broken at character {position + 1}")


def _after_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position
