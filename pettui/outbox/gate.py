"""Whether the next entry may be sent: what failures hold it up, and for how long."""

from __future__ import annotations

import asyncio
import math
import random
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.client.errors import PetClientError


class Next(Enum):
    """What those behind a failed entry do."""

    GO_ON = "go on"
    WAIT = "try the same one again, after a growing pause"
    ASK_FIRST = "go on as soon as the service answers a list"
    ASK_LATER = "the same, after a pause"
    NEED_KEY = "wait until a key is given anew"


@dataclass(frozen=True, slots=True)
class Pauses:
    """How long to wait after failures in a row: exponential, with full jitter, bounded."""

    first: float = 1.0  # seconds at most after the first failure; doubled with each more
    longest: float = 60.0
    longest_asked_for: float = 300.0  # of a service's Retry-After

    def after(self, failures: int, asked_for: float | None = None) -> float:
        """Give the seconds to wait after so many failures in a row (from 1)."""
        if asked_for is not None:
            return min(max(asked_for, 0.0), self.longest_asked_for)
        most = min(self.longest, self.first * 2.0 ** min(failures - 1, 32))
        return random.uniform(0, most)  # noqa: S311 - spreads load, keeps no secret


@dataclass(frozen=True, slots=True)
class Hold:
    """Why nothing is sent for now, and until when."""

    reason: str  # one raw line
    until: float  # in the loop's time; inf: until somebody resumes
    ask_first: bool = False  # then a list must be answered before an entry is sent
    needs_key: bool = False  # the service refused the one it has


class Gate:
    """Open while all is well; each failure says what is to be waited for."""

    def __init__(self, pauses: Pauses) -> None:
        self.hold: Hold | None = None
        self._pauses = pauses
        self._failures = 0  # in a row

    def open(self) -> None:
        """Go on: the service answered, or somebody said so."""
        self.hold = None
        self._failures = 0

    def asked(self) -> None:
        """Go on after a list was answered; that adds succeed is not known yet."""
        self.hold = None

    def failed(self, then: Next, error: PetClientError) -> None:
        """Do as a failure demands."""
        reason = str(error)
        if then is Next.GO_ON:
            self.open()
        elif then is Next.NEED_KEY:
            self.hold = Hold(reason, math.inf, needs_key=True)
        elif then is Next.ASK_FIRST:
            self.hold = Hold(reason, 0.0, ask_first=True)
        else:
            self.pause(reason, error.retry_after, ask_first=then is Next.ASK_LATER)

    def pause(
        self, reason: str, asked_for: float | None = None, *, ask_first: bool = False
    ) -> None:
        """Wait for as long as was asked for, or longer with each failure in a row."""
        self._failures += 1
        seconds = self._pauses.after(self._failures, asked_for)
        until = asyncio.get_running_loop().time() + seconds
        self.hold = Hold(reason, until, ask_first=ask_first)
