"""Pieces of text → the JSON values in it, found without parsing them yet.

A list may be one line of 50 MB: only one element is in memory at a time. An element of a list ends
at the comma after it; of values that follow each other without a list, at its last bracket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BLANK: Final = " \t\n\r"
CUT_OFF: Final = "the file ends in the middle of it"
LIST_CUT_OFF: Final = "the file ends in the middle of the list"
AFTER_END: Final = "something follows the end of the list"
_REST_OF_STRING: Final = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_TOKEN: Final = re.compile(r'"|[\[{]++|[\],]')
_DEEP_TOKEN: Final = re.compile(r'"|[\[{]++|[\]}]')  # within a value commas do not count


@dataclass(frozen=True, slots=True)
class Element:
    """A JSON value in a file."""

    line: int  # its first, from 1
    text: str | None  # None if it is too long
    fault: str | None = None  # why it cannot be used, whatever its text is


def list_elements(pieces: Iterable[str], maximum: int) -> Iterator[Element]:
    """Return the elements of a list of at most ``maximum`` characters each.

    Args:
        pieces: of a text; the first one has the list's opening bracket.
        maximum: characters of an element.
    """
    value, has_ended = _GrowingValue(maximum), False
    for part, mark in _parts(_after_bracket(pieces, value)):
        value.grow(part)
        if has_ended and mark:
            value.grow(mark)
        elif mark == "," or (mark == "]" and not value.is_blank):
            yield value.ended()
        has_ended = has_ended or mark == "]"
    if not has_ended:
        yield value.ended(LIST_CUT_OFF)
    elif not value.is_blank:
        yield value.ended(AFTER_END)


def listless_values(pieces: Iterable[str], maximum: int) -> Iterator[Element]:
    """Return the objects of a text without a list, each over several lines."""
    value = _GrowingValue(maximum)
    for part, mark in _parts(pieces):
        value.grow(part)
        if mark == "}":
            yield value.ended()
        elif mark:
            value.grow(mark)
    if not value.is_blank:
        yield value.ended(CUT_OFF)


def _after_bracket(pieces: Iterable[str], value: _GrowingValue) -> Iterator[str]:
    is_first = True
    for piece in pieces:
        before, bracket, after = piece.partition("[") if is_first else ("", "", piece)
        value.grow(before)
        yield after if bracket or not is_first else piece
        is_first = False


def _parts(pieces: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return a text in parts, each with the mark that ends it.

    Marks outside of any value are a comma, which is not in a part; "]" for a bracket that nothing
    opened; "}" for the last bracket of a value, which is in the part; and "" at the end of a piece.
    """
    depth, in_string = 0, False
    for piece in _with_whole_escapes(pieces):
        start = position = 0
        if in_string:
            position, in_string = _end_of_string(piece, 0)
        while found := (_DEEP_TOKEN if depth else _TOKEN).search(piece, position):
            position = found.end()
            if found[0] == '"':
                position, in_string = _end_of_string(piece, position)
            elif found[0][0] in "[{":
                depth += len(found[0])
            elif depth > 1:
                depth -= 1
            elif depth == 1:
                depth = 0
                yield piece[start:position], "}"
                start = position
            else:
                yield piece[start : found.start()], found[0]
                start = position
        yield piece[start:], ""


def _end_of_string(piece: str, position: int) -> tuple[int, bool]:
    """Return where a string ends, and whether it goes on in the next piece."""
    rest = _REST_OF_STRING.match(piece, position)
    return (len(piece), True) if rest is None else (rest.end(), False)


def _with_whole_escapes(pieces: Iterable[str]) -> Iterator[str]:
    """Return pieces that do not end within an escape."""
    held = ""
    for piece in pieces:
        text = held + piece
        count = len(text) - len(text.rstrip("\\"))
        held = "\\" if count % 2 else ""
        yield text.removesuffix(held)
    yield held


class _GrowingValue:
    """An incomplete value, which keeps at most a number of characters."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._parts: list[str] = []
        self._length = 0
        self._line = self._first_line = 1

    @property
    def is_blank(self) -> bool:
        """Whether nothing of it was read yet."""
        return self._length == 0

    def grow(self, part: str) -> None:
        if self._length == 0:
            text = part.lstrip(BLANK)
            self._line += part.count("\n", 0, len(part) - len(text))
            self._first_line = self._line
            part = text
        self._line += part.count("\n")
        self._length += len(part)
        if self._length <= self._maximum:
            self._parts.append(part)
        else:
            self._parts.clear()

    def ended(self, fault: str | None = None) -> Element:
        """Return the value, and start the next one."""
        text = "".join(self._parts) if self._length <= self._maximum else None
        element = Element(self._first_line, text, fault)
        self._parts, self._length, self._first_line = [], 0, self._line
        return element
