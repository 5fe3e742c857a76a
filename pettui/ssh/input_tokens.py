"""Bytes from a terminal → what they are: text, keys, mouse, pastes; nothing else gets through.

Terminals answer questions with strings (OSC, DCS) and reports that a parser of keys would take for
typing. And whoever is at the other end may send anything: what is unfinished is bounded here.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ESCAPE = "\x1b"
SEQUENCE_MAXIMUM = 64  # characters of a control sequence
STRING_MAXIMUM = 1_000_000  # characters of a string, which are not kept
KEY_PATIENCE = 0.1  # seconds, after which an ESC was the key, and not the beginning of a sequence
STRING_PATIENCE = 3.0  # seconds without a byte, after which a paste or a string is given up
PASTE_MAXIMUM = 100_000  # characters of a paste that are kept; the rest is dropped
_PASTE_START, _PASTE_END = "\x1b[200~", "\x1b[201~"
_SEQUENCE = re.compile(r"\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]")
_UNFINISHED = re.compile(r"\x1b\[[\x30-\x3f]*[\x20-\x2f]*\Z")
_KEY = re.compile(r"\x1b\[(\[[A-E]|[0-9;:]{0,40}[~^$@uA-HPQSZa-d]|1;[0-9]{1,2}R|[IO])")
_MOUSE = re.compile(r"\x1b\[<[0-9]{1,4};-?[0-9]{1,5};-?[0-9]{1,5}[Mm]")
_PARAMETERS = "".join(map(chr, range(0x20, 0x40)))
_STRING_STARTS = "]PX^_"  # OSC, DCS, SOS, PM, APC
_STRING_END = re.compile("\x07|\x1b\\\\|\x9c|\x18|\x1a")
_SURROGATES = range(0xD800, 0xE000)


class Kind(Enum):
    """What a token is."""

    TEXT = "characters as they were typed"
    SEQUENCE = "a key's control sequence"
    MOUSE = "a mouse report (SGR, mode 1006)"
    ALT = "a character typed with alt"
    PASTE = "a bracketed paste, whole"


Token = tuple[Kind, str]


class InputTokens:
    """Cuts what one terminal sends into tokens."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""  # the beginning of a sequence
        self._paste: list[str] | None = None
        self._pasted = 0  # characters kept of it
        self._string = 0  # characters of a string that has not ended; 0 outside of one

    @property
    def patience(self) -> float | None:
        """Give the seconds after which to call ``time_out``; None where nothing waits for more."""
        if self._paste is not None or self._string:
            return STRING_PATIENCE
        return KEY_PATIENCE if self._rest else None

    def feed(self, data: bytes) -> Iterator[Token]:
        """Give the tokens that are complete now."""
        self._rest += self._decode(data)
        while self._rest:
            before = self._rest
            token = self._next()
            if token is not None:
                yield token
            elif self._rest == before:
                return

    def time_out(self) -> Iterator[Token]:
        """Give what was typed, now that nothing came after it for a while."""
        rest, self._rest = self._rest, ""
        if self._paste is not None:
            self._keep_pasted(rest)
            yield self._end_paste()
        elif rest == ESCAPE and not self._string:
            yield Kind.SEQUENCE, ESCAPE
        elif len(rest) == 2:
            yield Kind.ALT, rest[1]
        self._string = 0

    def _next(self) -> Token | None:
        """Take one token from the front; None where there is none, yet or at all."""
        if self._paste is not None:
            return self._in_paste()
        if self._string:
            return self._in_string()
        if not self._rest.startswith(ESCAPE):
            text, escape, rest = self._rest.partition(ESCAPE)
            self._rest = escape + rest
            return Kind.TEXT, text
        if len(self._rest) == 1:
            return None
        return self._escape(self._rest[1])

    def _escape(self, following: str) -> Token | None:
        if following == "[":
            return self._sequence()
        if following == "O":
            if len(self._rest) < 3:
                return None
            return Kind.SEQUENCE, self._take(3)
        if following in _STRING_STARTS:
            if len(self._rest) < 3:
                return None  # it may be alt and this character
            self._take(2)
            self._string = 1
            return self._in_string()
        if following == ESCAPE:
            return Kind.SEQUENCE, self._take(1)
        self._take(1)
        return Kind.ALT, self._take(1)

    def _sequence(self) -> Token | None:
        if self._rest.startswith("\x1b[M"):  # a mouse report of the old kind: not asked for
            if len(self._rest) > 5:
                self._take(6)
            return None
        if self._rest.startswith("\x1b[["):  # the Linux console's F1 to F5
            return (Kind.SEQUENCE, self._take(4)) if len(self._rest) > 3 else None
        match = _SEQUENCE.match(self._rest)
        if match is None:
            if not _UNFINISHED.match(self._rest):
                self._take(2)  # it is none; what was begun of it is no typing either
                self._rest = self._rest.lstrip(_PARAMETERS)
            elif len(self._rest) > SEQUENCE_MAXIMUM:
                self._rest = "\x1b[?"  # too long for a key: its end will not be taken for one
            return None
        sequence = self._take(match.end())
        if sequence == _PASTE_START:
            self._paste, self._pasted = [], 0
            return self._in_paste()
        if _MOUSE.fullmatch(sequence):
            return Kind.MOUSE, sequence
        if _KEY.fullmatch(sequence) and _is_of_characters(sequence):
            return Kind.SEQUENCE, sequence
        return None

    def _in_paste(self) -> Token | None:
        text, end, rest = self._rest.partition(_PASTE_END)
        if end:
            self._keep_pasted(text)
            self._rest = rest
            return self._end_paste()
        held = text.rfind(ESCAPE, max(len(text) - len(_PASTE_END) + 1, 0))
        kept = len(text) if held < 0 else held
        self._keep_pasted(text[:kept])
        self._rest = text[kept:]
        return None

    def _keep_pasted(self, text: str) -> None:
        room = PASTE_MAXIMUM - self._pasted
        if self._paste is not None and room > 0 and text:
            self._paste.append(text[:room])
            self._pasted += len(text[:room])

    def _end_paste(self) -> Token:
        text = "".join(self._paste or ())
        self._paste = None
        return Kind.PASTE, text.replace("\x00", "")

    def _in_string(self) -> Token | None:
        end = _STRING_END.search(self._rest)
        if end is not None:
            self._rest = self._rest[end.end() :]
            self._string = 0
            return None
        held = 1 if self._rest.endswith(ESCAPE) else 0
        self._string += len(self._rest) - held
        self._rest = self._rest[len(self._rest) - held :]
        if self._string > STRING_MAXIMUM:
            self._string = 0
        return None

    def _take(self, count: int) -> str:
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken


def _is_of_characters(sequence: str) -> bool:
    """Say whether every number could be a character's: others raise in parsers."""
    numbers = [int(number) for number in re.findall(r"[0-9]{1,9}", sequence)]
    return all(number <= 0x10FFFF and number not in _SURROGATES for number in numbers)
