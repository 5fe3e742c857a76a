"""JSON within limits, without ambiguity, and with its numbers as they were written.

Python's parser accepts any depth until the stack overflows, turns ``1.10`` into 1.1 and ``1e400``
into infinity, and keeps the last of two fields with the same name. Here a body that exceeds the
limits is refused before it is parsed, a number keeps how it was written, and an object with two
fields of one name is marked.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol, Self

    class Limits(Protocol):
        """How much of a text is accepted."""

        @property
        def values(self) -> int: ...
        @property
        def depth(self) -> int: ...
        @property
        def digits(self) -> int: ...


BLANK: Final = " \t\n\r"
_MARK: Final = "\ufeff"  # byte order mark, which RFC 8259 (8.1) lets a reader ignore
_BLANKS: Final = re.compile(rf"[{BLANK}]*+")
_WRITTEN: Final = 4  # matches for one value, at most: its name, and the digits of 1.2e3
_STRUCTURE: Final = re.compile(
    r'(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+"?)|(?P<open>[\[{]++)|(?P<close>[\]}]++)'
    r"|(?P<comma>,++)|(?P<digits>[0-9]++)",
    re.DOTALL,
)
_TEXT_OR_BREAK: Final = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[ \t]*[\r\n][ \t\r\n]*|\t', re.DOTALL
)
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_LONGEST_INTEGER: Final = 20  # digits; int64 has 19


class NotJsonError(ValueError):
    """A body is not JSON, or exceeds the limits; the message says why in a few words."""


class WrittenDecimal(Decimal):
    """A number that is not written as an integer: a Decimal whose ``str`` is what was written.

    Two that no Decimal can tell apart, as ``NaN`` and itself, are equal if they are written alike.
    An exponent of more than 18 digits counts as infinite, or as zero.
    """

    __slots__ = ("_written",)
    _written: str | None  # None where Decimal writes it the same way, as nearly always

    def __new__(cls, text: str) -> Self:
        """Keep what was written: a JSON number, ``NaN`` or ``Infinity``."""
        try:
            number = super().__new__(cls, text)
        except InvalidOperation:
            number = super().__new__(cls, _beyond_decimal(text))
        number._written = None if Decimal.__str__(number) == text else text
        return number

    def __str__(self) -> str:
        return Decimal.__str__(self) if self._written is None else self._written

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (str(self),)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, WrittenDecimal) and not (self.is_finite() and other.is_finite()):
            return str(self) == str(other)
        return Decimal.__eq__(self, other)

    def __hash__(self) -> int:
        return Decimal.__hash__(self) if self.is_finite() else hash(str(self))


def _beyond_decimal(text: str) -> str:
    mantissa, _, exponent = text.lower().partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    is_zero = exponent.startswith("-") or not mantissa.strip("-0.")
    return f"{sign}0" if is_zero else f"{sign}Infinity"


def number_of(text: str) -> int | WrittenDecimal:
    """Return a number that keeps how it was written."""
    if text == "-0":
        return WrittenDecimal(text)
    try:
        return int(text)
    except ValueError:  # no integer, or longer than Python converts
        return WrittenDecimal(text)


def whole_number(text: str) -> int | None:
    """Return the exact value of a written number if that is whole and has at most 20 digits.

    ``1.0``, ``1e3`` and ``12.50e1`` are whole. Neither float nor Decimal is both exact and
    cheap for all that may be sent (``1e999999999999``, a megabyte of zeros).
    """
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.removeprefix("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits.isdecimal() and digits:  # NaN and Infinity
        return None
    significant = digits.rstrip("0")
    if not significant:
        return 0
    if len(exponent.lstrip("+-0")) > 9:
        return None  # far beyond int64, or a tiny fraction
    zeros = len(digits) - len(significant) - len(fraction) + int(exponent or "0")
    if zeros < 0 or len(significant) + zeros > _LONGEST_INTEGER:
        return None
    value = int(significant + "0" * zeros)
    return -value if text.startswith("-") else value


class RepeatedName(dict[str, Any]):
    """An object with several fields of the same name; JSON does not say which one counts."""

    names: tuple[str, ...]  # the most frequent one first


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


def json_value(text: str, *, strict: bool = False) -> Any:
    """Return the JSON value of a text: its numbers as ``number_of`` reads them.

    Args:
        text: within the limits.
        strict: whether to refuse ``NaN``, and control characters within strings. In a service's
            list, one such value must not cost all the others.

    Raises:
        NotJsonError: it is not JSON.
    """
    value, end = _value(text, _after_blanks(text, 0), _STRICT if strict else _LENIENT)
    _check_end(text, end)
    return value


def json_elements(text: str) -> Iterator[tuple[Any, slice]]:
    """Yield each element of a JSON list, and its slice of the text; raises as ``json_value``."""
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


def json_values(text: str) -> Iterator[tuple[Any, slice]]:
    """Yield each JSON value of several that follow one another, as ``json_elements`` does."""
    position = _after_blanks(text, 0)
    while position < len(text):
        value, end = _value(text, position)
        yield value, slice(position, end)
        position = _after_blanks(text, end)


def is_list(text: str) -> bool:
    """Whether a JSON text is a list, by its first character."""
    position = _after_blanks(text, 0)
    return text[position : position + 1] == "["


def kind_of(value: object) -> str:
    """Return the type of a JSON value in words, such as "a list"."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return "a text"
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return "a number"


def written(value: object) -> str:
    """Return a JSON value as JSON on one line, with its numbers as they were written."""
    match value:
        case Decimal():
            return str(value)
        case list():
            return f"[{', '.join(map(written, value))}]"
        case dict():
            return f"{{{', '.join(f'{written(name)}: {written(v)}' for name, v in value.items())}}}"
        case _:
            return json.dumps(value, ensure_ascii=False)


def on_one_line(text: str) -> str:
    """Return JSON with a space for each line break and tab; nothing else of it is changed.

    Except for control characters in strings, which have to be escaped (RFC 8259, 7): some services
    send them as they are, and here they are escaped.
    """
    return text if not _CONTROL.search(text) else _TEXT_OR_BREAK.sub(_without_controls, text)


def _without_controls(found: re.Match[str]) -> str:
    part = found[0]
    return _CONTROL.sub(_escaped, part) if part.startswith('"') else " "


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def _check_structure(text: str, limits: Limits) -> None:
    values = depth = matches = 0
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
                matches += 1
        if depth > limits.depth:
            raise NotJsonError(f"its lists and objects are nested deeper than {limits.depth}")
        if values > limits.values or matches > limits.values * _WRITTEN:
            raise NotJsonError(f"it holds more than {limits.values} values")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    repeated = RepeatedName(fields)
    counted = Counter(name for name, _ in pairs).most_common()
    repeated.names = tuple(name for name, count in counted if count > 1)
    return repeated


def _refuse_constant(name: str) -> NoReturn:
    raise NotJsonError(f"{name} is not JSON")


# A decoder keeps no state between texts.
_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=number_of,
    parse_float=WrittenDecimal,
    parse_constant=_refuse_constant,
)
_LENIENT: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=number_of,
    parse_float=WrittenDecimal,
    parse_constant=WrittenDecimal,
    strict=False,
)


def _value(text: str, position: int, decoder: json.JSONDecoder = _LENIENT) -> tuple[Any, int]:
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
