"""An error of the client → what the strip says, word for word where the service said it."""

from __future__ import annotations

import re

from pettui.client import ErrorBodyError, NoAnswerError, NoErrorBodyError, PetClientError
from pettui.tui.widgets.error_strip import Failure

FIELDS = {"categoryId": "category", "category": "category", "name": "name", "status": "status"}


def failure_of(error: PetClientError) -> Failure:
    """Give the strip's words for an error."""
    if isinstance(error, ErrorBodyError):
        body = error.body
        return Failure(f"{error.status} {body.code}", body.message, field=field_named(body.message))
    if isinstance(error, NoAnswerError):
        return Failure("No answer", str(error))
    beginning = getattr(error, "beginning", "")
    title = "No Error body" if isinstance(error, NoErrorBodyError) else "Not the interface"
    return Failure(title, str(error), beginning=beginning)


def field_named(message: str) -> str | None:
    """Give the form's field that a message names first; None where it names none."""
    found = re.search(r"\b(categoryId|category|name|status)\b", message[:500])
    return FIELDS[found[1]] if found else None
