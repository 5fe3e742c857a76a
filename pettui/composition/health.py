"""What the apps over SSH depend on: the service, and where their users' outboxes are."""

from __future__ import annotations

import asyncio
import math
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn

from pettui.client import PendingRetry, PetClientError
from pettui.outbox.entries import OutboxError
from pettui.ssh.apps.app_factory import GOOD, Look, Watched

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.composition.unattended import UnattendedSending

TOO_MANY: Final = 429
SERVICE_SECONDS: Final = 1.5  # for the service to list an animal
COUNT_SECONDS: Final = 2.0  # for the outboxes to be counted
COUNTED_EVERY: Final = 15.0  # seconds, as often as Prometheus asks
UNREACHABLE: Final = "unreachable"
KEY_REFUSED: Final = "key refused"
FAILING: Final = "failing"
WATCHED: Final = Watched(
    parts=MappingProxyType(
        {
            "service": (UNREACHABLE, KEY_REFUSED, FAILING),
            "state": (UNREACHABLE, "full", "read-only", "no right", "locked"),
        }
    ),
    numbers=MappingProxyType(
        {
            "animals_waiting": "Animals that wait in outboxes, or are being sent.",
            "animals_refused": "Animals that were refused, and that their users have not seen to.",
            "animals_unknown": "Animals of which nobody knows whether the service has them.",
            "oldest_waiting_seconds": "For how long the oldest animal waits that can be sent.",
        }
    ),
)


class Lookout:
    """Looks at the service and the outboxes; two looks are not made at once."""

    def __init__(self, sending: UnattendedSending, why_away: Callable[[], str | None]) -> None:
        """Look at nothing yet.

        Args:
            sending: whose owners and client it looks at.
            why_away: returns why outboxes can't be kept now, as ``WATCHED`` has it, if so.
        """
        self._sending = sending
        self._why_away = why_away
        self._numbers: dict[str, float] = {}
        self._counted_at = -math.inf

    async def look(self) -> Look:
        """Return what is so now; the numbers are as old as ``COUNTED_EVERY`` at most."""
        if time.monotonic() - self._counted_at >= COUNTED_EVERY:
            self._counted_at = time.monotonic()
            self._numbers = await self._count()
        state = await asyncio.to_thread(self._why_away) or GOOD
        return Look({"service": await self._service(), "state": state}, self._numbers)

    async def _service(self) -> str:
        try:
            async with asyncio.timeout(SERVICE_SECONDS):
                await self._sending.client.list_pets(limit=1, on_wait=_give_up)
        except TimeoutError:
            return UNREACHABLE
        except PetClientError as error:
            if error.is_unauthorized:
                return KEY_REFUSED
            if error.status == TOO_MANY:
                return GOOD
            return UNREACHABLE if error.status is None else FAILING
        return GOOD

    async def _count(self) -> dict[str, float]:
        try:
            async with asyncio.timeout(COUNT_SECONDS):
                found = await asyncio.to_thread(self._sending.owners.census)
        except (OutboxError, TimeoutError):  # then they are not known
            return {}
        oldest = 0.0 if found.oldest is None else max(time.time() - found.oldest, 0.0)
        return {
            "animals_waiting": found.waiting,
            "animals_refused": found.refused,
            "animals_unknown": found.unknown,
            "oldest_waiting_seconds": oldest,
        }


def _give_up(waiting: PendingRetry) -> NoReturn:
    raise waiting.error
