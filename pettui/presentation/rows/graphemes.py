"""Grapheme clusters: what a reader takes for one character (a subset of UAX #29).

A letter and its marks, a Korean syllable however it is written, a flag, a family of joined emoji.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

SINGLE: Final = re.compile(
    r"[ -~\u00a1-\u00a7\u00a9-\u00ac\u00ae\u00b0-\u00b3\u00b5-\u00b7\u00b9-\u02d7\u0400-\u0481"
    r"\u048a-\u052f\u1e00-\u1eff"
    r"\u0386-\u03ff\u05d0-\u05ea\u0620-\u064a"
    r"\u2010-\u2016\u2018-\u2027\u2190-\u2bff\U0001f300-\U0001f3fa\U0001f400-\U0001f64f"
    r"\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9d]*+"
)
"""Texts whose characters never join their neighbours, and decompose without a blank."""

JOINER: Final = "\u200d"
_EXTENDING: Final = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")  # beside marks
_EXTENDING_RANGES: Final = (range(0x1F3FB, 0x1F400), range(0xE0020, 0xE0080))  # tones, tags
_FLAG_LETTERS: Final = range(0x1F1E6, 0x1F200)
_SYMBOLS: Final = 0x2190  # from here on, a character that is no letter may be an emoji


def clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each cluster, without gaps."""
    if SINGLE.fullmatch(text):
        yield from ((start, start + 1) for start in range(len(text)))
        return
    start = flag_letters = 0
    for index, (before, character) in enumerate(pairwise(text), 1):
        flag_letters = flag_letters + 1 if ord(before) in _FLAG_LETTERS else 0
        if not _joins(before, character, is_flag_open=flag_letters % 2 == 1):
            yield start, index
            start = index
    if text:
        yield start, len(text)


def _joins(before: str, character: str, *, is_flag_open: bool) -> bool:
    """Whether a character belongs to the cluster of the one before it."""
    if before.isascii() and character.isascii():
        return before == "\r" and character == "\n"
    if unicodedata.category(before)[0] == "C" and before not in _EXTENDING and not _extends(before):
        return False
    if _extends(character):
        return True
    if before == JOINER:
        return ord(character) >= _SYMBOLS and not character.isalpha()
    if ord(character) in _FLAG_LETTERS:
        return is_flag_open
    return _is_same_syllable(before, character)


def _extends(character: str) -> bool:
    return (
        unicodedata.category(character)[0] == "M"
        or character in _EXTENDING
        or any(ord(character) in each for each in _EXTENDING_RANGES)
    )


def _is_same_syllable(before: str, character: str) -> bool:
    """Whether two Korean letters or syllables are one: leading, vowel and trailing letters."""
    follows = {"L": "LVOC", "V": "VT", "O": "VT", "T": "T", "C": "T"}
    return _hangul(character) in follows.get(_hangul(before), ())


def _hangul(character: str) -> str:
    """Return L, V or T for a Korean letter, O or C for an open or closed syllable, else a blank."""
    if "\uac00" <= character <= "\ud7a3":
        return "O" if (ord(character) - 0xAC00) % 28 == 0 else "C"
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    return " "
