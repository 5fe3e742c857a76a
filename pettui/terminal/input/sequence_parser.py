"""Sequences that start with CSI or SS3 → tokens, from the start of the input (ECMA-48, 5.4)."""

from __future__ import annotations

import re

from pettui.terminal.input.mouse_reports import urxvt_report, x10_report
from pettui.terminal.input.tokens import Token, TokenKind

SEQUENCE_MAXIMUM = 64  # bytes
_TOO_LONG = b"\x1b[?"  # replaces the start of a sequence, so that its end is not taken for a key
# Some terminals report a mouse left of the window, with a minus.
_SEQUENCE = re.compile(rb"\x1b\[(?:[0-9]{1,2}\$|<[0-9;-]*[Mm]|[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e])")
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
    if data.startswith(b"\x1b[M"):
        return _x10(data)
    if data.startswith(b"\x1b[["):
        return _console_key(data)
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
    if (mouse := urxvt_report(sequence)) is not None:
        return TokenKind.MOUSE, mouse
    found = (kind for pattern, kind in _KINDS if pattern.fullmatch(sequence))
    kind = next(found, None)
    return None if kind is None else (kind, sequence.decode())


def _x10(data: bytes) -> Taken | None:
    report = x10_report(data[3:])
    if report is None:
        return None
    length, text = report
    return (TokenKind.MOUSE, text), data[3 + length :]


def _console_key(data: bytes) -> Taken | None:
    """Parse F1 to F5 of the Linux console."""
    if len(data) < 4:
        return None
    if data[3] in b"ABCDE":
        return (TokenKind.SEQUENCE, data[:4].decode()), data[4:]
    return None, data[3:]
