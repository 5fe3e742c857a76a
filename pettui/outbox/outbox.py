"""Outbox: what the screens see of the entries and the draft of one owner on one profile."""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from functools import partial
from typing import TYPE_CHECKING

from pettui.background_tasks import keep_running, stopped
from pettui.backoff import Backoff
from pettui.outbox.background_errors import Faults
from pettui.outbox.draft_keeper import DraftKeeper
from pettui.outbox.entries import (
    EDITABLE,
    FORGETTABLE,
    RESENDABLE,
    UNKNOWN,
    Entry,
    EntryState,
    OutboxError,
)
from pettui.outbox.entry_cache import EntryCache
from pettui.outbox.intake import Intake
from pettui.outbox.listeners import Listeners
from pettui.outbox.polling import poll
from pettui.outbox.sending.delivery import Delivery
from pettui.outbox.sending.pace import LoopTimer, Pace, Timer
from pettui.outbox.sending.search import search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import ThreadPoolExecutor

    from pettui.client import OnWait, PetClient
    from pettui.models import NewPet, Pet
    from pettui.outbox.entry_store import EntryStore
    from pettui.outbox.sending.circuit_breaker import CircuitBreaker

GRACE = 2.0  # seconds that a request gets to end when the app closes


class Outbox:
    """Accepts entries at once, keeps them for good, and sends them in the background, in order."""

    def __init__(
        self,
        store: EntryStore,
        client: PetClient,
        *,
        delay: float = 3.0,
        backoff: Backoff | None = None,
        breaker: CircuitBreaker | None = None,
        look_every: float = 2.0,
        clock: Callable[[], float] = time.time,
        thread: ThreadPoolExecutor | None = None,
        timer: Timer | None = None,
        report: Callable[[Exception], None] | None = None,
    ) -> None:
        """Create an outbox that is not open yet.

        Args:
            store: keeps the entries; the outbox opens and closes it.
            client: sends them; may be replaced, and the caller closes it.
            delay: seconds in which an entry can be taken back before it goes out.
            backoff: between attempts while the service cannot be reached.
            breaker: that outboxes of one service share; None for one of its own.
            look_every: seconds between two reads of what other instances did; inf for none.
            clock: wall-clock seconds.
            thread: one worker that outboxes of many users share, and that the caller ends; None
                for one of its own.
            timer: for sending; None is the running loop's clock.
            report: called with bugs of pettui's own in the background, each kind once; None logs.
        """
        self.client = client
        self.is_persistent = store.is_persistent  # what did not go out is sent at the next start
        self._clock = clock
        self._look_every = look_every
        self._backoff = backoff or Backoff()
        self._listeners = Listeners()
        self._faults = Faults(report, self._listeners.notify_status)
        cache = self._cache = EntryCache(store, thread, self._faults, self._listeners)
        pace = Pace(delay, clock, timer or LoopTimer())
        this = weakref.proxy(self)  # so that an outbox that was closed is freed at once
        self.delivery = Delivery(
            cache, lambda: this.client, self._faults, pace, self._backoff, breaker=breaker
        )
        self._polling: asyncio.Task[None] | None = None
        self.drafts = DraftKeeper(cache)
        self._intake = Intake(cache, self.drafts, clock, delay, is_alone=look_every == math.inf)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first; of the added ones the newest hundred."""
        return self._cache.entries

    @property
    def typed_here(self) -> set[str]:
        """The keys of what was typed or pasted into this outbox."""
        return self._intake.keys

    @property
    def added_here(self) -> frozenset[str]:
        """The keys of what was added since this outbox was started, and by it."""
        return frozenset(self._cache.added_here)

    @property
    def store_error(self) -> str | None:
        """What is wrong with the disk, in one raw line; None while all is kept."""
        return self._cache.problems.store_error

    @property
    def problems(self) -> tuple[str, ...]:
        """One raw line each on files that could not be read, and on bugs of pettui's own."""
        return (*self._cache.problems.lines, *self._faults.lines)

    def start(self) -> None:
        """Read what is kept, and start sending on the running loop."""
        self._cache.open()
        self.delivery.start()
        polling = partial(poll, self._cache, self._look_every, self.delivery.wake)
        report = partial(self._faults.report, "looking")
        kept_running = keep_running(polling, report, self._backoff.first)
        self._polling = asyncio.create_task(kept_running, name="outbox: looking")

    async def close(self, grace: float = GRACE) -> None:
        """Stop; a request that is out gets ``grace`` seconds, and what waits stays kept."""
        await stopped(self._polling)
        self._polling = None  # which refers to this
        await self.delivery.close(grace)
        await self.drafts.finish()
        await self._cache.close()

    def subscribe(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Call a listener with each entry that came, changed or left; returns the unsubscriber."""
        return self._listeners.subscribe(listener)

    def subscribe_to_status(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a listener when a problem came or went; returns the unsubscriber."""
        return self._listeners.subscribe_to_status(listener)

    def saw(self, pet_ids: Iterable[int]) -> None:
        """Note animals that exist: ``look_for`` takes none of them for what is typed later."""
        self._intake.saw(pet_ids)

    async def add(
        self,
        name: str,
        category_id: int,
        status: str | None,
        *,
        was_draft: bool | None = None,
        copy_of: str = "",
    ) -> Entry:
        """Add an animal; it is kept for good when this returns.

        Args:
            name: of the animal.
            category_id: of its category.
            status: None where it is not set.
            was_draft: whether it stood in the form; None compares it with the draft.
            copy_of: key of the unknown entry that it was made of, whose place it takes.

        Raises:
            OutboxError: it could not be kept, and is not in the outbox.
        """
        entry = await self._intake.add(
            name, category_id, status, was_draft=was_draft, copy_of=copy_of
        )
        self.delivery.wake()
        return entry

    async def add_all(self, pets: Sequence[NewPet]) -> list[Entry]:
        """Add several animals, all of them or none; they are kept for good when this returns.

        Raises OutboxError where one could not be kept, and then none is in the outbox.
        """
        entries = await self._intake.add_all(pets)
        self.delivery.wake()
        return entries

    @property
    def can_take_back(self) -> bool:
        """Whether an entry waits to be sent by this instance."""
        return any(entry.waits_here for entry in self.entries)

    async def take_back(self) -> Entry | None:
        """Make the newest entry that waits here the draft; None where there is none.

        A draft that is typed is put aside, and comes back when the entry is added or dropped.
        """
        for entry in reversed(self.entries):
            if entry.waits_here and await self.drafts.take(entry):
                return entry
        return None

    async def take_out(self, key: str) -> Entry:
        """Make a waiting or refused entry the draft, to be edited in the form.

        Raises OutboxError where it is being sent or gone, or the disk failed.
        """
        entry = self._cache.entry(key, EDITABLE)
        if not await self.drafts.take(entry):
            raise OutboxError(f"{entry.label} is being sent, or no longer exists")
        return entry

    async def copy(self, key: str) -> None:
        """Make a copy of an unknown entry the draft; the entry stays until the copy is added.

        Raises OutboxError where it is no longer unknown, or the disk failed.
        """
        entry = self._cache.entry(key, UNKNOWN)
        if self.drafts.draft.copy_of != key:  # else it is there already, and perhaps edited
            await self.drafts.begin(entry.copy())

    async def send_again(self, key: str) -> None:
        """Send a refused or unknown entry again, at once.

        Raises OutboxError where its state has changed, or the disk failed.
        """
        entry = self._cache.entry(key, RESENDABLE)
        waiting = entry.becoming(EntryState.WAITING, due=self._clock())
        if not await self._cache.change(entry, waiting):
            raise OutboxError(f"{entry.label} was changed in another window")
        self.delivery.resume()

    async def look_for(self, key: str, *, on_wait: OnWait | None = None) -> Pet | None:
        """Look for an unknown entry in the service's list; see ``search``.

        Raises PetClientError, or OutboxError where it is no longer unknown.
        """
        found = await search(self._cache, key, self.client, on_wait)
        self.delivery.service_responded()
        return found

    async def forget(self, key: str) -> None:
        """Remove an entry that is not being sent; raises OutboxError."""
        entry = self._cache.entry(key, FORGETTABLE)
        if not await self._cache.remove(entry) and entry.state is EntryState.WAITING:
            raise OutboxError(f"{entry.label} is being sent, or no longer exists")
