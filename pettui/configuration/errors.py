"""ConfigurationError: a setting cannot be used, and why, in one line that shows no API key.

A key may have been pasted where a name or a colour belongs. Nothing distinguishes it from other
text for certain, so only what people write by hand is shown: words and short numbers, with signs
between them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.settings.settings import SHORTEST_KEY
from pettui.system.extras import why_missing

if TYPE_CHECKING:
    from collections.abc import Iterable

LISTED_MAXIMUM = 20  # names, in one line
NAME_MAXIMUM = 60  # characters of a name that are compared with others
SIMILAR = 0.75  # of 1: a slip in a short name, two in a long one
SHOWN_MAXIMUM = 300  # characters of a value, which may be a path; the rest is an ellipsis
HIDDEN = "***"
LARGEST_SHOWN = 10**SHORTEST_KEY  # of a number
_WORD = r"(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15})[0-9]{0,3}"
_NUMBER = r"(?:[0-9]{1,3}(?![0-9])|(?<=:)[0-9]{1,5})"  # or a port
_SIGNS = r"[^A-Za-z0-9]"
_BY_HAND = rf"{_SIGNS}*+(?:(?:{_WORD}|{_NUMBER})(?:{_SIGNS}++(?:{_WORD}|{_NUMBER}))*+{_SIGNS}*+)?"


class ConfigurationError(Exception):
    """A setting that cannot be used: its name, its value unless that is secret, the remedy.

    ``str()`` is one line, not yet safe to draw: a value may contain anything.
    """

    def __init__(self, setting: str, reason: str, *, value: object = None) -> None:
        """Name a setting as the user writes it, and say what would be right.

        Args:
            setting: ``--limit``, ``PETTUI_BASE_URL``, ``config.toml: profiles.shop.colour`` …
            reason: "must be a whole number from 1 to 100".
            value: what was set, or None. It is not shown if it may be a key.
        """
        super().__init__(setting, reason)
        self.setting = setting
        self.reason = reason
        self.value = value

    def __str__(self) -> str:
        shown = shown_value(self.value)
        if shown is None:
            return f"{self.setting}: {self.reason}"
        if len(shown) > SHOWN_MAXIMUM:
            shown = f"{shown[:SHOWN_MAXIMUM]}…"
        return f"{self.setting} {shown}: {self.reason}"


class MissingKeyError(ConfigurationError):
    """There is no API key where a setting says that it is; in the app it can be typed."""


def no_such(name: str, possible: Iterable[str], what: str) -> str:
    """Return the reason for refusing an unknown name, with the possible one probably meant.

    The possible names are shown as they are: those that a user chose go through ``shown_name``.
    """
    known = sorted(possible)
    if (near := nearest(name, known)) is not None:
        return f"unknown {what}; did you mean {near}?"
    if len(known) > LISTED_MAXIMUM:
        return f"unknown {what}; the documentation lists them"
    return f"unknown {what}; known: {', '.join(known) or 'none'}"


def nearest(name: str, possible: Iterable[str]) -> str | None:
    """Return the possible name that a name was meant to be; None where none is similar."""
    from difflib import get_close_matches  # noqa: PLC0415 - only an error needs it

    typed = name.strip("-").casefold()[:NAME_MAXIMUM]
    known = {each.strip("-").casefold(): each for each in possible}
    begun = [each for each in known if len(typed) > 2 and each.startswith(typed)]
    near = get_close_matches(typed, known, 1, SIMILAR) or (begun if len(begun) == 1 else ())
    return known[near[0]] if near else None


def may_hold_key(text: str) -> bool:
    """Whether a text contains a word of visible ASCII that nobody would write by hand."""
    words = re.findall(rf"[!-~]{{{SHORTEST_KEY},}}", text)
    return any(re.fullmatch(_BY_HAND, word) is None for word in words)


def shown_name(name: str) -> str:
    """Return a name as an error may show it: ``***`` for what may be a key."""
    return HIDDEN if may_hold_key(name) else name


def shown_value(value: object) -> str | None:
    """Return a value as an error may show it; None where it may be a key.

    A ``Path`` is known to exist, so it is not a key in a wrong place.
    """
    if isinstance(value, Path):
        return repr(str(value))
    if isinstance(value, str):
        return None if may_hold_key(value) else repr(value)
    is_short = isinstance(value, int | float) and abs(value) < LARGEST_SHOWN
    return repr(value) if is_short else None


def require_extras(command: str, extras: Iterable[str]) -> None:
    """Check that the modules of some extras are installed.

    Raises:
        ConfigurationError: some are not; it says which extras have them.
    """
    if reason := why_missing(extras):
        raise ConfigurationError(command, reason)
