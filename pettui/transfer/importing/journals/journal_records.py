"""The lines of a journal file: a checksum and the words of a record.

The checksum covers the words and the number of the line in the file, so that a lost, repeated or
damaged line is noticed.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Final

VERSION: Final = "1"
MAGIC: Final = "pettui-imports"
PLAN: Final = "plan"
_CHECKSUM: Final = 9  # bytes, with the space after it
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}")
_NONE: Final = "-"


class NotARecordError(ValueError):
    """A line that is not a record of this version."""


def encoded(number: int, *words: str) -> bytes:
    """Return a record as a line of a file; ``number`` is the line's, from 0."""
    text = " ".join(words).encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(text, number), text)


def decoded(number: int, line: bytes) -> list[str]:
    """Return the words of a line, without its line end; raises NotARecordError."""
    text = line[_CHECKSUM:]
    if line[:_CHECKSUM] != b"%08x " % zlib.crc32(text, number):
        raise NotARecordError("its checksum is wrong")
    return text.decode("ascii").split(" ")


def is_plan(line: bytes) -> bool:
    """Whether a line is an intact plan; a plan contains its own line number."""
    words = line[_CHECKSUM:].split(b" ", 2)
    if len(words) < 3 or words[0] != PLAN.encode() or not words[1].isdigit():
        return False
    try:
        decoded(int(words[1][:9]), line)
    except NotARecordError:
        return False
    return True


def text_word(text: str) -> str:
    """Return a text as one word of ASCII."""
    return json.dumps(text).replace(" ", "\\u0020")


def short_word(text: str, size: int) -> str:
    """Return a text as a word of at most so many bytes, cut if necessary."""
    word = text_word(text[:size])
    return word if len(word) <= size else text_word(f"{text[: size // 12 - 2]}…")


def text_of(word: str) -> str:
    """Return the text in a word; raises NotARecordError."""
    try:
        text = json.loads(word)
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise NotARecordError("a text was expected")
    return text


def number_of(word: str) -> int:
    """Return the whole number in a word; raises NotARecordError."""
    if _NUMBER.fullmatch(word) is None:
        raise NotARecordError("a number was expected")
    return int(word)


def number_word(number: int | None) -> str:
    """Return a number or None as a word."""
    return _NONE if number is None else str(number)


def number_or_none(word: str) -> int | None:
    """Return the number in a word, or None; raises NotARecordError."""
    return None if word == _NONE else number_of(word)
