"""The lines of a journal's file: a checksum, and the words of a record.

The checksum is made of the words and of the number of the line in the file, so that a line that is
lost, doubled or damaged is seen.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Final

VERSION: Final = "1"
MAGIC: Final = "pettui-imports"
PLAN: Final = "plan"
_CHECKSUM: Final = 9  # bytes, with the blank behind it
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}")
_NONE: Final = "-"


class NotARecordError(ValueError):
    """A line that no version of pettui that this one knows has written."""


def encoded(number: int, *words: str) -> bytes:
    """Return a record as the line of this number, from 0, of a file."""
    text = " ".join(words).encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(text, number), text)


def decoded(number: int, line: bytes) -> list[str]:
    """Return the words of the line of this number, without its end; raises NotARecordError."""
    text = line[_CHECKSUM:]
    if line[:_CHECKSUM] != b"%08x " % zlib.crc32(text, number):
        raise NotARecordError("its checksum is wrong")
    return text.decode("ascii").split(" ")


def is_plan(line: bytes) -> bool:
    """Whether a line is a whole plan, which says itself what number it has."""
    words = line[_CHECKSUM:].split(b" ", 2)
    if len(words) < 3 or words[0] != PLAN.encode() or not words[1].isdigit():
        return False
    try:
        decoded(int(words[1][:9]), line)
    except NotARecordError:
        return False
    return True


def in_a_word(text: str) -> str:
    """Return a text as one word of ASCII."""
    return json.dumps(text).replace(" ", "\\u0020")


def in_a_short_word(text: str, size: int) -> str:
    """Return a text, cut where need be, as a word of at most so many bytes."""
    word = in_a_word(text[:size])
    return word if len(word) <= size else in_a_word(f"{text[: size // 12 - 2]}…")


def text_of(word: str) -> str:
    """Return the text that a word stands for; raises NotARecordError."""
    try:
        text = json.loads(word)
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise NotARecordError("a text was expected")
    return text


def number_of(word: str) -> int:
    """Return the whole number that a word stands for; raises NotARecordError."""
    if _NUMBER.fullmatch(word) is None:
        raise NotARecordError("a number was expected")
    return int(word)


def in_a_word_or_none(number: int | None) -> str:
    """Return a number, or that there is none, as a word."""
    return _NONE if number is None else str(number)


def number_or_none(word: str) -> int | None:
    """Return the number that a word stands for, if any; raises NotARecordError."""
    return None if word == _NONE else number_of(word)
