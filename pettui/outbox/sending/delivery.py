"""Delivery: sender, attempts and circuit breaker, put together."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from pettui.background_tasks import keep_running, stopped
from pettui.outbox.sending.circuit_breaker import CircuitBreaker
from pettui.outbox.sending.send_attempts import Attempts
from pettui.outbox.sending.sender import Sender

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.backoff import Backoff
    from pettui.client import Notice, PetClient, PetClientError
    from pettui.outbox.background_errors import Faults
    from pettui.outbox.entries import Entry
    from pettui.outbox.entry_cache import EntryCache
    from pettui.outbox.sending.pace import Pace


class Delivery:
    """Sends what waits in the background, and says why it does not."""

    def __init__(
        self,
        cache: EntryCache,
        client: Callable[[], PetClient],
        faults: Faults,
        pace: Pace,
        backoff: Backoff,
        *,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        self._timer = pace.timer
        self._breaker = breaker or CircuitBreaker(backoff, pace.timer)
        self._attempts = Attempts(client, self._breaker, faults)
        self._sender = Sender(cache, self._attempts, self._breaker, pace)
        self._faults = faults
        self._restart_after = backoff.first
        self._task: asyncio.Task[None] | None = None

    @property
    def waiting_for(self) -> str | None:
        """Why nothing is sent for now, in one raw line; None while all is well."""
        return self._breaker.trip.reason if self._breaker.trip else None

    @property
    def tries_in(self) -> float:
        """Seconds until sending is tried again by itself; 0 while all is well, inf for never."""
        trip = self._breaker.trip
        return max(trip.until - self._timer.now(), 0.0) if trip else 0.0

    @property
    def is_service_away(self) -> bool:
        """Whether nothing is sent because the service did not respond."""
        return self._breaker.trip is not None and self._breaker.trip.is_away

    @property
    def adds_wait(self) -> float:
        """Seconds that adds still wait after lost responses, while the service responds; or 0."""
        trip = self._breaker.trip
        if trip is None or trip.is_away or trip.key_error or not self._breaker.is_half_open:
            return 0.0
        return self.tries_in

    def goes_in(self, entry: Entry) -> float:
        """Return the seconds in which an entry can surely be taken back."""
        return self._sender.goes_in(entry)

    @property
    def key_error(self) -> PetClientError | None:
        """How the service refused the key, while sending waits for another; None otherwise."""
        return self._breaker.trip.key_error if self._breaker.trip else None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the newest response of createPet announces of its removal."""
        return self._attempts.notices

    def start(self) -> None:
        """Start sending on the running loop."""
        report = partial(self._faults.report, "sending")
        kept_running = keep_running(self._sender.run, report, self._restart_after)
        self._task = asyncio.create_task(kept_running, name="outbox: sending")

    async def close(self, grace: float) -> None:
        """Send nothing more; a request that is out gets so many seconds."""
        await stopped(self._task)
        self._task = None  # which refers to this
        await self._sender.finish(grace)

    def wake(self) -> None:
        """Look again at what waits: something changed."""
        self._sender.wake()

    def resume(self) -> None:
        """Try again now: there is another key, or the service is back."""
        self._breaker.resume()
        self._sender.wake()

    def service_responded(self, *, is_automatic: bool = False) -> None:
        """Try again now if the service was away, or refused the key: it accepted a request.

        Args:
            is_automatic: nobody asked for that request; a key that was refused still waits.
        """
        self._breaker.service_responded(is_automatic=is_automatic)
        self._sender.wake()

    def hurry(self) -> None:
        """Send what waits without the delay in which it could be taken back."""
        self._breaker.resume()
        self._sender.hurry()
