"""Typed or pasted bytes → characters, also from a terminal that does not send UTF-8."""

from __future__ import annotations

REPLACEMENT = "\ufffd"
_LATIN_1_LETTERS = range(0xC0, 0x100)


def decode(data: bytes, *, is_final: bool = True) -> tuple[str, bytes]:
    """Return the characters of UTF-8 text, and the bytes of an incomplete one at its end.

    A single byte that is a letter in Latin-1 becomes that letter: it comes from a terminal with
    that encoding. Anything else that is not UTF-8 becomes U+FFFD.
    """
    parts: list[str] = []
    while data:
        try:
            parts.append(data.decode())
            break
        except UnicodeDecodeError as error:
            parts.append(data[: error.start].decode())
            broken, data = data[error.start : error.end], data[error.end :]
            if not data and not is_final and _is_incomplete(broken):
                return "".join(parts), broken
            parts.append(_substitute(broken))
    return "".join(parts), b""


def _is_incomplete(broken: bytes) -> bool:
    """Whether more bytes could complete a character (RFC 3629, 4)."""
    return 0xC2 <= broken[0] <= 0xF4


def _substitute(broken: bytes) -> str:
    if len(broken) == 1 and broken[0] in _LATIN_1_LETTERS:
        return chr(broken[0])
    return REPLACEMENT
