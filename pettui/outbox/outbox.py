"""Outbox: the entries of one owner on one profile, in memory, in their store and on their way.

From Enter to the 201 an animal goes this way:

1. The form awaits ``add``, which makes a WAITING entry of what was typed. ``_keep_new`` goes on
   from there even if the form is cancelled: every change that is ``finished`` does.
2. ``Drafts.become`` has ``EntryStore.add`` make the form's draft the entry, on the disk's thread
   (``DirectoryEntryStore``: the draft's file is written whole, synced, renamed, and its directory
   synced). What fails there is an OutboxError, and the entry does not exist.
3. It is put into memory, the listeners are told, and ``add`` returns: it is kept for good.
4. ``_send_waiting``, a background task, takes the oldest once its delay is over. ``_send`` has
   ``EntryStore.change`` keep it as SENDING before its request goes out.
5. ``Sending.add`` calls ``PetClient.create_pet`` once. A 201 makes it ADDED, with its id; what any
   other end means, ``outcome`` says.
6. ``_keep_outcome`` keeps what it became, in the store and in memory, and tells the listeners.
"""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec

from pettui.background_tasks import Bugs, keep_running, stopped
from pettui.backoff import Backoff
from pettui.models import PetStatus, find_lost_add, is_newest_first
from pettui.outbox.disk_thread import DiskThread, Result
from pettui.outbox.drafts import Drafts
from pettui.outbox.entries import (
    COPIED,
    Entry,
    EntryState,
    OutboxError,
    Refusal,
    next_entry_id,
)
from pettui.outbox.sending import LoopTimer, Sending, Timer

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence
    from concurrent.futures import ThreadPoolExecutor

    from pettui.client import OnWait, PetClient
    from pettui.models import NewPet, Pet
    from pettui.outbox.entries import EntryStore

Arguments = ParamSpec("Arguments")

GRACE: Final = 2.0  # seconds that a request gets to end when the app closes
CUT_OFF: Final = "pettui exited while this was being sent"
AT_ONCE: Final = 50  # entries of many that are written in one call
LISTED: Final = 100  # animals in one list, at most
# As many as one list has, so that a search takes no animal of another entry for its own.
ADDED_KEPT: Final = LISTED
# Moments in each interval at which the outboxes of a process look: waking an idle process costs
# more than most looks do, but all looks at once would hold up the keys of its users.
MOMENTS: Final = 4

_WAITING: Final = EntryState.WAITING
_REFUSED: Final = EntryState.REFUSED
_UNKNOWN: Final = EntryState.UNKNOWN
_ADDED: Final = EntryState.ADDED


def finished(
    change: Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Result]]:
    """Return a change that is finished even if its caller is cancelled."""

    @wraps(change)
    async def run(outbox: Any, /, *positional: Arguments.args, **named: Arguments.kwargs) -> Result:
        done: Result = await outbox.disk.finish(change(outbox, *positional, **named))
        return done

    return run


class Outbox:
    """Accepts entries at once, keeps them for good, and sends them in the background, in order."""

    def __init__(
        self,
        store: EntryStore,
        client: PetClient,
        *,
        delay: float = 3.0,
        backoff: Backoff | None = None,
        sending: Sending | None = None,
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
            sending: that outboxes of one service share, one at a time; None for one of its own.
            look_every: seconds between two reads of what other instances did; inf for none.
            clock: wall-clock seconds.
            thread: one worker that outboxes of many users share, and that the caller ends; None
                for one of its own.
            timer: for sending; None is the running loop's clock.
            report: called with bugs of pettui's own in the background, each kind once; None logs.
        """
        self.is_persistent = store.is_persistent  # what did not go out is sent at the next start
        self.typed_here: set[str] = set()  # the ids of what was typed or pasted here
        self.added_here: set[str] = set()  # the ids of what was added here since the start
        self.store_error: str | None = None  # one raw line, until all is kept again
        self._listeners: list[Callable[[Entry], None]] = []
        self._status_listeners: list[Callable[[], None]] = []
        self._bugs = Bugs(report, partial(_notify, self._status_listeners))
        self._store = store
        self.disk = DiskThread(thread, self._bugs)
        self.drafts = Drafts(store, self.disk)
        self._entries: dict[str, Entry] = {}  # by id; as the store has them, or further
        self._sorted: tuple[Entry, ...] | None = None  # by id; None after a change
        self._unkept: dict[str, Entry] = {}  # as the store has those that are further in memory
        self._unread: tuple[str, ...] = ()  # raw lines on what the store could not read
        self._lost: dict[str, None] = {}  # raw lines on outcomes that could not be kept
        self._chosen: Callable[[Entry], bool] | None = None  # of what is there first; None for all
        self._only: frozenset[str] | None = None  # the ids of those
        self._forgotten: set[str] = set()  # ids of refused entries that were forgotten here
        self._adding = asyncio.Lock()
        self._newest_entry_id = ""
        self._newest_id: int | None = None  # of an animal that was seen
        self._clock = clock
        self._delay = delay
        self._look_every = look_every
        self._backoff = backoff or Backoff()
        self._timer = timer or LoopTimer()
        self.sending = sending or Sending(client, self._backoff, self._timer, self._bugs)
        self._ready_at: dict[str, float] = {}  # when entries may go, in the timer's time, by id
        self._request: asyncio.Task[None] | None = None  # that is out
        self._sent_entry_id = ""  # of its entry
        self._is_ending = False
        self._with_drafts = False
        self._was_read = asyncio.Event()  # or could not be; it is tried again then
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    @property
    def client(self) -> PetClient:
        """What sends the entries; with another key it is another one."""
        return self.sending.client

    @client.setter
    def client(self, client: PetClient) -> None:
        self.sending.client = client

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first; of the added ones the newest hundred."""
        if self._sorted is None:
            self._sorted = tuple(self._entries[entry_id] for entry_id in sorted(self._entries))
        return self._sorted

    @property
    def unread(self) -> tuple[str, ...]:
        """One raw line each on files that could not be read, without names of animals."""
        return self._unread

    @property
    def problems(self) -> tuple[str, ...]:
        """One raw line each on files that could not be read, and on bugs of pettui's own."""
        return (*self._unread, *self._lost, *self._bugs.lines)

    def start(
        self, *, with_drafts: bool = True, chosen: Callable[[Entry], bool] | None = None
    ) -> None:
        """Read what is kept, and start sending on the running loop; blocks if the store is near.

        What is kept elsewhere is read in the background: ``opened`` waits for it.

        Args:
            with_drafts: False to leave drafts to the next outbox.
            chosen: says which entries this outbox has, of those that are there now; None for all.
        """
        self._chosen = chosen
        self._with_drafts = with_drafts
        if self._store.is_near:
            self._read_here()
        self._tasks = (
            self._start("looking", self._look),
            self._start("sending", self._send_waiting),
        )

    def _read_here(self) -> None:
        try:
            contents = self.disk.run_here(self._store.load)
            self._set_unread(contents.problems)
            self._put(*self._own(contents.entries))
            if self._with_drafts:
                self.drafts.load()
        except OutboxError as error:
            self._set_store_error(str(error))
        self._was_read.set()

    async def opened(self, seconds: float | None = None) -> None:
        """Wait until what is kept was read, or could not be; or for so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._was_read.wait()

    def _start(
        self, doing: str, run: Callable[[], Coroutine[None, None, None]]
    ) -> asyncio.Task[None]:
        kept_running = keep_running(run, partial(self._bugs.report, doing), self._backoff.first)
        return asyncio.create_task(kept_running, name=f"outbox: {doing}")

    async def close(self, grace: float = GRACE) -> None:
        """Stop; a request that is out gets ``grace`` seconds, and what waits stays kept."""
        for task in self._tasks:
            await stopped(task)
        self._tasks = ()  # which refer to this
        self._was_read.set()
        self._is_ending = True
        if self._request is not None:
            await asyncio.wait([self._request], timeout=grace)
            await stopped(self._request)
        await self.drafts.finish()
        for entry_id in tuple(self._unkept):
            with suppress(OutboxError):
                await self._keep_unkept(entry_id)
        await self.disk.close(self._store.close)

    def subscribe(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Call a listener with each entry that came, changed or left; returns the unsubscriber."""
        self._listeners.append(listener)
        return partial(_unsubscribe, self._listeners, listener)

    def subscribe_to_status(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a listener when a problem came or went; returns the unsubscriber."""
        self._status_listeners.append(listener)
        return partial(_unsubscribe, self._status_listeners, listener)

    # Adding: when it returns, the entry is on the disk

    async def add(
        self,
        name: str,
        category_id: int,
        status: str | None,
        *,
        was_draft: bool = False,
        copy_of: str = "",
    ) -> Entry:
        """Add an animal; it is kept for good when this returns.

        Args:
            name: of the animal.
            category_id: of its category.
            status: None where it is not set.
            was_draft: whether it stood in the form.
            copy_of: id of the entry that it was made of, whose place it takes.

        Raises:
            OutboxError: it could not be kept, and is not in the outbox.
        """
        async with self._adding:
            await self._prepare_adding()
            entry = self._new_entry(name, category_id, status)
            if self._is_replaceable(copy_of):
                entry = replace(entry, replaces=copy_of)
            await self._keep_new(entry, was_draft=was_draft)
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
                await self._keep_all_new(entries)
        self.sending.wake.set()
        return entries

    def saw(self, pet_ids: Iterable[int]) -> None:
        """Note animals that exist: no entry made from now on can become one of them."""
        newest = max(pet_ids, default=None)
        if newest is not None and (self._newest_id is None or newest > self._newest_id):
            self._newest_id = newest

    async def _prepare_adding(self) -> None:
        if self._look_every == math.inf:
            await self._forget_old()
        self.saw(entry.pet_id for entry in self._entries.values() if entry.pet_id is not None)
        self._newest_entry_id = max((self._newest_entry_id, *self._entries))

    def _new_entry(self, name: str, category_id: int, status: str | None) -> Entry:
        now = self._clock()
        entry_id = self._newest_entry_id = next_entry_id(now, self._newest_entry_id)
        self.typed_here.add(entry_id)
        due, after_id = now + self._delay, self._newest_id
        return Entry(entry_id, name, category_id, status, _WAITING, due, after_id=after_id)

    def _is_replaceable(self, entry_id: str) -> bool:
        """Whether an entry that was made of another one can take its place."""
        entry = self._entries.get(entry_id)
        return entry is not None and entry.state in COPIED and not entry.owned_elsewhere

    @finished
    async def _keep_new(self, entry: Entry, *, was_draft: bool) -> None:
        if entry.replaces is not None:  # its state must be that in the store too, to be hidden
            await self._keep_unkept(entry.replaces)
        await self.drafts.become(entry, was_draft=was_draft)
        self._put(entry)
        self._notify(entry)
        if entry.replaces is not None and self._is_replaceable(entry.replaces):
            self._drop(self._entries[entry.replaces])

    @finished
    async def _keep_all_new(self, entries: Sequence[Entry]) -> None:
        """Keep them a few at a time: the thread may be shared by many users, who wait for it."""
        try:
            for start in range(0, len(entries), AT_ONCE):
                await self.disk.run(self._store.prepare, entries[start : start + AT_ONCE])
            await self.disk.run(self._store.add_prepared, entries)
        except OutboxError:
            with suppress(OutboxError):  # the next instance removes it then
                await self.disk.run(self._store.drop_prepared)
            raise
        self._put(*entries)
        self._notify(entries[-1])

    # Sending what waits here

    async def _send_waiting(self) -> None:
        """Send one entry after the other until cancelled; a request that is out goes on."""
        while True:
            self.sending.wake.clear()
            waiting = [entry for entry in self.entries if entry.state is _WAITING]
            self._ready_at = {entry.entry_id: self._ready(entry) for entry in waiting}
            seconds = self._time_to_wait()
            if seconds > 0:
                await self._timer.wait(self.sending.wake, seconds)
            elif self.sending.trip is not None and self.sending.trip.probe_first:
                await self.sending.probe()
                if (entry := self._oldest_waiting()) is not None:
                    self._notify(entry)
            elif (entry := self._oldest_waiting()) is not None:
                self._sent_entry_id = entry.entry_id
                self._request = asyncio.create_task(self._send(entry))
                self._request.add_done_callback(self._sent)

    def _time_to_wait(self) -> float:
        entry = self._oldest_waiting()
        if entry is None or self._request is not None:
            return math.inf
        trip = self.sending.trip
        return max(self._ready(entry), trip.until if trip else 0.0) - self._timer.now()

    async def _send(self, entry: Entry) -> None:
        sending = entry.becoming(EntryState.SENDING)
        try:
            if not await self._keep(entry, sending):
                return
        except OutboxError as error:  # what may be out must be kept as that first
            self.sending.back_off(str(error))
            self._notify(entry)
            return
        except asyncio.CancelledError:
            # It is kept as being sent already, or will be in a moment.
            await self._keep_outcome(sending, entry)
            raise
        if self._is_ending:
            await self._keep_outcome(sending, entry)
            return
        became = entry.becoming(_UNKNOWN, refusal=Refusal(CUT_OFF))
        try:
            became = (await self.sending.add(sending)).entry
        finally:
            # Whatever interrupts it, it is UNKNOWN then.
            await self._keep_outcome(sending, became)

    def _sent(self, _: asyncio.Task[None]) -> None:
        self._request = None
        self.sending.wake.set()

    @finished
    async def _keep_outcome(self, old: Entry, new: Entry) -> None:
        """Keep what became of an entry; if the store fails, it is tried again later."""
        if new.state is _ADDED:
            self.added_here.add(new.entry_id)
        try:
            is_ours = await self.disk.run(self._store.change, old, new)
        except OutboxError as error:
            self._set_store_error(str(error))
            self._unkept.setdefault(old.entry_id, old)
            is_ours = True
        if is_ours:
            self._put(new)
            self._notify(new)
            return
        # Another instance owns it, in another state, or removed it.
        id_text = f" with id {new.pet_id}" if new.pet_id else ""
        became = f"{new.label} is {new.state.value}{id_text}"
        self._lost[f"{became}, but its file was changed or removed by another window"] = None
        _notify(self._status_listeners)
        self._drop(self._entries.get(old.entry_id) or old)
        await self._reload()

    def _oldest_waiting(self) -> Entry | None:
        here = (entry for entry in self.entries if entry.waits_here and not self._is_out(entry))
        return next(here, None)

    def _is_out(self, entry: Entry) -> bool:
        return self._request is not None and entry.entry_id == self._sent_entry_id

    def _ready(self, entry: Entry) -> float:
        """Return the timer's time at which an entry may go.

        The wall clock is read once an entry, and trusted up to the delay: if it is changed
        afterwards, nothing goes out early or waits for ever.
        """
        if entry.entry_id not in self._ready_at:
            seconds = min(max(entry.due - self._clock(), 0.0), self._delay)
            self._ready_at[entry.entry_id] = self._timer.now() + seconds
        return self._ready_at[entry.entry_id]

    def goes_in(self, entry: Entry) -> float:
        """Return the seconds in which an entry can surely be taken back; 0 for one that is out."""
        if not entry.waits_here or self._is_out(entry):
            return 0.0
        return max(self._ready(entry) - self._timer.now(), 0.0)

    def hurry(self) -> None:
        """Send what waits without the delay in which it could be taken back."""
        now = self._timer.now()
        self._ready_at = {entry.entry_id: now for entry in self.entries if entry.waits_here}
        self.sending.resume()

    # What somebody does with an entry

    @property
    def can_take_back(self) -> bool:
        """Whether an entry waits to be sent by this instance."""
        return any(entry.waits_here for entry in self.entries)

    async def take_back(self) -> Entry | None:
        """Make the newest entry that waits here the draft; None where there is none.

        A draft that is typed is put aside.
        """
        for entry in reversed(self.entries):
            if entry.waits_here and await self._bring_into_form(entry):
                return entry
        return None

    async def take_out(self, entry_id: str) -> Entry:
        """Make a waiting entry the draft, to be edited in the form.

        Raises OutboxError where it is being sent or gone, or the disk failed.
        """
        entry = self._entry(entry_id, _WAITING)
        if not await self._bring_into_form(entry):
            raise OutboxError(f"{entry.label} is being sent, or no longer exists")
        return entry

    async def copy(self, entry_id: str) -> None:
        """Make a copy of a refused or unknown entry the draft; it stays until that is added.

        Raises OutboxError where its state has changed, or the disk failed.
        """
        await self.drafts.copy(self._entry(entry_id, _REFUSED, _UNKNOWN))

    def may_be_there(self, entry_id: str) -> bool:
        """Whether the service may have the entry of an id: it is not surely refused."""
        entry = self._entries.get(entry_id)
        if entry is None:
            return entry_id not in self._forgotten
        return entry.state is not _REFUSED

    async def send_again(self, entry_id: str) -> None:
        """Send a refused or unknown entry again, at once.

        Raises OutboxError where its state has changed, or the disk failed.
        """
        entry = self._entry(entry_id, _REFUSED, _UNKNOWN)
        if not await self._keep(entry, entry.becoming(_WAITING, due=self._clock())):
            raise OutboxError(f"{entry.label} was changed in another window")
        self.sending.resume()

    async def look_for(self, entry_id: str, *, on_wait: OnWait | None = None) -> Pet | None:
        """Look for what an unknown entry became among the newest of its status (listPets).

        It is ADDED where it is found, and stays UNKNOWN where it is not: the list is no proof.

        Args:
            entry_id: of the entry.
            on_wait: called before each wait between two attempts.

        Raises:
            PetClientError: the list could not be loaded.
            OutboxError: the entry is no longer unknown.
        """
        entry = self._entry(entry_id, _UNKNOWN)
        others = {other.pet_id for other in self.entries if other.pet_id is not None}
        status = None if entry.status is None else PetStatus(entry.status)
        page = await self.client.list_pets(limit=LISTED, status=status, on_wait=on_wait)
        # Where ids do not fall, they say nothing about age.
        after_id = entry.after_id if is_newest_first(page.pets) else None
        pet = find_lost_add(entry, page.pets, others, after_id)
        if pet is not None:
            still = self._entry(entry_id, _UNKNOWN)
            await self._keep_outcome(still, still.added_as(pet))
        self.sending.service_responded()
        return pet

    async def forget(self, entry_id: str) -> None:
        """Remove an entry that is not being sent; raises OutboxError."""
        entry = self._entry(entry_id, _WAITING, _REFUSED, _UNKNOWN, _ADDED)
        if not await self._remove(entry) and entry.state is _WAITING:
            raise OutboxError(f"{entry.label} is being sent, or no longer exists")
        if entry.state is _REFUSED:
            self._forgotten.add(entry_id)

    async def forget_added(self, entry_ids: Iterable[str]) -> None:
        """Remove added entries, with one notice of all; raises OutboxError where one stays."""
        found = [
            entry for entry_id in entry_ids if (entry := self._entries.get(entry_id)) is not None
        ]
        await self._remove_added([entry for entry in found if entry.state is _ADDED])

    async def _remove_added(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.entry_id in self._unkept:  # that it was added is to be kept first
                await self._remove(entry)
        await self._remove_all([each for each in entries if each.entry_id in self._entries])

    def _entry(self, entry_id: str, *states: EntryState) -> Entry:
        """Return an entry that is in one of some states; raises OutboxError if it is not."""
        entry = self._entries.get(entry_id)
        if entry is None:
            raise OutboxError("this entry no longer exists")
        if entry.state not in states:
            raise OutboxError(f"{entry.label} is now {entry.state.value}")
        return entry

    @finished
    async def _bring_into_form(self, entry: Entry) -> bool:
        """Make an entry the draft; False where it is being sent, or another instance owns it."""
        await self._keep_unkept(entry.entry_id)
        return await self._gone(entry, done=await self.drafts.bring_in(entry))

    @finished
    async def _remove(self, entry: Entry) -> bool:
        """Forget an entry; False where another instance owns it by now."""
        await self._keep_unkept(entry.entry_id)
        return await self._gone(entry, done=await self.disk.run(self._store.remove, entry))

    @finished
    async def _remove_all(self, entries: Sequence[Entry]) -> None:
        """Forget entries a few at a time, and notify once: a screen is drawn for each notice.

        One that cannot be forgotten keeps none of the others; its error is raised at the end.
        """
        removed: list[tuple[Entry, bool]] = []
        errors: list[OutboxError] = []

        def remove(some: Sequence[Entry]) -> None:
            for entry in some:
                try:
                    removed.append((entry, self._store.remove(entry)))
                except OutboxError as error:
                    errors.append(error)

        for start in range(0, len(entries), AT_ONCE):
            await self.disk.run(remove, entries[start : start + AT_ONCE])
        gone = [each for each, done in removed if done or self._entries.get(each.entry_id) is each]
        for entry in gone:
            self._entries.pop(entry.entry_id, None)
        self._sorted = None
        for entry in gone[-1:]:
            self._notify(entry)
        if any(entry.replaces is not None for entry in gone):
            await self._reload()  # what they replaced is back
        for error in errors[:1]:
            raise error

    async def _gone(self, entry: Entry, *, done: bool) -> bool:
        self._follow(entry, None, done=done)
        if entry.replaces is not None:
            await self._reload()  # what it replaced is back
        return done

    # What the store has, and what other instances do with it

    @finished
    async def _keep(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``; False where another instance owns it by now.

        Raises OutboxError, and then nothing has changed.
        """
        await self._keep_unkept(old.entry_id)
        return self._follow(old, new, done=await self.disk.run(self._store.change, old, new))

    async def _keep_unkept(self, entry_id: str) -> None:
        """Keep an entry as it is in memory, if the store failed to before; raises OutboxError."""
        if entry_id in self._unkept:
            await self.disk.run(self._store.change, self._unkept[entry_id], self._entries[entry_id])
            self._unkept.pop(entry_id, None)

    async def _look(self) -> None:
        """Load what other instances did, again and again; without any it returns at once."""
        if not self._was_read.is_set():
            await self._refresh()
            self._was_read.set()
            self.sending.wake.set()
        while self._look_every != math.inf:  # without a timer that outlives the outbox
            now = asyncio.get_running_loop().time()
            await asyncio.sleep(until_next_look(now, self._look_every))
            await self._refresh()
            await self._forget_old()
            self.sending.wake.set()

    @finished
    async def _refresh(self) -> None:
        await self._reload()

    async def _reload(self) -> None:
        """Load what other instances did, and keep what could not be kept before."""
        try:
            for entry_id in tuple(self._unkept):
                await self._keep_unkept(entry_id)
            contents = await self.disk.run(self._store.load)
            if self._with_drafts and not self.drafts.are_loaded:
                await self.drafts.load_late()
                _notify(self._status_listeners)
        except OutboxError as error:
            self._set_store_error(str(error))
            return
        if not self._unkept:  # nothing failed while the store was being read
            self._set_store_error(None)
        self._set_unread(contents.problems)
        found = {entry.entry_id: entry for entry in self._own(contents.entries)}
        for entry_id in self._entries.keys() - found.keys() - self._unkept.keys():
            self._drop(self._entries[entry_id])
        for entry_id, entry in found.items():
            known = self._entries.get(entry_id)
            is_others = entry.owned_elsewhere or (known is not None and known.owned_elsewhere)
            if known is None or (is_others and entry != known):
                self._put(entry)
                self._notify(entry)

    def _own(self, entries: Iterable[Entry]) -> Iterable[Entry]:
        """Return those that this outbox has; the first ones say which."""
        if self._chosen is None:
            return entries
        if self._only is None:
            self._only = frozenset(entry.entry_id for entry in entries if self._chosen(entry))
        return [entry for entry in entries if entry.entry_id in self._only]

    async def _forget_old(self) -> None:
        """Forget added entries, but for the newest hundred."""
        added = [entry for entry in self.entries if entry.state is _ADDED]
        with suppress(OutboxError):  # tried again after the next look
            await self._remove_added(added[:-ADDED_KEPT])

    # In memory and on the screen

    def _follow(self, old: Entry, new: Entry | None, *, done: bool) -> bool:
        """Follow a change of the store: ``new`` in place of ``old``, or None of it."""
        if done and new is not None:
            self._put(new)
            self._notify(new)
        elif done or self._entries.get(old.entry_id) is old:
            # Not done, and this instance did not change it meanwhile: another one did.
            self._drop(old)
        return done

    def _put(self, *entries: Entry) -> None:
        self._entries |= {entry.entry_id: entry for entry in entries}
        self._sorted = None

    def _drop(self, entry: Entry) -> None:
        self._entries.pop(entry.entry_id, None)
        self._sorted = None
        self._notify(entry)

    def _notify(self, entry: Entry) -> None:
        _notify(self._listeners, entry)

    def _set_store_error(self, store_error: str | None) -> None:
        if store_error != self.store_error:
            self.store_error = store_error
            _notify(self._status_listeners)

    def _set_unread(self, lines: tuple[str, ...]) -> None:
        if lines != self._unread:
            self._unread = lines
            _notify(self._status_listeners)


def until_next_look(now: float, every: float) -> float:
    """Return the seconds until an outbox looks again, at a moment that it shares with others.

    They are at most ``every``, and exactly that from one of the moments to the next.

    Args:
        now: the loop's time.
        every: seconds between two looks.
    """
    return every - now % (every / MOMENTS)


def _notify(listeners: list[Any], *arguments: Any) -> None:
    """Call listeners soon, on the loop: none can stop what goes on here."""
    for listener in tuple(listeners):
        asyncio.get_running_loop().call_soon(_call, listeners, listener, *arguments)


def _call(listeners: list[Any], listener: Any, *arguments: Any) -> None:
    if listener in listeners:  # it may have unsubscribed since
        listener(*arguments)


def _unsubscribe(listeners: list[Any], listener: Any) -> None:
    if listener in listeners:
        listeners.remove(listener)
