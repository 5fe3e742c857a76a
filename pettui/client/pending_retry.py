"""PendingRetry: what a screen is told before a call is tried again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.client.errors import PetClientError


@dataclass(frozen=True, slots=True)
class PendingRetry:
    """A pause between two tries of one call. Cancelling the call's task ends it."""

    attempt: int  # the try that comes next; 2 is the first that is told of
    of: int  # tries in all
    seconds: float
    error: PetClientError  # of the try before: what to show when the waiting is stopped

    @property
    def why(self) -> str:
        """Say in one line why the try before came to nothing; not yet safe to draw."""
        return str(self.error)


if TYPE_CHECKING:
    OnWait = Callable[[PendingRetry], None]  # called once a pause, at its beginning
