"""Outbox: the entries of one owner on one profile, in their store and on their way.

From Enter to the 201 an animal goes this way:

1. The form awaits ``add``, which makes a WAITING entry, and goes on if the form is cancelled.
2. ``Drafts.become`` has ``EntryStore.add`` make the form's draft the entry, on the store's thread:
   in a directory its file is written whole, synced and renamed. If that fails, there is no entry.
3. ``EntryCache.add`` puts it into memory and tells the listeners; then ``add`` returns.
4. ``_send_waiting``, a background task, takes the oldest once its delay is over, the first after
   ``Sending.probe`` has asked which store adds once. ``_send`` keeps it as SENDING first.
5. ``Sending.add`` calls ``PetClient.create_pet`` once. A 201 makes it ADDED; what any other end
   means, ``outcome`` says. What stays SENDING is sent again, by this outbox or by the next.
6. ``EntryCache.keep_outcome`` keeps what it became, and tells the listeners.
"""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pettui.client import Backoff, PetClient
from pettui.models.pets import NewPet, Pet
from pettui.outbox.candidates import likeness
from pettui.outbox.drafts import Drafts
from pettui.outbox.entries import (
    UNKNOWN_KEY,
    Entry,
    EntryState,
    OutboxError,
    Refusal,
    is_for,
    next_entry_id,
    own_key_of,
)
from pettui.outbox.entry_cache import EntryCache, Listeners, StoreState, shielded
from pettui.outbox.owners import ON_THE_WAY
from pettui.outbox.receipts import Added, Audit, Certain, MemoryReceipts, Receipts, Source
from pettui.outbox.sending import LoopTimer, Sending, idempotency_key
from pettui.outbox.store_thread import SharedThread, StoreThread
from pettui.system.background_tasks import Bugs, keep_running, stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Coroutine, Iterable, Sequence

    from pettui.outbox.entries import Author, EntryStore

GRACE: Final = 2.0  # seconds that a request gets to end when the app closes
CUT_OFF: Final = "pettui exited while this was being sent"
CLAIM_ENDED: Final = (
    "the database was away while this was being sent, and no response came; it may still arrive"
)
NO_CLAIM: Final = "this server has not reached its database for a while"
# Moments in each interval at which the outboxes of a process look: waking an idle process costs
# more than most looks do, but all looks at once would hold up the keys of its users.
MOMENTS: Final = 4

_WAITING: Final = EntryState.WAITING
_REFUSED: Final = EntryState.REFUSED
_SENDING: Final = EntryState.SENDING
_UNKNOWN: Final = EntryState.UNKNOWN
_ADDED: Final = EntryState.ADDED
_CERTAIN: Final = (_ADDED, _REFUSED)


class Outbox:
    """Accepts entries at once, keeps them for good, and sends them in the background, in order."""

    def __init__(
        self,
        store: EntryStore,
        client: PetClient,
        *,
        delay: float = 3.0,
        sending: Sending | None = None,
        look_every: float = 2.0,
        clock: Callable[[], float] = time.time,
        thread: SharedThread | None = None,
        report: Callable[[Exception], None] | None = None,
        with_profile_key: bool = False,
        receipts: Receipts | None = None,
        source: Source = Source.EARLIER,
        audit: Audit | None = None,
        service: str | None = None,
        find_elsewhere: Callable[[], str] | None = None,
    ) -> None:
        """Create an outbox that is not open yet.

        Args:
            store: keeps the entries; the outbox opens and closes it.
            client: sends them; may be replaced, and the caller closes it.
            delay: seconds in which an entry can be taken back before it goes out.
            sending: that outboxes of one service share, one at a time; None for one of its own.
            look_every: seconds between two reads of what other instances did; inf for none.
            clock: wall-clock seconds.
            thread: one worker that outboxes of many users share, and that the caller ends; None
                for one of its own.
            report: called with bugs of pettui's own in the background, each kind once; None logs.
            with_profile_key: send what was typed with API keys of the user's own with the client's,
                too, as somebody decided.
            receipts: keep what is added; None for those of this outbox alone.
            source: from where what was not typed here is added, in a receipt.
            audit: told what became of each entry, once that is certain; may block for a moment.
            service: where the client's animals are, which entries record.
            find_elsewhere: returns a raw line on what its owner left in other places, "" for
                nothing; may block.
        """
        self.is_persistent = store.is_persistent  # what did not go out is sent at the next start
        self.receipts = receipts or MemoryReceipts()
        self._audit = audit
        self.author: Author | None = None  # who types here, where that is not this machine's user
        self._source = source
        self._service = service
        self._sources: dict[str, Source] = {}  # by id, of what was typed or pasted here
        self._receipt_problem = ""  # one raw line, until something is kept again
        self.typed_here: set[str] = set()  # the ids of what was typed or pasted here
        self.added_here: set[str] = set()  # the ids of what was added here since the start
        self._status = Listeners()  # told when a problem came or went
        self._bugs = Bugs(report, self._status.tell)
        self.store_thread = StoreThread(thread, self._bugs)
        self.drafts = Drafts(store, self.store_thread)
        self._cache = EntryCache(
            store, self.store_thread, self.drafts, self._status, find_elsewhere
        )
        self._adding = asyncio.Lock()
        self._newest_entry_id = ""
        self._clock = clock
        self._delay = delay
        self._look_every = look_every
        self.sending = sending or Sending(client, Backoff(), LoopTimer(), self._bugs)
        self._ready_at: dict[str, float] = {}  # when entries may go, in the timer's time, by id
        self._request: asyncio.Task[None] | None = None  # that is out
        self._sent_entry_id = ""  # of its entry
        self._sent_at: dict[str, float] = {}  # by id, of those on the way: the last time
        self._given_up: set[str] = set()  # ids of entries whose requests are being ended
        self._has_own_key = False  # the client's key is one of the user's own
        self._sends_any = with_profile_key
        self._is_for_key: dict[str, bool] = {}  # what entries record: whether of the client's key
        self._let_go: set[str] = set()  # ids of entries that any key may send
        self._is_ending = False
        self._reading: asyncio.Task[None] | None = None  # of what is kept elsewhere
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    @property
    def client(self) -> PetClient:
        """What sends the entries; with another key it is another one."""
        return self.sending.client

    @client.setter
    def client(self, client: PetClient) -> None:
        self.sending.client = client
        self._is_for_key = {UNKNOWN_KEY: self._has_own_key}
        self.sending.wake.set()

    def use_own_key(self, client: PetClient) -> None:
        """Send with an API key of the user's own from now on, and what is added is for that key.

        So is what waits for one that the service refused, and what an earlier version kept without
        saying for which key it is.
        """
        if self.sending.api_key_error is not None:  # where it is not noted yet, too
            for entry in self.entries:
                if self._is_for_key.get(entry.own_key or "", False) and not entry.owned_elsewhere:
                    self._let_go.add(entry.entry_id)
        self._has_own_key = True
        self.client = client
        self.sending.resume()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first; of the added ones the newest hundred."""
        return self._cache.all

    @property
    def store_state(self) -> StoreState:
        """What is known of what is kept, here and in other places."""
        return self._cache.state

    @property
    def problems(self) -> tuple[str, ...]:
        """One raw line each on files that could not be read, and on bugs of pettui's own."""
        receipt = (self._receipt_problem,) if self._receipt_problem else ()
        return (*self.store_state.problems, *receipt, *self._bugs.lines)

    def start(self, *, with_drafts: bool = True, only: Container[str] | None = None) -> None:
        """Read what is kept, and start sending on the running loop; blocks if the store is near.

        What is kept elsewhere is read in the background: ``opened`` waits for it.

        Args:
            with_drafts: False to leave drafts to the next outbox.
            only: ids of the entries that this outbox has; None for all.
        """
        if not self._cache.open(only, with_drafts=with_drafts):
            self._reading = self._start("reading", self._read)
        self._tasks = (
            self._start("looking", self._look),
            self._start("sending", self._send_waiting),
        )

    async def opened(self, seconds: float | None = None) -> None:
        """Wait until what is kept was read, or could not be; or for so many seconds."""
        if self._reading is not None:
            await asyncio.wait([self._reading], timeout=seconds)

    def _start(
        self, doing: str, run: Callable[[], Coroutine[None, None, None]]
    ) -> asyncio.Task[None]:
        kept_running = keep_running(
            run, partial(self._bugs.report, doing), self.sending.backoff.first
        )
        return asyncio.create_task(kept_running, name=f"outbox: {doing}")

    async def _read(self) -> None:
        await self._cache.reload()
        self.sending.wake.set()

    async def _look(self) -> None:
        """Load what other instances did, again and again; without any it returns at once."""
        while self._look_every != math.inf:  # without a timer that outlives the outbox
            now = asyncio.get_running_loop().time()
            await asyncio.sleep(until_next_look(now, self._look_every))
            await self._cache.reload()
            await self._cache.forget_old()
            self.sending.wake.set()

    async def close(self, grace: float = GRACE) -> None:
        """Stop; a request that is out gets ``grace`` seconds, and what waits stays kept."""
        for task in (self._reading, *self._tasks):
            await stopped(task)
        self._reading, self._tasks = None, ()  # which refer to this
        self._is_ending = True
        if self._request is not None:
            await asyncio.wait([self._request], timeout=grace)
            await stopped(self._request)
        await self.drafts.wait_until_written()
        await self._cache.close()

    def subscribe(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Call a listener with each entry that came, changed or left; returns the unsubscriber."""
        return self._cache.changes.subscribe(listener)

    def subscribe_to_status(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a listener when a problem came or went; returns the unsubscriber."""
        return self._status.subscribe(listener)

    # Adding: when it returns, the entry is on the disk

    @shielded
    async def add(
        self,
        name: str,
        category_id: int,
        status: str | None,
        *,
        copy_of: str = "",
    ) -> Entry:
        """Add the animal that stands in the form; it is kept for good when this returns.

        Args:
            name: of the animal.
            category_id: of its category.
            status: None where it is not set.
            copy_of: id of the entry that it was made of; a refused one becomes what this adds.

        Raises:
            OutboxError: it could not be kept, and is not in the outbox.
        """
        async with self._adding:
            await self._prepare_adding()
            refused = self._cache.get(copy_of)
            if refused is not None and (refused.state is not _REFUSED or refused.owned_elsewhere):
                refused = None  # it stays as it is
            entry = self._new_entry(name, category_id, status, refused)
            entry = replace(entry, own_key=await self._own_key(entry.entry_id))
            self._sources[entry.entry_id] = Source.FORM
            if refused is None:
                entry = await self._cache.add(entry)
            elif not await self._cache.correct(refused, entry):
                raise OutboxError(f"{refused.label} was changed in another window")
            self.typed_here.add(entry.entry_id)
        self.sending.wake.set()
        return entry

    async def add_all(self, pets: Sequence[NewPet]) -> list[Entry]:
        """Add several animals, all of them or none; they are kept for good when this returns.

        Raises OutboxError where one could not be kept, and then none is in the outbox.
        """
        async with self._adding:
            await self._prepare_adding()
            entries = [self._new_entry(pet.name, pet.category_id, pet.status) for pet in pets]
            if entries:
                self._sources |= {entry.entry_id: Source.PASTE for entry in entries}
                own_key = await self._own_key(entries[0].entry_id)
                entries = [replace(entry, own_key=own_key) for entry in entries]
                await self._cache.add_all(entries)
        self.sending.wake.set()
        return entries

    async def _prepare_adding(self) -> None:
        if self._look_every == math.inf:
            await self._cache.forget_old()
        self._newest_entry_id = max(self._newest_entry_id, self._cache.newest_id)

    def _new_entry(
        self, name: str, category_id: int, status: str | None, corrected: Entry | None = None
    ) -> Entry:
        now = self._clock()
        if corrected is not None:
            entry_id = corrected.entry_id
        else:
            entry_id = self._newest_entry_id = next_entry_id(now, self._newest_entry_id)
        self.typed_here.add(entry_id)
        due = now + self._delay
        return Entry(
            entry_id, name, category_id, status, _WAITING, due,
            author=self.author, service=self._service,
        )  # fmt: skip

    # API keys of the user's own

    async def _own_key(self, entry_id: str) -> str | None:
        """Return what an entry records of the client's key; None where that is the profile's."""
        if not (self._has_own_key and self.is_persistent and self.client.has_key):
            return None
        own_key: str = await self.store_thread.run(own_key_of, self.client.api_key, entry_id)
        self._is_for_key[own_key] = True
        return own_key

    async def _look_whose(self) -> None:
        """Find out which entries are for the client's key; each takes a while, once a key."""
        for entry in self._own_on_the_way():
            own_key, client = entry.own_key, self.client
            if own_key is not None and own_key not in self._is_for_key and client.has_key:
                is_it = await self.store_thread.run(is_for, own_key, client.api_key)
                if client is self.client:
                    self._is_for_key[own_key] = is_it
                    self._cache.changes.tell(entry)

    async def _note_refused_key(self) -> None:
        """Keep that what waits for a key of the user's own, which was refused, goes with the next.

        The key may have been mistyped: then nobody could type it again at the next start.
        """
        if self.sending.api_key_error is None or not self._has_own_key:
            return
        for entry in self._own_on_the_way():
            if entry.own_key and self._is_for_key.get(entry.own_key, False):
                await self._cache.change(entry, replace(entry, own_key=UNKNOWN_KEY))

    def _may_send(self, entry: Entry, *, unless_known: bool = False) -> bool:
        """Whether the client's key may send an entry.

        Args:
            entry: that is not sent elsewhere.
            unless_known: what is returned while that is not found out.
        """
        is_free = entry.own_key is None or self._sends_any or entry.entry_id in self._let_go
        return is_free or self._is_for_key.get(entry.own_key or "", unless_known)

    def waits_for_own_key(self, entry: Entry) -> bool:
        """Whether an entry waits for the API key of the user's own that it was typed with."""
        is_on_the_way = entry.state in ON_THE_WAY and not entry.owned_elsewhere
        return is_on_the_way and not self._may_send(entry, unless_known=True)

    # Sending what waits here

    async def _send_waiting(self) -> None:
        """Send one entry after the other until cancelled; a request that is out goes on."""
        while True:
            self.sending.wake.clear()
            try:
                await self._look_whose()
                await self._note_refused_key()
            except OutboxError as error:  # there is no thread for it, or it cannot be kept
                self.sending.store_failed(str(error))
            # What is out may come back, and does not wait for its delay once more.
            on_the_way = [entry for entry in self.entries if entry.state in ON_THE_WAY]
            self._ready_at = {entry.entry_id: self._ready(entry) for entry in on_the_way}
            entry, at = self._next()
            seconds = at - self.sending.timer.now()
            if entry is None or seconds > 0:
                await self.sending.timer.wait(self.sending.wake, seconds)
            elif self.sending.must_probe:
                await self.sending.probe()
                self._cache.changes.tell(entry)
            else:
                self._sent_entry_id = entry.entry_id
                self._request = asyncio.create_task(self._send(entry))
                self._request.add_done_callback(self._sent)

    def _next(self) -> tuple[Entry | None, float]:
        """Return the entry that goes next, and when, in the timer's time; inf without any.

        It is the oldest that waits, or one that is sent again, whichever goes first; of those that
        could go now it is the oldest.
        """
        if self._request is not None:
            return None, math.inf
        now = self.sending.timer.now()
        entries = [entry for entry in self._own_on_the_way() if self._may_send(entry)]
        sent = (entry for entry in entries if entry.state is _SENDING)
        again = [entry for entry in sent if entry.entry_id not in self._given_up]
        waiting = [entry for entry in entries if entry.state is _WAITING][:1]
        times = [(self.sending.repeats_at(entry), entry) for entry in again]
        times += [(self._ready(entry), entry) for entry in waiting]
        if not times:
            return None, math.inf
        at, entry = min(times, key=lambda each: (max(each[0], now), each[1].entry_id))
        return entry, max(at, self.sending.next_at)

    def _own_on_the_way(self) -> list[Entry]:
        """Return what waits here or is sent again, without what is out."""
        sent = (each for each in self.entries if each.state in ON_THE_WAY)
        own = (each for each in sent if not each.owned_elsewhere and not self._is_out(each))
        return [each for each in own if each.state is _WAITING or each.store_id is not None]

    async def _as_sent(self, entry: Entry) -> Entry:
        """Return an entry as it is kept before its request goes out."""
        is_again, own_key = entry.state is _SENDING, entry.own_key
        if own_key == UNKNOWN_KEY or (own_key and not self._is_for_key.get(own_key, False)):
            own_key = await self._own_key(entry.entry_id)  # as somebody decided
        if is_again:
            return replace(entry, refusal=entry.refusal or Refusal(CUT_OFF), own_key=own_key)
        store_id, now = self.sending.store_id, self._clock()
        sending = replace(entry.becoming(_SENDING), sent_at=now)
        return replace(sending, store_id=store_id, own_key=own_key)

    async def _send(self, entry: Entry) -> None:
        if entry.state is _SENDING and entry.store_id != self.sending.store_id:
            self._sent_entry_id = ""
            await self._keep_outcome(entry, self.sending.not_promised(entry))
            return
        sending, client = entry, self.client
        try:
            sending = await self._as_sent(entry)
            if self._cache.get(entry.entry_id) is not entry:  # somebody was faster
                return
            is_claimed = sending == entry and self._cache.claimed_for(entry) > 0
            if not is_claimed and not await self._cache.change(entry, sending):
                return
        except OutboxError as error:  # what may be out must be kept as that first
            self.sending.store_failed(str(error))
            self._cache.changes.tell(entry)
            return
        except asyncio.CancelledError:
            if sending is not entry:  # it is kept as being sent already, or will be in a moment
                await self._keep_outcome(sending, entry)
            raise
        is_claimed = self._cache.claimed_for(sending) > 0
        if self._is_ending or not is_claimed or client is not self.client:
            if not is_claimed:
                self.sending.store_failed(NO_CLAIM)
            await self._keep_outcome(sending, entry)
            return
        became = sending.unanswered(Refusal(CUT_OFF))
        self._sent_at[entry.entry_id] = self._clock()
        try:
            became = await self._sent_while_claimed(sending, client)
        finally:
            # Whatever interrupts it, it may be out.
            self._sent_entry_id = ""  # who is told of it can ask when it is sent again
            await self._keep_outcome(sending, became)

    async def _sent_while_claimed(self, entry: Entry, client: PetClient) -> Entry:
        """Send an entry; the request ends before somebody else may send it."""
        adds = self.sending.add(entry, idempotency_key(entry), client)
        if self._cache.claimed_for(entry) == math.inf:
            return (await adds).entry
        adding = asyncio.create_task(adds)
        try:
            while not adding.done() and (seconds := self._cache.claimed_for(entry)) > 0:
                await asyncio.wait([adding], timeout=seconds)
        finally:
            adding.cancel()
        await asyncio.wait([adding])
        if adding.cancelled():
            return self.sending.unanswered(entry, CLAIM_ENDED)
        return adding.result().entry

    @shielded
    async def _keep_outcome(self, old: Entry, became: Entry) -> None:
        new = self._with_time(became)
        if new.state is _ADDED:
            self.added_here.add(new.entry_id)
        if new.state in _CERTAIN:
            await self._record(new)
        await self._cache.keep_outcome(old, new)

    async def _record(self, entry: Entry, decided_by: Author | None = None) -> None:
        """Have the audit told what became of an entry, and put one that was added into the receipt.

        First, so that who is told of the entry finds it there. That it cannot be kept there is a
        problem to show.
        """
        source = self._sources.get(entry.entry_id, self._source)
        if self._audit is not None:
            refusal = entry.refusal if entry.state is _REFUSED else None
            status, code = (None, None) if refusal is None else (refusal.status, refusal.code)
            code = code and self.client.api_key.mask(code)
            typed = entry.entry_id, entry.typed_at, entry.author
            certain = Certain(*typed, source, entry.pet_id, status, code, decided_by)
            try:
                await self.store_thread.run(self._audit, certain)
            except OutboxError:  # there is no thread for it
                self._audit(certain)
        if entry.pet_id is None:
            return
        pet = entry.pet or Pet(
            id=entry.pet_id, name=entry.name, category_id=entry.category_id, status=entry.status,
        )  # fmt: skip
        pet = replace(pet, name=self.client.api_key.mask(pet.name))
        problem = ""
        try:
            await self.store_thread.run(self.receipts.record, Added.of(entry.entry_id, source, pet))
        except OutboxError as error:
            problem = f"not in the receipt: {error}"
        if problem != self._receipt_problem:
            self._receipt_problem = problem
            self._status.tell()

    def _with_time(self, entry: Entry) -> Entry:
        """Return an entry that is sent no more with the time when it was; each try is not kept."""
        if entry.state is _SENDING:
            return entry
        return replace(entry, sent_at=self._sent_at.pop(entry.entry_id, entry.sent_at))

    def _sent(self, _: asyncio.Task[None]) -> None:
        self._request = None
        self.sending.wake.set()

    @property
    def is_sending(self) -> bool:
        """Whether a request is out."""
        return self._request is not None

    def _is_out(self, entry: Entry) -> bool:
        return self._request is not None and entry.entry_id == self._sent_entry_id

    def _ready(self, entry: Entry) -> float:
        """Return the timer's time at which an entry may go.

        The wall clock is read once an entry, and trusted up to the delay: if it is changed
        afterwards, nothing goes out early or waits for ever.
        """
        if entry.entry_id not in self._ready_at:
            seconds = min(max(entry.due - self._clock(), 0.0), self._delay)
            self._ready_at[entry.entry_id] = self.sending.timer.now() + seconds
        return self._ready_at[entry.entry_id]

    def goes_in(self, entry: Entry) -> float:
        """Return the seconds in which an entry can surely be taken back; 0 for one that is out."""
        if not entry.waits_here or self._is_out(entry):
            return 0.0
        return max(self._ready(entry) - self.sending.timer.now(), 0.0)

    def goes_again_in(self, entry: Entry) -> float:
        """Return the seconds in which an entry is sent again; 0 for any other, and while it is."""
        if not entry.is_sent_again or entry.owned_elsewhere or self._is_out(entry):
            return 0.0
        return max(self.sending.repeats_at(entry) - self.sending.timer.now(), 0.0)

    @property
    def on_the_way(self) -> list[Entry]:
        """What waits here or is sent, but for what waits for an API key of the user's own."""
        own = (entry for entry in self.entries if entry.state in ON_THE_WAY)
        here = (entry for entry in own if not entry.owned_elsewhere)
        return [entry for entry in here if self._may_send(entry, unless_known=True)]

    def hurry(self) -> None:
        """Send what waits without the delay in which it could be taken back."""
        now = self.sending.timer.now()
        self._ready_at = {entry.entry_id: now for entry in self.entries if entry.waits_here}
        self.sending.resume()

    # What somebody does with an entry

    @property
    def waiting(self) -> list[Entry]:
        """What waits to be sent by this instance: what can be taken back for longest comes last."""
        return sorted((each for each in self.entries if each.waits_here), key=self.goes_in)

    async def take_newest_back(self) -> Entry | None:
        """Make the newest entry that waits here the draft; None where there is none.

        A draft that is typed is put aside.
        """
        for entry in reversed(self.waiting):
            if await self._cache.take_back(entry):
                return entry
        return None

    async def take_back(self, entry_id: str) -> Entry:
        """Make a waiting entry the draft, to be edited in the form.

        Raises OutboxError where it is being sent or gone, or the disk failed.
        """
        entry = self._entry(entry_id, _WAITING)
        if not await self._cache.take_back(entry):
            raise OutboxError(f"{entry.label} is being sent, or no longer exists")
        return entry

    async def copy(self, entry_id: str) -> None:
        """Make a copy of a refused or unknown entry the draft; it stays until that is added.

        Raises OutboxError where its state has changed, or the disk failed.
        """
        await self.drafts.copy(self._entry(entry_id, _REFUSED, _UNKNOWN))

    def may_be_there(self, entry_id: str) -> bool:
        """Whether the service may have the entry of an id: it is not surely refused."""
        entry = self._cache.get(entry_id)
        return entry is None or entry.state is not _REFUSED

    async def send_again(self, entry_id: str) -> None:
        """Send a refused or unknown entry again, at once.

        Raises OutboxError where its state has changed, or the disk failed.
        """
        entry = self._entry(entry_id, _REFUSED, _UNKNOWN)
        waiting = entry.becoming(_WAITING, due=self._clock())
        waiting = replace(waiting, own_key=await self._own_key(entry_id))
        if not await self._cache.change(entry, waiting):
            raise OutboxError(f"{entry.label} was changed in another window")
        self.sending.resume()

    async def give_up(self, entry_id: str) -> None:
        """Send an entry no more that is sent again by itself: it is unknown then.

        Raises OutboxError where its state has changed, or the disk failed.
        """
        entry = self._entry(entry_id, _SENDING)
        if entry.store_id is None or entry.owned_elsewhere:
            raise OutboxError(f"{entry.label} is being sent")
        self._given_up.add(entry_id)  # not sent again while its request ends
        try:
            if self._request is not None and self._is_out(entry):
                await stopped(self._request)
                entry = self._entry(entry_id, _SENDING)
            if not await self._cache.change(entry, self._with_time(entry.given_up())):
                raise OutboxError(f"{entry.label} was changed in another window")
        finally:
            self._given_up.discard(entry_id)
            self.sending.wake.set()

    def sent_ago(self, entry: Entry) -> float | None:
        """Return the seconds since an entry was last sent; None where that is not known."""
        return None if entry.sent_at is None else max(self._clock() - entry.sent_at, 0.0)

    def typed_ago(self, entry: Entry) -> float:
        """Return the seconds since an entry was typed."""
        return max(self._clock() - entry.typed_at, 0.0)

    async def resolve(self, entry_id: str, pet: Pet) -> None:
        """Make an unknown entry an added one: somebody says which listed animal it became.

        Raises OutboxError where its state has changed, another entry became that animal, or the
        disk failed.
        """
        entry = self._entry(entry_id, _UNKNOWN)
        alike = likeness(pet.name, pet.category_id)
        for other in self.entries:  # an id may have been given again, to another animal
            if other.pet_id == pet.id and likeness(other.name, other.category_id) == alike:
                raise OutboxError(f"id {pet.id} is what {other.label} was added as")
        wrong = [
            field
            for field, sent, listed in (
                ("name", entry.name, pet.name),
                ("status", entry.status or pet.status, pet.status),
            )
            if sent != listed
        ]
        odd = f"it is listed with another {' and '.join(wrong)} than was sent" if wrong else None
        self.added_here.add(entry_id)  # before anybody is told
        is_done = False
        try:
            is_done = await self._cache.change(entry, entry.added_as(pet, odd=odd))
        finally:
            if not is_done:
                self.added_here.discard(entry_id)
        if not is_done:
            raise OutboxError(f"{entry.label} was changed in another window")
        await self._record(entry.added_as(pet), decided_by=self.author)

    async def forget(self, entry_id: str) -> None:
        """Remove an entry that is not being sent; raises OutboxError."""
        entry = self._entry(entry_id, _WAITING, _REFUSED, _UNKNOWN, _ADDED)
        if not await self._cache.remove(entry) and entry.state is _WAITING:
            raise OutboxError(f"{entry.label} is being sent, or no longer exists")

    async def forget_added(self, entry_ids: Iterable[str]) -> None:
        """Remove added entries, with one notice of all; raises OutboxError where one stays."""
        found = [entry for entry in map(self._cache.get, entry_ids) if entry is not None]
        await self._cache.remove_added([entry for entry in found if entry.state is _ADDED])

    def _entry(self, entry_id: str, *states: EntryState) -> Entry:
        """Return an entry that is in one of some states; raises OutboxError if it is not."""
        entry = self._cache.get(entry_id)
        if entry is None:
            raise OutboxError("this entry no longer exists")
        if entry.state not in states:
            raise OutboxError(f"{entry.label} is now {entry.state.value}")
        return entry


def until_next_look(now: float, every: float) -> float:
    """Return the seconds until an outbox looks again, at a moment that it shares with others.

    They are at most ``every``, and exactly that from one of the moments to the next.

    Args:
        now: the loop's time.
        every: seconds between two looks.
    """
    return every - now % (every / MOMENTS)
