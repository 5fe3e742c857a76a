"""What a terminal's bytes are cut into."""

from __future__ import annotations

from enum import Enum

ESCAPE = "\x1b"


class TokenKind(Enum):
    """What a token is."""

    TEXT = "characters as they were typed"
    SEQUENCE = "a key's control sequence"
    MOUSE = "a mouse report, in the form of SGR (mode 1006)"
    PASTE = "a bracketed paste, whole"
    PASTE_REFUSED = "the size of one that is too long, and the most that is taken, in bytes"
    MODE_REPORT = "what the terminal says of a mode (DECRPM)"


Token = tuple[TokenKind, str]
