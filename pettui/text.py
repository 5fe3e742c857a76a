"""Text from outside → text that is safe to draw, to log and to put in a title.

Every name, message, code, header and unknown field goes through ``safe`` on its way out, and
only there: copies and exports keep the value exactly. What it gives holds no control character,
no bidi control, nothing invisible, and no stack of marks higher than three; what was there
instead is made visible. It does not deal in markup: drawing code takes plain strings.
"""

from __future__ import annotations

import unicodedata
from typing import Final

MARKS_MAXIMUM: Final = 3
_ZERO_WIDTH_JOINER: Final = "\u200d"
_EMOJI_SELECTOR: Final = "\ufe0f"
_TEXT_SELECTOR: Final = "\ufe0e"
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
# Of no width, or of one that terminals disagree on, though their category is that of a letter.
_INVISIBLE_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2800")


def safe(text: str, limit: int | None = None, *, ascii_only: bool = False) -> str:
    """Give text that a terminal can draw without being steered by it.

    Args:
        text: anything, of any length.
        limit: look at no more than this many characters; the rest becomes an ellipsis.
        ascii_only: write every other character by its number, for terminals without Unicode.
    """
    cut = limit is not None and len(text) > limit
    part = text[:limit] if cut else text
    ellipsis = ("..." if ascii_only else "…") if cut else ""
    if part.isascii() and part.isprintable():
        return part + ellipsis
    return ("".join(_ascii(part)) if ascii_only else _visible(part)) + ellipsis


def _ascii(text: str) -> list[str]:
    return [
        character
        if " " <= character <= "~"
        else f"^{chr(ord(character) ^ 0x40)}"
        if character < " " or character == "\x7f"
        else _number(character)
        for character in text
    ]


def _visible(text: str) -> str:
    shown: list[str] = []
    marks = 0
    previous = ""
    for character in text:
        if unicodedata.category(character) in {"Mn", "Me"} and character not in _INVISIBLE_LETTERS:
            if character in (_EMOJI_SELECTOR, _TEXT_SELECTOR) and previous:
                # Terminals disagree on the width it gives: the plain form is drawn.
                continue
            marks += 1
            if marks == 1 and (not previous or previous.isspace()):
                shown.append("◌")
            if marks <= MARKS_MAXIMUM:
                shown.append(character)
            continue
        _close_marks(shown, marks)
        marks = 0
        shown.append(_visible_character(character, previous))
        previous = character
    _close_marks(shown, marks)
    return "".join(shown)


def _close_marks(shown: list[str], marks: int) -> None:
    if marks > MARKS_MAXIMUM:
        shown.append(f"<+{marks - MARKS_MAXIMUM} marks>")


def _visible_character(character: str, previous: str) -> str:
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)
    if number == 0x7F:
        return "␡"
    if previous and ord(previous) > 0x2190 and not previous.isalpha():
        # Inside an emoji: joined ones are drawn apart, and in one tone, so that columns agree.
        if character == _ZERO_WIDTH_JOINER:
            return ""
        if number in _SKIN_TONES:
            return ""
    category = unicodedata.category(character)
    if category in {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"} or character in _INVISIBLE_LETTERS:
        return _number(character)
    if category == "Zs" and character != "\u3000":
        return " "
    return character


def _number(character: str) -> str:
    return f"<U+{ord(character):04X}>"
