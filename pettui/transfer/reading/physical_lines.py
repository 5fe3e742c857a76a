"""Pieces of text → lines, as an editor counts them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_END: Final = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class PhysicalLine:
    """A line of a file."""

    number: int  # from 1
    text: str | None  # with its line end; None if it is too long


def physical_lines(pieces: Iterable[str], maximum: int) -> Iterator[PhysicalLine]:
    """Return the lines of a text, which end in CRLF, LF or CR; without text beyond ``maximum``."""
    line = _GrowingLine(maximum)
    number = 1
    held = ""  # CR at the end of a piece, after which LF may follow
    for piece in pieces:
        text = held + piece
        held = "\r" if text.endswith("\r") else ""
        text = text.removesuffix(held)
        start = 0
        for found in _END.finditer(text):
            yield PhysicalLine(number, line.ended(text[start : found.end()]))
            number += 1
            start = found.end()
        line.grow(text[start:])
    last = line.ended(held)
    if last != "":
        yield PhysicalLine(number, last)


class _GrowingLine:
    """An incomplete line, which keeps at most a number of characters."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._parts: list[str] = []
        self._length = 0

    def grow(self, part: str) -> None:
        self._length += len(part)
        if self._length <= self._maximum:
            self._parts.append(part)

    def ended(self, part: str) -> str | None:
        """Return the whole line, and start the next one."""
        self.grow(part)
        text = "".join(self._parts) if self._length <= self._maximum else None
        self._parts, self._length = [], 0
        return text
