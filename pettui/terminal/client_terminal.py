"""ClientTerminal: a client's terminal, parsed from its requests: type, size, colours, characters.

The server's own environment is not used.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pettui.system.capabilities import PLAIN, colours_of, erases, glyphs_of, has_latin_1, is_console

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.system.capabilities import Colours, Glyphs

WIDTH_MAXIMUM, HEIGHT_MAXIMUM = 400, 150
UNKNOWN_SIZE = (80, 24)  # for a client that sends 0
ENVIRONMENT = re.compile(r"TERM|COLORTERM|LANG|LC_[A-Z]{1,20}|NO_COLOR|TZ")
"""The names that a client may set; everything else is dropped."""

# Read by Textual and Rich, but these describe the server's terminal, not the clients'.
_OWN = (
    "NO_COLOR", "FORCE_COLOR", "COLORTERM", "TERM", "TERM_PROGRAM", "LC_TERMINAL", "COLUMNS",
    "LINES", "ESCDELAY", "JUPYTER_COLUMNS", "JUPYTER_LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE",
)  # fmt: skip
_ZONE = re.compile(
    r":?(?!localtime|posixrules)([A-Za-z0-9_+-]{1,40}(?:/[A-Za-z0-9_+-]{1,40}){0,2})"
)
_KIND = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,40}")


@dataclass(frozen=True, slots=True)
class ClientTerminal:
    """The terminal at the other end of a channel."""

    kind: str  # TERM, as the client sent it; "" without a pseudo-terminal
    size: tuple[int, int]  # columns and rows, clamped to what can be drawn
    colours: Colours
    glyphs: Glyphs
    has_latin_1: bool = False
    zone: ZoneInfo | None = None  # of its times, if it said so

    @property
    def can_draw(self) -> bool:
        """Whether screens can be drawn on it."""
        return self.kind not in PLAIN

    @property
    def characters(self) -> tuple[Glyphs, bool]:
        """The characters that an app is created for."""
        return self.glyphs, self.has_latin_1

    @property
    def picture(self) -> tuple[tuple[int, int], Colours]:
        """The size and colours that a screen is drawn for."""
        return self.size, self.colours

    @property
    def look(self) -> tuple[object, ...]:
        """Everything that the output for it depends on."""
        return *self.picture, *self.characters, self.erases

    @property
    def erases(self) -> bool:
        """Whether it supports bce, ech and hpa of terminfo(5)."""
        return erases(self.kind)

    @property
    def is_console(self) -> bool:
        """Whether it is Linux's console."""
        return is_console(self.kind)


def forget_own_terminal() -> None:
    """Remove what the environment of this process says about the server's own terminal."""
    for name in _OWN:
        os.environ.pop(name, None)


def clamped(columns: int, rows: int) -> tuple[int, int]:
    """Return a size that can be drawn, since clients send any from 0 to 4,294,967,295."""
    columns = columns or UNKNOWN_SIZE[0]
    rows = rows or UNKNOWN_SIZE[1]
    return min(columns, WIDTH_MAXIMUM), min(rows, HEIGHT_MAXIMUM)


def client_terminal(
    kind: str | None, size: tuple[int, int], environment: Mapping[str, str]
) -> ClientTerminal:
    """Return the terminal that a client described.

    Args:
        kind: TERM of the request for a pseudo-terminal (RFC 4254, 6.2); None without one.
        size: columns and rows, as sent.
        environment: the variables that it set (RFC 4254, 6.4).
    """
    kind = kind if kind is not None and _KIND.fullmatch(kind) else ""
    return ClientTerminal(
        kind,
        clamped(*size),
        colours_of(kind, environment),
        glyphs_of(kind, environment),
        has_latin_1(kind, environment),
        zone_named(environment.get("TZ", "")),
    )


def zone_named(text: str) -> ZoneInfo | None:
    """Return the zone of TZ; None for rules (``CET-1CEST``), files, and what is not known here."""
    found = _ZONE.fullmatch(text)
    if found is None:
        return None
    try:
        return ZoneInfo(found[1])
    except (KeyError, ValueError, OSError):  # not found; no zone in the file; a folder of zones
        return None
