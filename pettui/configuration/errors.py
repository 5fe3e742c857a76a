"""ConfigurationError: what a user set cannot be used, told in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LISTED_MAXIMUM = 20  # names, in one line
SHOWN_MAXIMUM = 300  # characters of a value, which may be a path; the rest is an ellipsis


class ConfigurationError(Exception):
    """A setting that cannot be used: its name, its value unless that is secret, the remedy.

    ``str()`` is one line, not yet made safe to draw: a value may hold anything.
    """

    def __init__(self, setting: str, reason: str, *, value: object = None) -> None:
        """Take the setting as the user writes it, and what would be right.

        Args:
            setting: ``--limit``, ``PETTUI_BASE_URL``, ``config.toml: profiles.shop.colour`` …
            reason: "must be a whole number from 1 to 100".
            value: what was set; None where there is none, or where it may be a secret.
        """
        super().__init__(setting, reason)
        self.setting = setting
        self.reason = reason
        self.value = value

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.setting}: {self.reason}"
        return f"{self.setting} {_shown(self.value)}: {self.reason}"


def no_such(name: str, possible: Iterable[str], what: str) -> str:
    """Say that a name is none of the possible ones, and which it may have been meant to be."""
    import difflib  # only ever needed to tell of an error  # noqa: PLC0415

    known = sorted(possible)
    nearest = difflib.get_close_matches(name, known, n=1)
    if nearest:
        return f"is no {what}; did you mean {nearest[0]}?"
    if len(known) > LISTED_MAXIMUM:
        return f"is no {what}; the README lists them"
    return f"is no {what}; known: {', '.join(known) or 'none'}"


def because(error: OSError | ValueError) -> str:
    """Give the reason of a failed file operation in the system's words, without the path."""
    reason = error.strerror if isinstance(error, OSError) else None
    return (reason or "no such path").lower()


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_MAXIMUM else f"{text[:SHOWN_MAXIMUM]}…"
