"""What a terminal can show, by TERM and its user's environment.

The same for a terminal of this machine and for one over SSH.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MONOCHROME: Final = re.compile(r"(vt[0-9]|.*-(m|mono)$)")
_TRUE_COLOUR: Final = re.compile(r".*(-direct|truecolor)|xterm-kitty|xterm-ghostty")
# xterm without a suffix is counted here, as terminfo does; Debian's xterm calls itself that.
_SIXTEEN: Final = re.compile(
    r"((xterm|rxvt|screen)(-(16)?color)?$|linux|ansi|cygwin|pcansi|cons25|sun)"
)
# Hardware terminals and the like: ASCII only, whatever the locale says.
_ASCII_FONT: Final = re.compile(r"(vt[0-9]|cons25|sun|ansi|pcansi)")
# The Linux console: its font has 256 or 512 characters, including Latin-1, but no "◐" or "…".
_LATIN_1_FONT: Final = re.compile(r"linux(-|$)")
# Neither is certain of screen, old hardware terminals, or all versions of tmux.
_ERASING: Final = re.compile(
    r"(xterm|rxvt|alacritty|foot|kitty|konsole|gnome|vte|wezterm|ghostty|contour|st-|putty|mintty"
    r"|iterm|linux$)"
)
# Types (TERM) of terminals on which no screen can be drawn.
PLAIN: Final = ("", "dumb", "unknown")
# What Python sets LC_CTYPE to if the locale is C, or is not installed (PEP 538).
_COERCED: Final = frozenset(("C.UTF-8", "C.utf8", "UTF-8"))

CLIPBOARD_MAXIMUM: Final = 74_994
"""Bytes. In base64, framed by OSC 52, they are the 100,000 bytes that terminals accept."""


class Glyphs(Enum):
    """Which characters the screens are drawn with."""

    UNICODE = "unicode"
    ASCII = "ascii"


class Colours(Enum):
    """How many colours a terminal shows."""

    TRUE = "truecolor"
    MANY = "256"
    SIXTEEN = "16"
    NONE = "none"


def colours_of(kind: str, environment: Mapping[str, str]) -> Colours:
    """Return how many colours a terminal shows.

    Args:
        kind: TERM; "" on a system without it.
        environment: NO_COLOR (unless empty) and COLORTERM are read.
    """
    kind = kind.lower()
    if environment.get("NO_COLOR") or _MONOCHROME.match(kind):
        return Colours.NONE
    is_true = environment.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit")
    if is_true or not kind or _TRUE_COLOUR.match(kind):
        return Colours.TRUE
    return Colours.SIXTEEN if _SIXTEEN.match(kind) else Colours.MANY


def glyphs_of(kind: str, environment: Mapping[str, str]) -> Glyphs:
    """Return the glyphs to draw with: Unicode, unless the terminal or its locale lacks it.

    Args:
        kind: TERM.
        environment: LC_ALL, LC_CTYPE and LANG are read, in this order.
    """
    is_ascii_font = _ASCII_FONT.match(kind) or _LATIN_1_FONT.match(kind)
    return Glyphs.UNICODE if _has_utf8(environment) and not is_ascii_font else Glyphs.ASCII


def has_latin_1(kind: str, environment: Mapping[str, str]) -> bool:
    """Whether a terminal with ASCII glyphs also draws Latin-1; arguments as of ``glyphs_of``."""
    return _has_utf8(environment) and _LATIN_1_FONT.match(kind) is not None


def _has_utf8(environment: Mapping[str, str]) -> bool:
    """Whether the locale for characters has UTF-8; it has if none is set."""
    everything, characters, usual = (
        environment.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")
    )
    if characters in _COERCED and usual and not _is_utf8(usual):
        characters = ""  # Python has set it
    return _is_utf8(everything or characters or usual or "C.UTF-8")


def _is_utf8(locale: str) -> bool:
    return locale.casefold().replace("-", "").partition("@")[0].endswith("utf8")


def erases(kind: str) -> bool:
    """Whether a terminal erases with the background, and can move to a column (bce, ech, hpa).

    Args:
        kind: TERM.
    """
    return _ERASING.match(kind.lower()) is not None


def is_console(kind: str) -> bool:
    """Whether a terminal is Linux's console, whose Shift and Tab sends Esc and Tab.

    Args:
        kind: TERM.
    """
    return kind.partition("-")[0] == "linux"
