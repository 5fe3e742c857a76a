"""Failures: what an error banner says of an error, or of an entry that was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pettui.client import (
    ErrorBodyError,
    NoAnswerError,
    NoKeyError,
    PetClientError,
    refusal_title,
)
from pettui.outbox.entries import Entry, Refusal

if TYPE_CHECKING:
    from pettui.tui.widgets.runs import Section


AWAY = (502, 503, 504)  # what a proxy responds while the service behind it is away
RETRY = "{refresh} Retry"
CHANGE_KEY = "{enter_key} Change API key"


class Failure(NamedTuple):
    """The text of an error banner: raw, the banner makes it safe."""

    title: str  # "401 unauthorized"
    message: str
    hint: str = RETRY  # what to press; see ``keys.hints``
    excerpt: str = ""  # of a body that is no Error body
    is_unauthorized: bool = False  # a different API key would help

    @property
    def whole(self) -> str:
        """Message and excerpt."""
        return "\n\n".join(filter(None, (self.message, self.excerpt)))


def failure_of(error: PetClientError) -> Failure:
    """Return the error banner for an error."""
    hint = f"{CHANGE_KEY}  {RETRY}" if error.is_unauthorized else RETRY
    return Failure(
        error.title,
        error.body.message if isinstance(error, ErrorBodyError) else str(error),
        hint=CHANGE_KEY if isinstance(error, NoKeyError) else hint,
        excerpt=error.excerpt,
        is_unauthorized=error.is_unauthorized,
    )


def is_away(error: PetClientError) -> bool:
    """Whether the service could not be reached, or only a proxy before it."""
    return isinstance(error, NoAnswerError) or error.status in AWAY


def refusal_of(entry: Entry) -> Failure:
    """Return the error banner of an entry that was refused, or whose outcome is unknown."""
    refusal = entry.refusal or Refusal("the service refused it")
    title = refusal_title(refusal.status, refusal.code or entry.state.value)
    return Failure(title, refusal.message or refusal.text, excerpt=refusal.excerpt or "")


def whole_of(entry: Entry) -> Section:
    """Return all that is known of an entry, as raw texts."""
    if entry.error is None:
        return (entry.state.value, entry.name)
    failure = refusal_of(entry)
    return (failure.title, f"{entry.name}\n\n{failure.whole}")
