"""Tokenizer: bytes from a terminal → text, keys, mouse and pastes; nothing else gets through.

Terminals respond to queries with strings (OSC, DCS) and reports, sometimes late, which a parser of
keys would take for typing. A client may also send anything: unfinished input is bounded here, in
bytes and, by ``patience``, in time.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from textual import events

if TYPE_CHECKING:
    from collections.abc import Iterator


ESCAPE = "\x1b"


class TokenKind(Enum):
    """What a token is."""

    TEXT = "characters as they were typed"
    SEQUENCE = "a key's control sequence, or ESC and one character"
    MOUSE = "a mouse report, in the form of SGR (mode 1006)"
    PASTE = "a whole bracketed paste"
    PASTE_REFUSED = "the size of a paste that is too long, and the maximum, in bytes"
    MODE_REPORT = "the terminal's report of a mode (DECRPM)"


Token = tuple[TokenKind, str]


STRING_MAXIMUM = 1_000_000  # bytes of a string; it is skipped, not kept
KEY_PATIENCE = 0.1  # seconds, after which an ESC was the key, and not the start of a sequence
CHARACTER_PATIENCE = 0.5  # seconds without the next byte, after which a character is given up
STRING_PATIENCE = 1.0  # seconds without a byte, after which a string is given up
PASTE_PATIENCE = 5.0  # the same of a paste; its rest would be typed as keys, Enter among them
PASTE_MAXIMUM = 100_000  # bytes of a paste; a longer one is refused
TERMINAL_PASTE_MAXIMUM = 4_000_000  # the same, where it goes to one user's program alone
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
        if not self._rest:
            return None
        is_in_character = self._rest.removeprefix(b"\x1b")[:1] >= b"\x80"
        return max(self._key_patience, CHARACTER_PATIENCE if is_in_character else 0.0)

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
        elif rest[:1] != b"\x1b":
            if rest:
                yield TokenKind.TEXT, decode(rest)[0]
        elif len(rest) == 2 or rest[1:2] != b"[":
            text = decode(rest[1:])[0]
            yield TokenKind.SEQUENCE, ESCAPE + text[0]
            if text[1:]:
                yield TokenKind.TEXT, text[1:]

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
            case "\x1b":
                return TokenKind.SEQUENCE, self._consume(1).decode()
        if _STRING_START.match(self._rest):
            self._consume(2)
            self._string = 1
            return None
        return self._escaped()

    def _escaped(self) -> Token | None:
        """Return an ESC with the character after it: Alt and a key, or Esc and then a key."""
        size = 1 + _character_size(self._rest[1])
        character, unfinished = decode(self._rest[1:size], is_final=False)
        if unfinished:
            return None
        if len(character) > 1:  # no UTF-8
            size, character = 1, ""
        self._consume(size)
        return TokenKind.SEQUENCE, ESCAPE + character

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
            return self._escaped()
        token, self._rest = taken
        return token

    def _in_paste(self, paste: Paste) -> Token | None:
        following = paste.add(self._consume(len(self._rest)))
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

    def _consume(self, count: int) -> bytes:
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken


def is_key(data: bytes) -> bool:
    """Whether input is one key, and nothing else."""
    match [*Tokenizer().feed(data)]:
        case [(TokenKind.TEXT, text)]:
            return len(text) == 1
        case [(TokenKind.SEQUENCE, _)]:
            return True
    return data == ESCAPE.encode()


def _pasted(paste: Paste) -> Token:
    if paste.is_too_long:
        return TokenKind.PASTE_REFUSED, f"{paste.size} {paste.maximum}"
    return TokenKind.PASTE, paste.text()


# Sequences that start with CSI or SS3, from the start of the input (ECMA-48, 5.4).

SEQUENCE_MAXIMUM = 64  # bytes
X10_LENGTH = 6  # bytes, of which the last three are not typed
_TOO_LONG = b"\x1b[?"  # replaces the start of a sequence, so that its end is not taken for a key
# Some terminals report a mouse left of the window, with a minus.
_SEQUENCE = re.compile(rb"\x1b\[(?:[0-9]{1,2}\$|<[0-9;-]*[Mm]|[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e])")
_NO_SEQUENCE = re.compile(rb"\x1b\[[\x00-\x1f\x7f]")  # another key follows
_UNFINISHED = re.compile(rb"\x1b\[(?:<[0-9;-]*|[\x30-\x3f]*[\x20-\x2f]*)\Z")
# No ``R``: it ends a cursor position report.
_KEY = re.compile(rb"\x1b\[(?:[0-9;:]*[~^@uA-HPQSZa-d]|[0-9]{1,2}\$|[IO])")
_MOUSE = re.compile(rb"\x1b\[<[0-9;-]*[Mm]")
_MODE_REPORT = re.compile(rb"\x1b\[\?[0-9]+;[0-9]+\$y")
_KINDS = (
    (_MOUSE, TokenKind.MOUSE), (_KEY, TokenKind.SEQUENCE), (_MODE_REPORT, TokenKind.MODE_REPORT),
)  # fmt: skip
_PARAMETERS = bytes(range(0x20, 0x40))
_SS3 = re.compile(rb"\x1bO([0-9;]{0,5})([A-FHMPQRSa-dj-km-y])")
UNFINISHED_SS3 = re.compile(rb"\x1bO[0-9;]{0,5}\Z")

Taken = tuple[Token | None, bytes]  # the token, if it is one, and what follows the sequence


def control_sequence(data: bytes) -> Taken | None:
    """Parse a control sequence; None if more bytes are needed."""
    if data.startswith(b"\x1b[M"):  # X10's mouse report, of a terminal without SGR's
        return (None, data[X10_LENGTH:]) if len(data) >= X10_LENGTH else None
    if data.startswith(b"\x1b[["):
        return _console_key(data)
    if _NO_SEQUENCE.match(data):
        return (TokenKind.SEQUENCE, "\x1b["), data[2:]
    match = _SEQUENCE.match(data)
    if match is not None:
        return _token(match[0]), data[match.end() :]
    if not _UNFINISHED.match(data):
        # It is no sequence, but its start was not typed as text either.
        return None, data[2:].lstrip(_PARAMETERS)
    return (None, _TOO_LONG) if len(data) > SEQUENCE_MAXIMUM else None


def single_shift(data: bytes) -> Taken | None:
    """Parse a key that starts with SS3; None if it is none.

    Old terminals put modifiers before its letter; the token has the form that others send.
    """
    match = _SS3.match(data)
    if match is None:
        return None
    modifiers, letter = match[1].rpartition(b";")[2].decode(), match[2].decode()
    sequence = f"\x1b[1;{modifiers}{letter}" if modifiers else f"\x1bO{letter}"
    return (TokenKind.SEQUENCE, sequence), data[match.end() :]


def _token(sequence: bytes) -> Token | None:
    """Return the token of a complete control sequence; None for a report or an unknown one."""
    found = (kind for pattern, kind in _KINDS if pattern.fullmatch(sequence))
    kind = next(found, None)
    return None if kind is None else (kind, sequence.decode())


def _console_key(data: bytes) -> Taken | None:
    """Parse F1 to F5 of the Linux console."""
    if len(data) < 4:
        return None
    if data[3] in b"ABCDE":
        return (TokenKind.SEQUENCE, data[:4].decode()), data[4:]
    return None, data[3:]


# A bracketed paste (mode 2004): bounded in size, and kept apart from keys if its end is lost.

START, END = b"\x1b[200~", b"\x1b[201~"
KEYS_MAXIMUM = 64  # bytes at the end of an unfinished paste that are searched for keys
# Keys that no text contains: controls except tab and line ends, arrows, function keys.
_KEYS_AT_END = re.compile(
    rb"(?:[\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]|\x1b\[(?!200~)[0-9;]*[A-HPQSZu~]|\x1bO[A-Z]|\x1b)+\Z"
)


class PasteRefused(events.Paste):
    """A paste was too long, and none of it was accepted.

    Attributes:
        size: in bytes.
        maximum: the largest paste that is accepted, in bytes.
    """

    def __init__(self, size: int, maximum: int) -> None:
        super().__init__("")
        self.size = size
        self.maximum = maximum


class Paste:
    """What was pasted so far; at most ``maximum`` bytes are kept."""

    def __init__(self, maximum: int) -> None:
        """Start an empty paste; the maximum is in bytes."""
        self.maximum = maximum
        self._content = bytearray()
        self._dropped = 0  # bytes

    @property
    def size(self) -> int:
        """Its size in bytes, including those that were dropped."""
        return len(self._content) + self._dropped

    @property
    def is_too_long(self) -> bool:
        """Whether it is longer than its maximum, and so refused as a whole."""
        return self.size > self.maximum

    @property
    def ends_in_keys(self) -> bool:
        """Whether the user already types, waiting for a paste whose end was lost."""
        return self._keys_at_end() is not None

    def add(self, data: bytes) -> bytes | None:
        """Add data; return what follows the end of the paste, or None if it has not ended.

        An end marker that is split between two reads is found as well.
        """
        searched_from = max(len(self._content) - len(END) + 1, 0)
        self._content += data
        end = self._content.find(END, searched_from)
        if end < 0:
            tail = max(self.maximum, len(self._content) - len(END) + 1)
            self._dropped += tail - self.maximum
            del self._content[self.maximum : tail]
            return None
        following = bytes(self._content[end + len(END) :])
        del self._content[end:]
        return following

    def text(self) -> str:
        """Return the text, without NUL."""
        return decode(bytes(self._content))[0].replace("\x00", "")

    def give_up(self) -> bytes:
        """End an unfinished paste, and return the keys that were typed after it."""
        match = self._keys_at_end()
        if match is None:
            return b""
        keys = bytes(match[0])
        del self._content[match.start() :]
        return keys

    def _keys_at_end(self) -> re.Match[bytes] | None:
        return _KEYS_AT_END.search(self._content, max(len(self._content) - KEYS_MAXIMUM, 0))


# Typed or pasted bytes → characters, also from a terminal that does not send UTF-8.

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


def _character_size(first: int) -> int:
    """Return the bytes of a character that begins with this one (RFC 3629, 4)."""
    return 1 + sum(first >= least for least in (0xC2, 0xE0, 0xF0)) if first <= 0xF4 else 1


def _is_incomplete(broken: bytes) -> bool:
    """Whether more bytes could complete a character (RFC 3629, 4)."""
    return 0xC2 <= broken[0] <= 0xF4


def _substitute(broken: bytes) -> str:
    if len(broken) == 1 and broken[0] in _LATIN_1_LETTERS:
        return chr(broken[0])
    return REPLACEMENT
