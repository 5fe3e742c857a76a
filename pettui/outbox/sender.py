"""Sends what waits, in order; never twice by itself."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.client.errors import PetClientError
from pettui.outbox.entries import Entry, EntryState, OutboxError
from pettui.outbox.outcome import after_list, outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.client import Notice, PetAnswer, PetClient
    from pettui.client.waiting import Waiting
    from pettui.models import NewPet
    from pettui.outbox.gate import Gate
    from pettui.outbox.ledger import Ledger

CUT_OFF = "pettui ended while this was being sent"


@dataclass(frozen=True, slots=True)
class Pace:
    """How soon and how many."""

    delay: float  # seconds in which an entry can be taken back
    at_once: int  # requests that may be out
    clock: Callable[[], float]  # wall-clock seconds


class Sender:
    """Takes the entries of a ledger to the service, oldest first, a few at a time."""

    def __init__(
        self, ledger: Ledger, client: Callable[[], PetClient], gate: Gate, pace: Pace
    ) -> None:
        self._ledger = ledger
        self._client = client
        self._gate = gate
        self._pace = pace
        self._ready_at: dict[str, float] = {}  # in the loop's time, by key
        self._out: dict[str, asyncio.Task[None]] = {}  # requests that are out, by key
        self._ids: set[int] = set()  # that the service gave so far
        self.notices: tuple[Notice, ...] = ()  # of the newest answer of createPet
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Look again at what waits: something changed."""
        waiting = [one for one in self._ledger.entries if one.state is EntryState.WAITING]
        self._ready_at = {entry.key: self._ready(entry) for entry in waiting}
        self._wake.set()

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
        hold = self._gate.hold
        if entry is None or len(self._out) >= (1 if hold else self._pace.at_once):
            return math.inf
        until = max(self._ready(entry), hold.until if hold else 0.0)
        return until - asyncio.get_running_loop().time()

    def _oldest_waiting(self) -> Entry | None:
        for entry in self._ledger.entries:
            if entry.waits_here and entry.key not in self._out:
                return entry
        return None

    def _ready(self, entry: Entry) -> float:
        """Give the loop's time at which an entry may go.

        The wall clock is asked once an entry, and believed up to the delay: whatever it does
        afterwards, nothing goes out early or stays for ever.
        """
        now = asyncio.get_running_loop().time()
        ready = now + min(max(entry.due - self._pace.clock(), 0.0), self._pace.delay)
        return self._ready_at.setdefault(entry.key, ready)

    async def _sleep(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(None if seconds == math.inf else seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _go_on(self) -> None:
        hold = self._gate.hold
        if hold is not None and hold.ask_first:
            await self._ask()
            return
        entry = self._oldest_waiting()
        if entry is not None:
            self._out[entry.key] = task = asyncio.create_task(self._send(entry))
            task.add_done_callback(lambda _: self._finished(entry.key))

    def _finished(self, key: str) -> None:
        del self._out[key]
        self.wake()

    async def _send(self, entry: Entry) -> None:
        sending = entry.becoming(EntryState.SENDING)
        if not await self._mark(entry, sending):
            return
        result = entry.becoming(EntryState.UNKNOWN, error=CUT_OFF)
        try:
            result = await self._result(sending)
        finally:
            # Cut off in the middle, whatever by, it stays UNKNOWN.
            await self._ledger.record(sending, result)

    async def _mark(self, entry: Entry, sending: Entry) -> bool:
        """Keep for good that an entry may be out from now on; what cannot be kept is not sent."""
        try:
            return await self._ledger.change(entry, sending)
        except OutboxError as error:
            self._gate.pause(str(error))
            self._ledger.tell(entry)
            return False

    async def _result(self, entry: Entry) -> Entry:
        try:
            new_pet = _new_pet(entry)
        except ValueError as error:
            return entry.becoming(EntryState.REFUSED, error=str(error))
        try:
            answer = await self._client().create_pet(new_pet, on_wait=_give_up)
        except PetClientError as error:
            self.notices = error.notices or self.notices
            failed = outcome(entry, error)
            self._gate.failed(failed.then, error)
            return failed.entry
        self._gate.open()
        self.notices = answer.notices
        return self._added(entry, answer)

    def _added(self, entry: Entry, answer: PetAnswer) -> Entry:
        pet_id = answer.pet.id
        if pet_id in self._ids:
            # An answer that came twice, and was taken for the answer to the next request.
            again = f"the answer gives id {pet_id}, which another animal has"
            return entry.becoming(EntryState.UNKNOWN, error=again)
        self._ids.add(pet_id)
        odd = "; ".join(answer.remarks) or None
        return entry.becoming(EntryState.ADDED, pet_id=pet_id, error=odd)

    async def _ask(self) -> None:
        """Ask for a list of one, which is safe, before the next add is risked."""
        try:
            await self._client().list_pets(limit=1)
        except PetClientError as error:
            self._gate.failed(after_list(error), error)
        else:
            self._gate.asked()
        waiting = self._oldest_waiting()
        if waiting is not None:
            self._ledger.tell(waiting)


def _give_up(waiting: Waiting) -> None:
    """Let the outbox do the waiting: during a call nobody could tell that nothing is out."""
    raise waiting.error


def _new_pet(entry: Entry) -> NewPet:
    """Give what is sent; ValueError for what the interface cannot say."""
    from pydantic import ValidationError  # noqa: PLC0415 - once it is needed

    from pettui.models import NewPet, PetStatus  # noqa: PLC0415

    if any("\ud800" <= character <= "\udfff" for character in entry.name):
        raise ValueError("name: half a character cannot be sent (RFC 8259, 8.2)")
    status = None if entry.status is None else PetStatus(entry.status)
    try:
        return NewPet(name=entry.name, categoryId=entry.category_id, status=status)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{first['loc'][0]}: {first['msg']}") from error
