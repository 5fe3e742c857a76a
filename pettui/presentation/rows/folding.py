"""Folding: text → text in which letters that a clerk takes for the same are the same.

Case, accents, width, ligatures and kinds of hyphens and apostrophes do not matter. Marks that are
letters to their readers stay: those of Indian scripts and Thai, and the strokes of か and が.
Korean syllables stay whole, so that one is never found inside another.
"""

from __future__ import annotations

import re
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from unicodedata import decimal, normalize

from pettui.presentation.rows.graphemes import SINGLE, clusters

if TYPE_CHECKING:
    from collections.abc import Iterator

CHARACTERS_MAXIMUM: Final = 500
"""Of a text; the table draws no more, and the time of normalisation grows with the square."""

_IGNORED: Final = re.compile(
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
_DIGIT: Final = re.compile(r"[^\D0-9]")
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
_decomposed = partial(normalize, "NFKD")
_composed = partial(normalize, "NFC")


def fold(text: str) -> str:
    """Return a folded text: its folded clusters, joined."""
    if text.isascii() and len(text) <= CHARACTERS_MAXIMUM:
        return _ascii(text)
    if len(text) <= CHARACTERS_MAXIMUM and SINGLE.fullmatch(text):
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
        return _IGNORED.sub("", text).lower()  # or a free-standing accent would become a blank
    letters = _IGNORED.sub("", decomposed)
    if letters.isascii():
        return _ascii(letters)
    alike = _DIGIT.sub(_digit, letters.casefold().translate(_ALIKE))
    return _composed(_IGNORED.sub("", _decomposed(alike)))


def _digit(found: re.Match[str]) -> str:
    return str(decimal(found[0]))
