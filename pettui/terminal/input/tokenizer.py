"""Tokenizer: bytes from a terminal → text, keys, mouse and pastes; nothing else gets through.

Terminals respond to queries with strings (OSC, DCS) and reports, sometimes late, which a parser of
keys would take for typing. A client may also send anything: unfinished input is bounded here, in
bytes and, by ``patience``, in time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pettui.terminal.input.input_decoding import decode
from pettui.terminal.input.pastes import START, Paste
from pettui.terminal.input.sequence_parser import UNFINISHED_SS3, control_sequence, single_shift
from pettui.terminal.input.tokens import ESCAPE, TokenKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pettui.terminal.input.tokens import Token

STRING_MAXIMUM = 1_000_000  # bytes of a string; it is skipped, not kept
KEY_PATIENCE = 0.1  # seconds, after which an ESC was the key, and not the start of a sequence
STRING_PATIENCE = 1.0  # seconds without a byte, after which a string is given up
PASTE_PATIENCE = 5.0  # the same of a paste; its rest would be typed as keys, Enter among them
PASTE_MAXIMUM = 100_000  # bytes of a paste; a longer one is refused
# OSC with a number or a title, DCS, APC; no terminal responds with SOS or PM.
_STRING_START = re.compile(rb"\x1b(?:\][0-9lLI]|P[0-9;>=!|$+]|_[A-Z]|[X^][0-9;])")
# Any other control is typed: the end of the string was lost.
_STRING_END = re.compile(
    rb"\x07|\x1b\\|\xc2\x9c|\x18|\x1a|(?=\x1b[^\\])|(?=[\x00-\x06\x08-\x17\x19\x1c-\x1f\x7f])"
)


class Tokenizer:
    """Splits one terminal's input into tokens."""

    def __init__(
        self, *, key_patience: float = KEY_PATIENCE, paste_maximum: int = PASTE_MAXIMUM
    ) -> None:
        """Start without input.

        Args:
            key_patience: seconds, after which an ESC was the key.
            paste_maximum: bytes of a paste; a longer one is refused.
        """
        self._key_patience = key_patience
        self._paste_maximum = paste_maximum
        self._rest = b""  # unfinished input
        self._paste: Paste | None = None
        self._string = 0  # bytes of a string that has not ended; 0 outside of one

    @property
    def patience(self) -> float | None:
        """The seconds after which to call ``time_out``; None where nothing is unfinished."""
        if self._paste is not None:
            return STRING_PATIENCE if self._paste.ends_in_keys else PASTE_PATIENCE
        if self._string:
            return STRING_PATIENCE
        return self._key_patience if self._rest else None

    def feed(self, data: bytes) -> Iterator[Token]:
        """Yield the tokens that are complete now."""
        self._rest += data
        while self._rest:
            before = self._rest, self._string
            token = self._next()
            if token is not None:
                yield token
            elif before == (self._rest, self._string):
                return

    def time_out(self) -> Iterator[Token]:
        """Yield the unfinished input as what was typed, since nothing followed it."""
        rest, self._rest = self._rest, b""
        paste, self._paste = self._paste, None
        was_string, self._string = bool(self._string), 0
        if paste is not None:
            keys = paste.give_up()
            if paste.size:
                yield _pasted(paste)
            yield from self.feed(keys)
            if self._rest == b"\x1b":
                yield from self.time_out()
        elif not was_string or rest == b"\x1b":
            yield from self._unfinished(rest)

    def _unfinished(self, rest: bytes) -> Iterator[Token]:
        """Yield the start of a sequence as the keys that it turned out to be."""
        if rest == b"\x1b":
            yield TokenKind.SEQUENCE, ESCAPE
        elif len(rest) == 2 or UNFINISHED_SS3.match(rest):
            if rest[:1] == b"\x1b":
                yield TokenKind.SEQUENCE, ESCAPE
                rest = rest[1:]
            yield TokenKind.TEXT, decode(rest)[0]
        elif rest and rest[:1] != b"\x1b":
            yield TokenKind.TEXT, decode(rest)[0]

    def _next(self) -> Token | None:
        """Return the next token; None if the input is unfinished, or skipped."""
        if self._paste is not None:
            return self._in_paste(self._paste)
        if self._string:
            self._skip_string()
            return None
        if self._rest[0] != 0x1B:
            return self._text()
        if len(self._rest) == 1:
            return None
        return self._escape(self._rest[1])

    def _text(self) -> Token | None:
        data, escape, rest = self._rest.partition(b"\x1b")
        text, unfinished = decode(data, is_final=bool(escape))
        self._rest = unfinished + escape + rest
        return (TokenKind.TEXT, text) if text else None

    def _escape(self, following: int) -> Token | None:
        match chr(following):
            case "[":
                return self._sequence()
            case "O":
                return self._single_shift()
            case "]" | "P" | "X" | "^" | "_" if len(self._rest) < 3:
                return None  # it may be Esc and this character
            case "\t" | "\x7f" | "b" | "d" | "f":
                return TokenKind.SEQUENCE, self._take(2).decode()
        if _STRING_START.match(self._rest):
            self._take(2)
            self._string = 1
            return None
        return self._escape_key()

    def _escape_key(self) -> Token:
        """Return an ESC that starts no sequence: what follows is a key of its own, no chord."""
        self._take(1)
        return TokenKind.SEQUENCE, ESCAPE

    def _sequence(self) -> Token | None:
        taken = control_sequence(self._rest)
        if taken is None:
            return None
        token, self._rest = taken
        if token == (TokenKind.SEQUENCE, START.decode()):
            self._paste = Paste(self._paste_maximum)
            return None
        return token

    def _single_shift(self) -> Token | None:
        if UNFINISHED_SS3.match(self._rest):
            return None
        taken = single_shift(self._rest)
        if taken is None:
            return self._escape_key()
        token, self._rest = taken
        return token

    def _in_paste(self, paste: Paste) -> Token | None:
        following = paste.add(self._take(len(self._rest)))
        if following is None:
            return None
        self._rest, self._paste = following, None
        return _pasted(paste)

    def _skip_string(self) -> None:
        end = _STRING_END.search(self._rest)
        if end is not None:
            self._rest = self._rest[end.end() :]
            self._string = 0
            return
        held = 1 if self._rest[-1:] in (b"\x1b", b"\xc2") else 0
        self._string += len(self._rest) - held
        self._rest = self._rest[len(self._rest) - held :]
        if self._string > STRING_MAXIMUM:
            self._string = 0

    def _take(self, count: int) -> bytes:
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken


def _pasted(paste: Paste) -> Token:
    if paste.is_too_long:
        return TokenKind.PASTE_REFUSED, f"{paste.size} {paste.maximum}"
    return TokenKind.PASTE, paste.text()
