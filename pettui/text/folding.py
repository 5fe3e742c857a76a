"""Folding: words in texts in which letters that a clerk takes for the same are the same.

Case, accents, width, ligatures and kinds of hyphens and apostrophes do not matter. Marks that are
letters to their readers stay: those of Indian scripts and Thai, and the strokes of か and が.
Korean syllables stay whole, so that one is never found inside another.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

Span: TypeAlias = tuple[int, int]
"""Start and end of a part of a text, in indices of the raw text; never half a grapheme cluster."""

CHARACTERS_MAXIMUM: Final = 500
"""Of a text; the table draws no more, and the time of normalisation grows with the square."""

_IGNORED: Final = (
    "["
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u2de0-\u2dff"  # accents
    "\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\ufb1e"  # points of Hebrew
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u0711\u0730-\u074a\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff"  # of Arabic and Syriac
    "\u302a-\u302f\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"  # tones, variants
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0001\U000e0020-\U000e007f"  # invisible
    "\U0001f3fb-\U0001f3ff"  # skin tones
    "]+"
)
_DIGIT: Final = r"[^\D0-9]"
_ALIKE: Final = MappingProxyType(str.maketrans({
        **dict.fromkeys("‘’‚‛ʹʻʼʽˈ′‵`´", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe",
        "þ": "th", "ı": "i", "ȷ": "j", "ƀ": "b", "ǥ": "g", "ɨ": "i", "ƶ": "z", "ʉ": "u",
        "ɇ": "e", "ɉ": "j", "ɍ": "r", "ɏ": "y", "ⱥ": "a", "ȼ": "c",
        # A flag is drawn as its two letters.
        **{chr(0x1F1E6 + index): chr(ord("a") + index) for index in range(26)},
    }))  # fmt: skip
_decomposed = partial(unicodedata.normalize, "NFKD")
_composed = partial(unicodedata.normalize, "NFC")

SINGLE: Final = (
    r"[ -~\u00a1-\u00a7\u00a9-\u00ac\u00ae\u00b0-\u00b3\u00b5-\u00b7\u00b9-\u02d7\u0400-\u0481"
    r"\u048a-\u052f\u1e00-\u1eff"
    r"\u0386-\u03ff\u05d0-\u05ea\u0620-\u064a"
    r"\u2010-\u2016\u2018-\u2027\u2190-\u2bff\U0001f300-\U0001f3fa\U0001f400-\U0001f64f"
    r"\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9d]*+"
)
"""Texts whose characters never join their neighbours, and decompose without a blank."""

# Of them, apart: compiling the pattern takes longer than folding a screen of names.
LATIN: Final = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xC0, 0x2D8))))
_JOINER: Final = "\u200d"
_EXTENDING: Final = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")  # beside marks
_EXTENDING_RANGES: Final = (range(0x1F3FB, 0x1F400), range(0xE0020, 0xE0080))  # tones, tags
_FLAG_LETTERS: Final = range(0x1F1E6, 0x1F200)
_SYMBOLS: Final = 0x2190  # from here on, a character that is no letter may be an emoji


def folded_words(typed: str) -> tuple[str, ...]:
    """Return the typed words, folded, each once; a word that folds to nothing is left out."""
    words = typed[:CHARACTERS_MAXIMUM].split()
    return tuple(dict.fromkeys(filter(None, map(fold, words))))


def has_words(words: Collection[str], *texts: str) -> bool:
    """Whether each of the folded words is somewhere in the texts."""
    whole = fold("\n".join(texts)) if words else ""
    return all(word in whole for word in words)


_DIGITS: Final = "0123456789"
_NUMBERS: Final = re.compile("[0-9]+")
_LENGTHS: Final = "012345678"  # of one to nine digits: they sort where digits do


def natural_key(folded: str) -> str:
    """Return a folded text to sort by, as people count: Fiona 2 before Fiona 19.

    Each number stands behind its length; leading zeros count for nothing. Of a number at the end,
    where most names have theirs, no pattern is replaced, which would take three times as long.
    """
    beginning = folded.rstrip(_DIGITS)
    if _NUMBERS.search(beginning) is not None:
        return _NUMBERS.sub(lambda number: _by_length(number[0]), folded)
    return folded if beginning == folded else beginning + _by_length(folded[len(beginning) :])


def _by_length(number: str) -> str:
    digits = number.lstrip("0") or "0"
    length = len(digits)
    first = _LENGTHS[length - 1] if length <= len(_LENGTHS) else f"9{chr(length)}"
    return first + digits


def found_spans(text: str, words: Collection[str]) -> tuple[Span, ...]:
    """Return where the folded words are in a text, in order; overlapping spans are joined."""
    whole = fold(text)
    if not any(word in whole for word in words):
        return ()
    pieces = list(folded_clusters(text))
    starts, length = [], 0  # of the folded clusters in the folded text
    for _, _, folded in pieces:
        starts.append(length)
        length += len(folded)
    spans: list[Span] = []
    for start, end in sorted(_occurrences(whole, words)):
        first = pieces[bisect_right(starts, start) - 1]
        last = pieces[bisect_right(starts, end - 1) - 1]
        if spans and first[0] < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], last[1]))
        else:
            spans.append((first[0], last[1]))
    return tuple(spans)


def _occurrences(text: str, words: Collection[str]) -> Iterator[Span]:
    for word in words:
        start = text.find(word)
        while start >= 0:
            yield start, start + len(word)
            start = text.find(word, start + 1)


def fold(text: str) -> str:
    """Return a folded text: its folded clusters, joined."""
    if text.isascii() and len(text) <= CHARACTERS_MAXIMUM:
        return _ascii(text)
    if len(text) <= CHARACTERS_MAXIMUM and (LATIN.issuperset(text) or re.fullmatch(SINGLE, text)):
        return _folded(text)
    return "".join(folded for _, _, folded in folded_clusters(text))


def folded_clusters(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and folded text of each cluster.

    Of a text that is too long, the last cluster is left out: it may be cut.
    """
    part = text[:CHARACTERS_MAXIMUM]
    for start, end in clusters(part):
        if end < len(part) or len(part) == len(text):
            piece = part[start:end]
            yield start, end, _ascii(piece) if piece.isascii() else _folded(piece)


def _ascii(text: str) -> str:
    return text.lower().replace("`", "'")


def _folded(text: str) -> str:
    decomposed = _decomposed(text.translate(_ALIKE))
    if " " in decomposed and " " not in text and not text.isspace():
        return re.sub(_IGNORED, "", text).lower()  # or a free-standing accent would become a blank
    letters = re.sub(_IGNORED, "", decomposed)
    if letters.isascii():
        return _ascii(letters)
    alike = re.sub(_DIGIT, _digit, letters.casefold().translate(_ALIKE))
    return _composed(re.sub(_IGNORED, "", _decomposed(alike)))


def _digit(found: re.Match[str]) -> str:
    return str(unicodedata.decimal(found[0]))


def clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each grapheme cluster, without gaps (a subset of UAX #29).

    It is what a reader takes for one character: a letter and its marks, a Korean syllable however
    it is written, a flag, a family of joined emoji.
    """
    if re.fullmatch(SINGLE, text):
        yield from ((start, start + 1) for start in range(len(text)))
        return
    start = flag_letters = 0
    for index, (before, character) in enumerate(pairwise(text), 1):
        flag_letters = flag_letters + 1 if ord(before) in _FLAG_LETTERS else 0
        is_flag_open = flag_letters % 2 == 1
        if not (
            _joins(before, character, is_flag_open=is_flag_open)
            or _is_syllable(text[start : index + 1])
        ):
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
    if before == _JOINER:
        return ord(character) >= _SYMBOLS and not character.isalpha()
    return is_flag_open and ord(character) in _FLAG_LETTERS


def _extends(character: str) -> bool:
    return (
        unicodedata.category(character)[0] == "M"
        or character in _EXTENDING
        or any(ord(character) in each for each in _EXTENDING_RANGES)
    )


def _is_syllable(text: str) -> bool:
    """Whether Korean letters, or a syllable and further ones, are one syllable."""
    return "\u1100" <= text[0] <= "\ud7a3" and len(_composed(text)) == 1
