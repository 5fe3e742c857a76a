"""Sends what waits, in order; never twice by itself."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from pettui.client.errors import ErrorBodyError, PetClientError
from pettui.outbox.entries import Entry, EntryState, OutboxError
from pettui.outbox.hold import Hold, Pauses
from pettui.outbox.outcome import Next, outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.client import PetClient
    from pettui.models import NewPet
    from pettui.outbox.ledger import Ledger

NO_ANSWER_SEEN = "pettui ended while this was being sent"


class Sender:
    """Takes the entries of a ledger to the service, oldest first, a few at a time."""

    def __init__(
        self,
        ledger: Ledger,
        client: Callable[[], PetClient],
        *,
        delay: float,
        at_once: int,
        pauses: Pauses,
        clock: Callable[[], float],
    ) -> None:
        self.hold: Hold | None = None
        self._ledger = ledger
        self._client = client
        self._delay = delay
        self._at_once = at_once
        self._pauses = pauses
        self._clock = clock
        self._failures = 0  # in a row
        self._ready_at: dict[str, float] = {}  # in the loop's time, by key
        self._out: dict[str, asyncio.Task[None]] = {}  # requests that are out, by key
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Look again at what waits: something changed."""
        self._wake.set()

    def resume(self) -> None:
        """Forget why nothing was sent, and try."""
        self.hold = None
        self._failures = 0
        self.wake()

    async def run(self) -> None:
        """Send what waits until cancelled; requests that are out go on until ``finish``."""
        while True:
            self._wake.clear()
            wait = self._time_to_wait()
            if wait <= 0:
                await self._go_on()
            else:
                await self._sleep(wait)

    async def finish(self, grace: float) -> None:
        """Give the requests that are out so many seconds, then cut them off."""
        if self._out:
            await asyncio.wait(tuple(self._out.values()), timeout=grace)
        for task in tuple(self._out.values()):
            task.cancel()
        await asyncio.gather(*self._out.values(), return_exceptions=True)

    def _time_to_wait(self) -> float:
        entry = self._oldest_waiting()
        if entry is None or len(self._out) >= (1 if self.hold else self._at_once):
            return math.inf
        now = asyncio.get_running_loop().time()
        return max(self._ready(entry) - now, (self.hold.until if self.hold else now) - now)

    def _oldest_waiting(self) -> Entry | None:
        for entry in self._ledger.entries:
            waits_here = entry.state is EntryState.WAITING and not entry.elsewhere
            if waits_here and entry.key not in self._out:
                return entry
        return None

    def _ready(self, entry: Entry) -> float:
        """Give the loop's time at which an entry may go.

        The wall clock is asked once an entry, and believed up to the delay: whatever it does
        afterwards, nothing goes out early or stays for ever.
        """
        now = asyncio.get_running_loop().time()
        ready = now + min(max(entry.due - self._clock(), 0.0), self._delay)
        return self._ready_at.setdefault(entry.key, ready)

    async def _sleep(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(None if seconds == math.inf else seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _go_on(self) -> None:
        if self.hold is not None and self.hold.ask_first:
            await self._ask()
            return
        entry = self._oldest_waiting()
        if entry is not None:
            sending = entry.becoming(EntryState.SENDING)
            if await self._mark(entry, sending):
                self._start(sending)

    async def _mark(self, entry: Entry, sending: Entry) -> bool:
        try:
            return await self._ledger.change(entry, sending)
        except OutboxError as error:
            self._pause(str(error))
            self._ledger.tell(entry)
            return False

    def _start(self, entry: Entry) -> None:
        self._ready_at.pop(entry.key, None)
        task = asyncio.create_task(self._send(entry))
        self._out[entry.key] = task
        task.add_done_callback(lambda _: self._finished(entry.key))

    def _finished(self, key: str) -> None:
        del self._out[key]
        self.wake()

    async def _send(self, entry: Entry) -> None:
        result = entry.becoming(EntryState.UNKNOWN, error=NO_ANSWER_SEEN)
        try:
            result = await self._result(entry)
        finally:
            # Cut off in the middle, it stays UNKNOWN.
            await self._ledger.record(entry, result)

    async def _result(self, entry: Entry) -> Entry:
        try:
            new_pet = _new_pet(entry)
        except ValueError as error:  # pydantic's: what no service could be asked
            return entry.becoming(EntryState.REFUSED, error=_first_reason(error))
        try:
            answer = await self._client().create_pet(new_pet)
        except PetClientError as error:
            failed = outcome(entry, error)
            self._after(failed.then, error)
            return failed.entry
        self.hold = None
        self._failures = 0
        return entry.becoming(EntryState.ADDED, pet_id=answer.pet.id)

    def _after(self, then: Next, error: PetClientError) -> None:
        reason = str(error)
        if then is Next.GO_ON:
            self.hold, self._failures = None, 0
        elif then is Next.NEED_KEY:
            self.hold = Hold(reason, needs_key=True)
        elif then is Next.ASK_FIRST:
            self.hold = Hold(reason, until=0.0, ask_first=True)
        else:
            self._pause(reason, getattr(error, "retry_after", None), then is Next.ASK_LATER)

    def _pause(self, reason: str, asked: float | None = None, ask_first: bool = False) -> None:
        self._failures += 1
        if asked is None:
            seconds = self._pauses.after(self._failures)
        else:
            seconds = self._pauses.asked_for(asked)
        until = asyncio.get_running_loop().time() + seconds
        self.hold = Hold(reason, until=until, ask_first=ask_first)

    async def _ask(self) -> None:
        """Ask for a list of one, which is safe, before the next add is risked."""
        try:
            await self._client().list_pets(limit=1)
        except ErrorBodyError as error:
            self._answered(error)
        except PetClientError as error:
            self._pause(str(error), getattr(error, "retry_after", None), ask_first=True)
        else:
            self.hold = None
        waiting = self._oldest_waiting()
        if waiting is not None:
            self._ledger.tell(waiting)

    def _answered(self, error: ErrorBodyError) -> None:
        if error.status == 401:
            self.hold = Hold(str(error), needs_key=True)
        elif error.status == 429 or error.status >= 500:
            self._pause(str(error), getattr(error, "retry_after", None), ask_first=True)
        else:
            self.hold = None


def _new_pet(entry: Entry) -> NewPet:
    from pettui.models import NewPet, PetStatus  # noqa: PLC0415 - pydantic, once it is needed

    status = None if entry.status is None else PetStatus(entry.status)
    return NewPet(name=entry.name, categoryId=entry.category_id, status=status)


def _first_reason(error: ValueError) -> str:
    return str(error).splitlines()[-1].strip()
