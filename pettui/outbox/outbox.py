"""Outbox: what the screens see of the entries and the draft of one owner on one profile."""

from __future__ import annotations

import asyncio
import math
import time
from functools import partial
from typing import TYPE_CHECKING

from pettui.outbox.draft_keeper import DraftKeeper
from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError
from pettui.outbox.entry_cache import EntryCache
from pettui.outbox.faults import Faults, keep_running
from pettui.outbox.listeners import Listeners
from pettui.outbox.new_entries import NewEntries
from pettui.outbox.sending.attempts import Attempts
from pettui.outbox.sending.circuit_breaker import Backoff, CircuitBreaker
from pettui.outbox.sending.search import search
from pettui.outbox.sending.sender import Pace, Sender
from pettui.outbox.sending.timers import LoopTimer, Timer
from pettui.outbox.watch import forget_old, watch

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable
    from concurrent.futures import ThreadPoolExecutor

    from pettui.client import Notice, PetClient, PetClientError
    from pettui.client.pending_retry import OnWait
    from pettui.models import Pet
    from pettui.outbox.entry_store import EntryStore

GRACE = 2.0  # seconds that a request gets to end when the app closes

_SENT_AGAIN = (EntryState.REFUSED, EntryState.UNKNOWN)
_TAKEN_OUT = (EntryState.WAITING, EntryState.REFUSED, EntryState.UNKNOWN)
_FORGOTTEN = (EntryState.ADDED, EntryState.REFUSED, EntryState.UNKNOWN)


class Outbox:
    """Takes entries at once, keeps them for good, and sends them in the background, in order."""

    def __init__(
        self,
        store: EntryStore,
        client: PetClient,
        *,
        delay: float = 3.0,
        at_once: int = 1,
        backoff: Backoff | None = None,
        look_every: float = 2.0,
        clock: Callable[[], float] = time.time,
        thread: ThreadPoolExecutor | None = None,
        timer: Timer | None = None,
        report: Callable[[Exception], None] | None = None,
    ) -> None:
        """Take a store and a client.

        Args:
            store: who keeps the entries; the outbox opens and closes it.
            client: who sends them; may be replaced, and is the caller's to close.
            delay: seconds in which an entry can be taken back before it goes out.
            at_once: how many requests may be out; with more than one, answers may overtake.
            backoff: between attempts while the service cannot be reached.
            look_every: seconds between looks at what other instances did; inf where there are none.
            clock: wall-clock seconds.
            thread: one worker that outboxes of many people share, and that stays the caller's to
                end; None for one of its own.
            timer: what sending waits by; None is the running loop's clock.
            report: called with bugs of pettui's own in the background, each kind once; None logs.
        """
        self.client = client
        self.lasts = store.lasts  # what did not go out is sent at the next start
        self._clock = clock
        self._look_every = look_every
        self._backoff = backoff or Backoff()
        self._timer = timer or LoopTimer()
        self._listeners = Listeners()
        self._faults = Faults(report, self._listeners.tell_status)
        self._ledger = EntryCache(store, thread, self._faults, self._listeners)
        self._breaker = CircuitBreaker(self._backoff, self._timer)
        self._attempts = Attempts(lambda: self.client, self._breaker, self._faults)
        pace = Pace(delay, at_once, clock, self._timer)
        self._sender = Sender(self._ledger, self._attempts, self._breaker, pace)
        self._new_entries = NewEntries(clock, delay)
        self.typed_here: set[str] = set()  # keys of what was added to this outbox
        self._adding = asyncio.Lock()  # in the order of the calls
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self.drafts = DraftKeeper(self._ledger)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first; of the added ones the newest hundred."""
        return self._ledger.entries

    @property
    def added_here(self) -> frozenset[str]:
        """The keys of what was added since this outbox was started, and by it."""
        return frozenset(self._ledger.added_here)

    @property
    def draft(self) -> Draft:
        """What stands in the form, or stood there when the app ended."""
        return self.drafts.draft

    @property
    def waiting_for(self) -> str | None:
        """Why nothing is sent for now, in one raw line; None while all is well."""
        return self._breaker.trip.reason if self._breaker.trip else None

    @property
    def tries_in(self) -> float:
        """Seconds until what waits is tried again by itself; 0 while all is well, inf for never."""
        trip = self._breaker.trip
        return max(trip.until - self._timer.now(), 0.0) if trip else 0.0

    @property
    def key_error(self) -> PetClientError | None:
        """How the service refused the key, while sending waits for another; else None."""
        return self._breaker.trip.key_error if self._breaker.trip else None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the newest answer of createPet says of its going away."""
        return self._attempts.notices

    @property
    def trouble(self) -> str | None:
        """What is wrong with the disk, in one raw line; None while all is kept."""
        return self._ledger.trouble

    @property
    def problems(self) -> tuple[str, ...]:
        """One raw line each on files that could not be read, and on bugs of pettui's own."""
        return (*self._ledger.problems, *self._faults.lines)

    def start(self) -> None:
        """Read what is kept, and start sending on the running loop."""
        self._ledger.open()
        looking = partial(watch, self._ledger, self._look_every, self._sender.wake)
        self._tasks = (self._keep("sending", self._sender.run), self._keep("looking", looking))

    def _keep(
        self, doing: str, run: Callable[[], Coroutine[None, None, None]]
    ) -> asyncio.Task[None]:
        running = keep_running(doing, run, self._faults, self._backoff.first)
        return asyncio.create_task(running, name=f"outbox: {doing}")

    async def close(self, grace: float = GRACE) -> None:
        """Stop; a request that is out gets ``grace`` seconds, what waits is sent another day."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._sender.finish(grace)
        await self.drafts.finish()
        await self._ledger.close()

    def subscribe(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Tell a listener of each entry that came, changed or left; gives the unsubscriber."""
        return self._listeners.subscribe(listener)

    def subscribe_to_status(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Tell a listener when trouble or a problem came or went; returns the unsubscriber."""
        return self._listeners.subscribe_to_status(listener)

    def resume(self) -> None:
        """Try again now: a key was given anew, or the service is back."""
        self._breaker.resume()
        self._sender.wake()

    def send_now(self) -> None:
        """Send what waits without the delay in which it could be taken back."""
        self._breaker.resume()
        self._sender.hurry()

    def saw(self, pet_ids: Iterable[int]) -> None:
        """Take note of animals that are there: ``look_for`` takes none for what is typed later."""
        self._new_entries.saw(pet_ids)

    async def add(
        self,
        name: str,
        category_id: int,
        status: str | None,
        *,
        was_draft: bool | None = None,
    ) -> Entry:
        """Take an animal; it is kept for good when this returns.

        ``was_draft`` says whether it stood in the form; None where that is to be found out.

        Raises:
            OutboxError: it could not be kept, and is not in the outbox.
        """
        async with self._adding:
            if self._look_every == math.inf:
                await forget_old(self._ledger)
            self.saw(known.pet_id for known in self.entries if known.pet_id is not None)
            newest = self._ledger.newest_key
            entry = self._new_entries.make(name, category_id, status, after=newest)
            self.typed_here.add(entry.key)
            await self.drafts.add(entry, was_draft=was_draft)
        self._sender.wake()
        return entry

    async def keep_draft(self, draft: Draft) -> None:
        """Keep what stands in the form; when typed fast, only the newest. Raises OutboxError."""
        await self.drafts.keep(draft)

    async def take_back(self) -> Entry | None:
        """Make the newest entry that waits here the draft, unless it is being sent already.

        A draft that is typed is put aside, and comes back when the entry is added or dropped.
        """
        for entry in reversed(self.entries):
            if entry.waits_here and await self.drafts.take(entry):
                return entry
        return None

    async def take_out(self, key: str) -> Entry:
        """Make an entry that was not added the draft, to be mended in the form.

        Raises:
            OutboxError: it is being sent or gone by now, or the disk failed.
        """
        entry = self._ledger.entry(key, _TAKEN_OUT)
        if not await self.drafts.take(entry):
            raise OutboxError(f"{entry.label} is being sent, or gone, by now")
        return entry

    async def send_again(self, key: str) -> None:
        """Send a refused or unknown entry knowingly, at once.

        Raises:
            OutboxError: it is in another state by now, or the disk failed.
        """
        entry = self._ledger.entry(key, _SENT_AGAIN)
        waiting = entry.becoming(EntryState.WAITING, due=self._clock())
        if not await self._ledger.change(entry, waiting):
            raise OutboxError(f"{entry.label} is in other hands by now")
        self.resume()

    async def look_for(self, key: str, *, on_wait: OnWait | None = None) -> Pet | None:
        """Look for an unknown entry among the newest hundred of its status (listPets).

        It is ADDED where it is found, and stays UNKNOWN where it is not: the list is no proof.
        ``on_wait`` is told before each pause between two tries.

        Raises:
            PetClientError: the list was not answered.
            OutboxError: the entry is not unknown any more.
        """
        entry = self._ledger.entry(key, (EntryState.UNKNOWN,))
        others = {other.pet_id for other in self.entries if other.pet_id is not None}
        pet = await search(self.client, entry, others, on_wait)
        if pet is not None:
            still = self._ledger.entry(key, (EntryState.UNKNOWN,))
            await self._ledger.record(still, still.becoming(EntryState.ADDED, pet_id=pet.id))
        return pet

    async def forget(self, key: str) -> None:
        """Take an added, refused or unknown entry off the list; raises OutboxError."""
        await self._ledger.remove(self._ledger.entry(key, _FORGOTTEN))
