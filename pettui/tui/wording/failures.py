"""A client's error → the text of the error banner, word for word where the service sent one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pettui.client import (
    ErrorBodyError,
    NoAnswerError,
    NoErrorBodyError,
    NoKeyError,
    PetClientError,
)

UNAUTHORIZED = 401
AWAY = (502, 503, 504)  # what a proxy responds while the service behind it is away
RETRY = "{refresh} Retry"
CHANGE_KEY = "{enter_key} Change API key"
FIELDS = {"categoryId": "category", "category": "category", "name": "name", "status": "status"}


@dataclass(frozen=True, slots=True)
class Failure:
    """The text of an error banner: raw, the banner makes it safe."""

    title: str  # "401 unauthorized"
    message: str
    hint: str = RETRY  # what to press; see ``available_actions.hints``
    excerpt: str = ""  # of a body that is no Error body
    field: str | None = None  # the form's field that the message names
    is_unauthorized: bool = False  # a different API key would help

    @property
    def whole(self) -> str:
        """Message and excerpt."""
        return "\n\n".join(filter(None, (self.message, self.excerpt)))


def failure_of(error: PetClientError) -> Failure:
    """Return the error banner for an error."""
    is_unauthorized = error.status == UNAUTHORIZED
    hint = f"{CHANGE_KEY}  {RETRY}" if is_unauthorized else RETRY
    if isinstance(error, ErrorBodyError):
        return Failure(
            f"{error.status} {error.body.code}",
            error.body.message,
            hint=hint,
            field=field_named(error.body.message),
            is_unauthorized=is_unauthorized,
        )
    if isinstance(error, NoKeyError):
        return Failure("No API key", str(error), hint=CHANGE_KEY, is_unauthorized=True)
    if isinstance(error, NoAnswerError):
        return Failure("No response", str(error))
    return Failure(
        "No Error body" if isinstance(error, NoErrorBodyError) else "Unexpected response",
        str(error),
        hint=hint,
        excerpt=error.excerpt,
        is_unauthorized=is_unauthorized,
    )


def is_away(error: PetClientError) -> bool:
    """Whether the service could not be reached, or only a proxy before it."""
    return isinstance(error, NoAnswerError) or error.status in AWAY


def field_named(message: str) -> str | None:
    """Return the form's field that a message names first; None for none."""
    found = re.search(r"\b(categoryId|category|name|status)\b", message[:500])
    return FIELDS[found[1]] if found else None


def too_long(size: int, maximum: int) -> str:
    """Return why a paste was refused; both sizes are in bytes."""
    return f"{size_text(size)} is too long: at most {size_text(maximum)} at once"


def size_text(count: int) -> str:
    """Return a number of bytes: "45 bytes", "1.2 kB", "2.1 MB"."""
    if count < 1000:
        return f"{count} bytes"
    # Rounded up, so that a size beyond a limit never reads like the limit.
    unit, name = (1000, "kB") if count <= 999_900 else (1_000_000, "MB")
    return f"{-(-count * 10 // unit) / 10:g} {name}"
