"""What a client says of its terminal, parsed once: kind, size, colours, characters.

Nothing of the server's own environment is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pettui.settings import Glyphs

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTH_MAXIMUM, HEIGHT_MAXIMUM = 400, 150
UNKNOWN_SIZE = (80, 24)  # of a client that says 0
UNABLE = ("", "dumb", "unknown")
ENVIRONMENT = re.compile(r"TERM|COLORTERM|LANG|LC_[A-Z]{1,20}|NO_COLOR")
"""The names that a client may set; everything else is dropped."""

_KIND = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,40}")
_WITHOUT_COLOUR = re.compile(r"(vt[0-9]|.*-(m|mono)$)")
_SIXTEEN = re.compile(r"(linux|ansi|cygwin|pcansi|cons25|sun|xterm-(16)?color$|rxvt$|screen$)")
# Of screen and of old hardware terminals neither is sure, nor of tmux through all its versions.
_ERASING = re.compile(
    r"(xterm|rxvt|alacritty|foot|kitty|konsole|gnome|vte|wezterm|ghostty|contour|st-|putty|mintty"
    r"|iterm|linux$)"
)
_TRUECOLOUR = re.compile(r".*(-direct|truecolor)")
# Terminals whose fonts hold little more than ASCII, whatever the locale says.
_ASCII_FONT = re.compile(r"(linux|vt[0-9]|cons25|sun|ansi|pcansi)")


class Colours(Enum):
    """How many colours a terminal shows."""

    TRUE = "truecolor"
    MANY = "256"
    SIXTEEN = "16"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ClientTerminal:
    """The terminal at the other end of a channel."""

    kind: str  # TERM, as the client sent it; "" without a pseudo-terminal
    size: tuple[int, int]  # columns and rows, clamped to what can be drawn
    colours: Colours
    glyphs: Glyphs

    @property
    def can_draw(self) -> bool:
        """Say whether screens can be drawn on it."""
        return self.kind not in UNABLE

    @property
    def settings(self) -> tuple[Glyphs, bool]:
        """Give what an app is made for: its characters, and whether it has many colours."""
        return self.glyphs, self.colours in (Colours.TRUE, Colours.MANY)

    @property
    def picture(self) -> tuple[tuple[int, int], Colours]:
        """Give what a screen is drawn for."""
        return self.size, self.colours

    @property
    def erases(self) -> bool:
        """Say whether it erases with its pen's ground, and goes to a column (bce, ech, hpa)."""
        return _ERASING.match(self.kind.lower()) is not None


def clamped(columns: int, rows: int) -> tuple[int, int]:
    """Give a size that can be drawn: clients send 0, and 4,294,967,295."""
    columns = columns or UNKNOWN_SIZE[0]
    rows = rows or UNKNOWN_SIZE[1]
    return min(columns, WIDTH_MAXIMUM), min(rows, HEIGHT_MAXIMUM)


def client_terminal(
    kind: str | None, size: tuple[int, int], environment: Mapping[str, str]
) -> ClientTerminal:
    """Read what a client sent.

    Args:
        kind: TERM of the request for a pseudo-terminal (RFC 4254, 6.2); None without one.
        size: columns and rows, as sent.
        environment: the variables that it set (RFC 4254, 6.4).
    """
    kind = kind if kind is not None and _KIND.fullmatch(kind) else ""
    return ClientTerminal(
        kind, clamped(*size), _colours(kind, environment), _glyphs(kind, environment)
    )


def _colours(kind: str, environment: Mapping[str, str]) -> Colours:
    """Give what the client claims; OpenSSH sends no COLORTERM unless told, and then it is 256."""
    if environment.get("NO_COLOR") or _WITHOUT_COLOUR.match(kind):
        return Colours.NONE
    if environment.get("COLORTERM", "") in ("truecolor", "24bit") or _TRUECOLOUR.match(kind):
        return Colours.TRUE
    return Colours.SIXTEEN if _SIXTEEN.match(kind) else Colours.MANY


def _glyphs(kind: str, environment: Mapping[str, str]) -> Glyphs:
    """Give Unicode unless the client's locale says otherwise; one that says nothing has it."""
    names = (environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "C.UTF-8")
    is_utf8 = locale.casefold().replace("-", "").partition("@")[0].endswith("utf8")
    return Glyphs.UNICODE if is_utf8 and not _ASCII_FONT.match(kind) else Glyphs.ASCII
