"""An error of the client → what the strip says, word for word where the service said it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pettui.client import ErrorBodyError, NoAnswerError, NoErrorBodyError, PetClientError

UNAUTHORIZED = 401
AWAY = (502, 503, 504)  # what stands before a service says while that is not there
RETRY = "{refresh} Retry"
CHANGE_KEY = "{enter_key} Change API key"
FIELDS = {"categoryId": "category", "category": "category", "name": "name", "status": "status"}


@dataclass(frozen=True, slots=True)
class Failure:
    """What a strip says. Its texts may come from outside; the strip makes them safe."""

    title: str  # "401 unauthorized"
    message: str
    hint: str = RETRY  # what to press; keys by the names of their bindings
    excerpt: str = ""  # of a body that is no Error body
    field: str | None = None  # of the form, that the message names
    is_unauthorized: bool = False  # another key would help

    @property
    def whole(self) -> str:
        """Give all that is known of it, to be looked at."""
        return "\n\n".join(filter(None, (self.message, self.excerpt)))


def failure_of(error: PetClientError) -> Failure:
    """Give the strip's words for an error."""
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
    """Say whether the service could not be reached, or only what stands before it."""
    return isinstance(error, NoAnswerError) or error.status in AWAY


def field_named(message: str) -> str | None:
    """Give the form's field that a message names first; None where it names none."""
    found = re.search(r"\b(categoryId|category|name|status)\b", message[:500])
    return FIELDS[found[1]] if found else None


def too_long(size: int, maximum: int) -> str:
    """Return why nothing was taken of a paste of so many bytes."""
    return f"{size_text(size)} is too long: at most {size_text(maximum)} at once"


def size_text(count: int) -> str:
    """Return a number of bytes as people write it: "45 bytes", "1.2 kB", "2.1 MB"."""
    if count < 1000:
        return f"{count} bytes"
    # Rounded up, so that what is too long never reads like what is taken.
    unit, name = (1000, "kB") if count <= 999_900 else (1_000_000, "MB")
    return f"{-(-count * 10 // unit) / 10:g} {name}"
