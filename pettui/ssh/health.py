"""Health: whether the server can start sessions, and what its apps depend on.

The parent knows the first. For the second it has a worker look, since it does nothing that could
block: whenever Prometheus, or somebody by ``/healthz``, asks, who waits ``PATIENCE`` at most for
that. What no worker has said by then is not known, and is said to be so.
"""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Final

from pettui.ssh.apps.app_factory import GOOD, Look, Watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pettui.ssh.worker_link import WorkerProcess

FRESH: Final = 2.5  # seconds for which a look serves all who ask
PATIENCE: Final = 2.0  # for a worker to look
LONGEST: Final = 5.0  # that what it said may be told
DRAINS: Final = "draining"
NOBODY_SERVES: Final = "no process serves"
OTHER: Final = "other"  # a reason that is not one of those that were declared


class Health:
    """What the parent knows of the server's health."""

    def __init__(self, watched: Watched, clock: Callable[[], float] = time.monotonic) -> None:
        """Know nothing yet of what is watched."""
        self.watched = watched
        self._clock = clock
        self._look = Look()
        self._told_at = -math.inf
        self._asked_at: float | None = None  # which has not said anything since

    def is_known(self, processes: Iterable[WorkerProcess]) -> bool:
        """Whether what is known is what there is to say; if not, a worker is looking."""
        now = self._clock()
        if not self.watched.parts or now - self._told_at <= FRESH:
            return True
        if self._asked_at is not None:
            is_late = now - self._asked_at >= PATIENCE
            self._asked_at = None if is_late else self._asked_at
            return is_late
        serving = [process for process in processes if process.is_serving]
        if serving:  # the same as long as it is there
            self._asked_at = now
            min(serving, key=lambda process: process.number).link.send("look")
        return not serving

    def told(self, parts: Mapping[str, str], numbers: Mapping[str, float | None]) -> None:
        """Take what a worker found.

        Raises:
            ValueError: nothing of ours says that.
        """
        known = {name: str(parts.get(name, "")) for name in self.watched.parts}
        counts = {name: numbers.get(name) for name in self.watched.numbers}
        floats = {name: math.nan if each is None else float(each) for name, each in counts.items()}
        self._look, self._told_at, self._asked_at = Look(known, floats), self._clock(), None

    def part(self, name: str) -> str | None:
        """Return GOOD, or why a part can't be used; None where that is not known."""
        reason = self._look.parts.get(name) if self._counts else None
        return reason if reason in (None, GOOD, *self.watched.parts[name]) else OTHER

    def number(self, name: str) -> float:
        """Return a number; nan where it is not known."""
        return self._look.numbers.get(name, math.nan) if self._counts else math.nan

    @property
    def _counts(self) -> bool:
        return self._clock() - self._told_at <= LONGEST

    def response(self, obstacle: str) -> tuple[str, bytes]:
        """Return the status line's end, and the body, for who asks.

        Args:
            obstacle: why no session can be started; "" where one can.
        """
        told = {"status": obstacle or GOOD} | {name: self.part(name) for name in self.watched.parts}
        return "503 Service Unavailable" if obstacle else "200 OK", json.dumps(told).encode()
