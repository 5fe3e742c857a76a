"""Bytes of typed or pasted text → characters, also where a terminal does not speak UTF-8."""

from __future__ import annotations

REPLACEMENT = "\ufffd"
_LATIN_1_LETTERS = range(0xC0, 0x100)


def decode(data: bytes, *, is_final: bool = True) -> tuple[str, bytes]:
    """Return the characters of UTF-8 text, and the beginning of one that is not complete yet.

    A byte alone that is a letter in Latin-1 is that letter: a terminal that speaks Latin-1 sends
    it. Anything else that is no UTF-8 is U+FFFD.
    """
    parts: list[str] = []
    while data:
        try:
            parts.append(data.decode())
            break
        except UnicodeDecodeError as error:
            parts.append(data[: error.start].decode())
            broken, data = data[error.start : error.end], data[error.end :]
            if not data and not is_final and _may_go_on(broken):
                return "".join(parts), broken
            parts.append(_substitute(broken))
    return "".join(parts), b""


def _may_go_on(broken: bytes) -> bool:
    """Whether more bytes could make a character of it (RFC 3629, 4)."""
    return 0xC2 <= broken[0] <= 0xF4


def _substitute(broken: bytes) -> str:
    if len(broken) == 1 and broken[0] in _LATIN_1_LETTERS:
        return chr(broken[0])
    return REPLACEMENT
