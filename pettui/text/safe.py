"""Text from outside → text that is safe to draw, to log and to put in a title.

Every name, message, code, header and unknown field goes through ``safe`` before it is shown, and
only then: copies and exports keep the exact value. The result contains no control, bidi or other
format character, nothing unassigned, private or invisible, no lone surrogates, and at most four
marks on a letter. Such characters are made visible, or left out where they only shape their
neighbours:

- Emoji are drawn as their parts, in one tone and without variation selectors: a family as its
  members, a flag as its two letters. Terminals disagree on the width of anything else.
- The joiners of Arabic and Indic scripts are left out: letters join anyway, and a word with
  ``<U+200C>`` in it could not be read. Anywhere else a joiner is made visible.
- Right-to-left letters stay as they are; in which order to draw them is left to the terminal.

So every character of the result has a width of its own, whatever is beside it. Markup is not
escaped: drawing code never parses any.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

# Latin, Cyrillic, Japanese, Chinese and Korean letters that are always safe.
_PLAIN: Final = (
    r"[ -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482"
    r"\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*+"
)
# The first of them, apart: compiling the pattern takes longer than drawing a screen of names.
_LATIN: Final = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x300))))
MARKS_MAXIMUM: Final = 4  # as many as Hebrew and Tibetan need
_JOINERS: Final = "\u200c\u200d"
_VARIATION_SELECTORS: Final = frozenset(
    map(chr, (*range(0x180B, 0x180E), 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_ODD: Final = _INVISIBLE | _VARIATION_SELECTORS
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})  # categories
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_FLAG_LETTERS: Final = range(0x1F1E6, 0x1F200)
_NEWER_EMOJI: Final = range(0x1FA70, 0x1FB00)  # reserved for emoji that Python may not know yet
_SYMBOLS: Final = 0x2190  # from here on, a character that is no letter may be an emoji


LATIN_1: Final = frozenset(map(chr, (*range(0xA1, 0xAD), *range(0xAE, 0x100))))
"""The visible characters of Latin-1 beyond ASCII."""
NOTHING: Final[frozenset[str]] = frozenset()


def safe(
    text: str,
    limit: int | None = None,
    *,
    ascii_only: bool = False,
    also: frozenset[str] = NOTHING,
) -> str:
    """Return text that a terminal can draw without being controlled by it.

    Args:
        text: anything, of any length.
        limit: characters to keep; the rest becomes an ellipsis.
        ascii_only: write every other character by its number, for terminals without Unicode.
        also: further characters that such a terminal draws.
    """
    cut = limit is not None and len(text) > limit
    part = text[:limit] if cut else text
    ellipsis = ("..." if ascii_only else "…") if cut else ""
    if part.isascii() and part.isprintable():
        return part + ellipsis
    if ascii_only:
        return "".join(_ascii_pieces(part, also)) + ellipsis
    is_plain = _LATIN.issuperset(part) or re.fullmatch(_PLAIN, part)
    return (part if is_plain else _visible(part)) + ellipsis


def terminal_lines(lines: Iterable[str]) -> bytes:
    """Return raw lines as they may be sent to any terminal, also to one in raw mode."""
    return "".join(f"{safe(line)}\r\n" for line in lines).encode("utf-8", "replace")


def _ascii_pieces(text: str, also: frozenset[str]) -> list[str]:
    shown: list[str] = []
    for character in text:
        composed = ""
        if also and shown and unicodedata.combining(character):
            composed = unicodedata.normalize("NFC", shown[-1] + character)
        if composed in also:
            shown[-1:] = [composed, ""]
        else:
            shown.append(_ascii(character, also))
    return shown


def _ascii(character: str, also: frozenset[str]) -> str:
    if " " <= character <= "~" or character in also:
        return character
    if character < " " or character == "\x7f":
        return f"^{chr(ord(character) ^ 0x40)}"
    return _number(character)


def pieces(text: str, *, ascii_only: bool = False, also: frozenset[str] = NOTHING) -> list[str]:
    """Return what each character of a text is drawn as: joined, the result of ``safe``.

    A character that only shapes its neighbours becomes an empty piece.
    """
    if text.isascii() and text.isprintable():
        return list(text)
    if ascii_only:
        return _ascii_pieces(text, also)
    shown: list[str] = []
    marks = 0  # of the character before
    previous = ""
    has_base = False  # the character before is drawn as it is, so a mark can be put on it
    for character in text:
        category = unicodedata.category(character)
        if category[0] == "M" and character not in _ODD:
            base = "" if marks or has_base else "◌"
            shown.append(base + (character if marks < MARKS_MAXIMUM else ""))
            marks += 1
        elif drawn := _drawn(character, category, previous):
            _end_marks(shown, marks)
            marks = 0
            has_base = _add(shown, drawn) and drawn == character != " "
        else:
            shown.append("")
        previous = character
    _end_marks(shown, marks)
    return shown


def _visible(text: str) -> str:
    return "".join(pieces(text))


def _add(shown: list[str], drawn: str) -> bool:
    """Add what a character is drawn as; return False if only its number could be.

    A Korean vowel or final consonant is merged into the syllable before it.
    """
    if not ("\u1160" < drawn <= "\u11ff" or "\ud7b0" <= drawn <= "\ud7ff"):
        shown.append(drawn)
        return True
    last = next((index for index in reversed(range(len(shown))) if shown[index]), None)
    syllable = "" if last is None else unicodedata.normalize("NFC", shown[last] + drawn)
    if last is None or len(syllable) > 1:
        shown.append(_number(drawn))
        return False
    shown[last] = syllable
    shown.append("")
    return True


def _end_marks(shown: list[str], marks: int) -> None:
    if marks > MARKS_MAXIMUM:
        shown[-1] += f"<+{marks - MARKS_MAXIMUM} marks>"


def _drawn(character: str, category: str, previous: str) -> str:
    """Return what a character is drawn as after the previous one; "" for nothing."""
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)
    if number == 0x7F:
        return "␡"
    if _shapes(character, previous):
        return ""
    if number in _FLAG_LETTERS:
        return chr(number - _FLAG_LETTERS[0] + ord("A"))
    if number in _SKIN_TONES or character in _ODD:
        return _number(character)
    if category in _UNSEEN and number not in _NEWER_EMOJI:
        return _number(character)
    return " " if category == "Zs" and character != "\u3000" else character


def _shapes(character: str, previous: str) -> bool:
    """Whether a character only shapes the one before it, or joins it to the next."""
    if not previous:
        return False
    if character in _VARIATION_SELECTORS:
        return previous not in _VARIATION_SELECTORS and previous.isprintable()
    is_emoji = ord(previous) >= _SYMBOLS and not previous.isalpha() and previous.isprintable()
    if ord(character) in _SKIN_TONES:
        return is_emoji and ord(previous) not in _SKIN_TONES
    return character in _JOINERS and (is_emoji or _is_joined_script(previous))


def _is_joined_script(character: str) -> bool:
    """Whether a character is of Arabic or a related script, an Indic script, or Mongolian."""
    return any(
        first <= character <= last
        for first, last in ("\u0600\u0dff", "\u1000\u109f", "\u1780\u18af", "\ua840\ua87f")
    )


_CONTROLS: Final = (
    r"\t\v\f\x1c-\x1f\x85"  # white space that is no line end, but a control character
)
_CONTROL: Final = re.compile(f"[{_CONTROLS}]")
_NO_CONTROL: Final = re.compile(f"[^{_CONTROLS}]")
_LINE_END: Final = r"[\n\r\u2028\u2029]"
_SPACE: Final = re.compile(r"\s+")


def on_one_line(text: str) -> str:
    """Return text in which blanks and ends of lines of any length are one blank."""
    if _CONTROL.search(text) is None:
        return " ".join(text.split())
    return " ".join(filter(None, with_blanks(text).split(" ")))


def with_blanks(text: str) -> str:
    """Return text of the same length in which blanks and ends of lines are blanks.

    A tab, and what else is a control character, stays, but for the indent of a line.
    """
    return _SPACE.sub(_blanks, text)


def _blanks(space: re.Match[str]) -> str:
    if re.search(_LINE_END, space[0]):
        return " " * len(space[0])
    return _NO_CONTROL.sub(" ", space[0])


def _number(character: str) -> str:
    return f"<U+{ord(character):04X}>"
