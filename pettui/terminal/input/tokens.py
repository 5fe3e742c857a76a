"""The tokens of a terminal's input."""

from __future__ import annotations

from enum import Enum

ESCAPE = "\x1b"


class TokenKind(Enum):
    """What a token is."""

    TEXT = "characters as they were typed"
    SEQUENCE = "a key's control sequence"
    MOUSE = "a mouse report, in the form of SGR (mode 1006)"
    PASTE = "a whole bracketed paste"
    PASTE_REFUSED = "the size of a paste that is too long, and the maximum, in bytes"
    MODE_REPORT = "the terminal's report of a mode (DECRPM)"


Token = tuple[TokenKind, str]
