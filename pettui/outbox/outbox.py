"""Outbox: what the screens see of the entries and the draft of one owner on one profile."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import TYPE_CHECKING

from pettui.outbox.draft_keeper import DraftKeeper
from pettui.outbox.entries import Draft, Entry, EntryState, EntryStore, OutboxError
from pettui.outbox.hold import Pauses
from pettui.outbox.ledger import Ledger
from pettui.outbox.search import find_added
from pettui.outbox.sender import Sender

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pettui.client import PetClient
    from pettui.models import Pet

ADDED_KEPT = 100  # as many as one list can show: look_for takes none of them for another's
GRACE = 2.0  # seconds that a request gets to end when the app closes

_SENT_AGAIN = (EntryState.REFUSED, EntryState.UNKNOWN)
_TAKEN_OUT = (EntryState.WAITING, EntryState.REFUSED, EntryState.UNKNOWN)
_FORGOTTEN = (EntryState.ADDED, EntryState.REFUSED)


class Outbox:
    """Takes entries at once, keeps them for good, and sends them in the background, in order."""

    def __init__(
        self,
        store: EntryStore,
        client: PetClient,
        *,
        delay: float = 3.0,
        at_once: int = 1,
        pauses: Pauses | None = None,
        look_every: float = 2.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take a store and a client.

        Args:
            store: who keeps the entries; the outbox opens and closes it.
            client: who sends them; may be replaced, and is the caller's to close.
            delay: seconds in which an entry can be taken back before it goes out.
            at_once: how many requests may be out; with more than one, answers may overtake.
            pauses: between attempts while the service cannot be reached.
            look_every: seconds between looks at what other instances did.
            clock: wall-clock seconds.
        """
        self.client = client
        self._delay = delay
        self._clock = clock
        self._look_every = look_every
        self._ledger = Ledger(store)
        self._sender = Sender(
            self._ledger,
            lambda: self.client,
            delay=delay,
            at_once=at_once,
            pauses=pauses or Pauses(),
            clock=clock,
        )
        self._newest_seen: int | None = None
        self._newest_key = ""
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._draft_keeper = DraftKeeper(self._ledger)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first; of the added ones the newest hundred."""
        return self._ledger.entries

    @property
    def draft(self) -> Draft:
        """What stands in the form, or stood there when the app ended."""
        return self._draft_keeper.draft

    @property
    def waiting_for(self) -> str | None:
        """Why nothing is sent for now, in one raw line; None while all is well."""
        return self._sender.hold.reason if self._sender.hold else None

    @property
    def needs_key(self) -> bool:
        """Whether the service refused the key, and sending waits for ``resume``."""
        hold = self._sender.hold
        return hold is not None and hold.needs_key

    @property
    def trouble(self) -> str | None:
        """What is wrong with the disk, in one raw line; None while all is kept."""
        return self._ledger.trouble

    @property
    def problems(self) -> tuple[str, ...]:
        """One raw line each on files that could not be read, and where they were put aside."""
        return self._ledger.problems

    def start(self) -> None:
        """Read what is kept, and start sending on the running loop."""
        self._ledger.open()
        self.saw(entry.pet_id for entry in self.entries if entry.pet_id is not None)
        self._tasks = (
            asyncio.create_task(self._sender.run(), name="outbox: send"),
            asyncio.create_task(self._watch(), name="outbox: watch"),
        )

    async def close(self, grace: float = GRACE) -> None:
        """Stop; a request that is out gets ``grace`` seconds, what waits is sent another day."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._sender.finish(grace)
        await self._draft_keeper.finish()
        await self._ledger.close()

    def subscribe(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Tell a listener of each entry that came, changed or left; gives the unsubscriber."""
        return self._ledger.subscribe(listener)

    def resume(self) -> None:
        """Try again now: a key was given anew, or the service is back."""
        self._sender.resume()

    def saw(self, pet_ids: Iterable[int]) -> None:
        """Take note of animals that are there already; ``look_for`` takes none of them."""
        seen = [*pet_ids] if self._newest_seen is None else [self._newest_seen, *pet_ids]
        self._newest_seen = max(seen, default=None)

    async def add(self, name: str, category_id: int, status: str | None) -> Entry:
        """Take an animal; it is kept for good when this returns.

        Raises:
            OutboxError: it could not be kept, and is not in the outbox.
        """
        entry = Entry(
            self._new_key(),
            name,
            category_id,
            status,
            EntryState.WAITING,
            due=self._clock() + self._delay,
            after_id=self._newest_seen,
        )
        await self._ledger.add(entry)
        self._sender.wake()
        return entry

    async def keep_draft(self, draft: Draft) -> None:
        """Keep what stands in the form; when typed fast, only the newest. Raises OutboxError."""
        await self._draft_keeper.keep(draft)

    async def take_back(self) -> Entry | None:
        """Make the newest entry that waits here the draft, unless it is being sent already."""
        for entry in reversed(self.entries):
            waits_here = entry.state is EntryState.WAITING and not entry.elsewhere
            if waits_here and await self._make_draft(entry):
                return entry
        return None

    async def take_out(self, key: str) -> Entry:
        """Make an entry that was not added the draft, to be mended in the form.

        Raises:
            OutboxError: it is being sent or gone by now, or the disk failed.
        """
        entry = self._entry(key, _TAKEN_OUT)
        if not await self._make_draft(entry):
            raise OutboxError(f"{entry.name} is being sent, or gone, by now")
        return entry

    async def send_again(self, key: str) -> None:
        """Send a refused or unknown entry knowingly, at once.

        Raises:
            OutboxError: it is in another state by now, or the disk failed.
        """
        entry = self._entry(key, _SENT_AGAIN)
        waiting = entry.becoming(EntryState.WAITING, due=self._clock())
        if not await self._ledger.change(entry, waiting):
            raise OutboxError(f"{entry.name} is in other hands by now")
        self._sender.resume()

    async def look_for(self, key: str) -> Pet | None:
        """Look for an unknown entry among the newest hundred of its status (listPets).

        It is ADDED where it is found, and stays UNKNOWN where it is not: the list is no proof.

        Raises:
            PetClientError: the list was not answered.
            OutboxError: the entry is not unknown any more.
        """
        from pettui.models import PetStatus  # noqa: PLC0415 - pydantic, once it is needed

        entry = self._entry(key, (EntryState.UNKNOWN,))
        status = None if entry.status is None else PetStatus(entry.status)
        page = await self.client.list_pets(limit=ADDED_KEPT, status=status)
        others = {other.pet_id for other in self.entries if other.pet_id is not None}
        pet = find_added(self._entry(key, (EntryState.UNKNOWN,)), page.pets, others)
        if pet is not None:
            added = entry.becoming(EntryState.ADDED, pet_id=pet.id)
            await self._ledger.record(entry, added)
        return pet

    async def forget(self, key: str) -> None:
        """Take an added or refused entry off the list; raises OutboxError."""
        await self._ledger.remove(self._entry(key, _FORGOTTEN))

    def _entry(self, key: str, states: tuple[EntryState, ...]) -> Entry:
        entry = self._ledger.get(key)
        if entry is None:
            raise OutboxError("this entry is gone by now")
        if entry.state not in states:
            raise OutboxError(f"{entry.name} is {entry.state.value} by now")
        return entry

    async def _make_draft(self, entry: Entry) -> bool:
        await self._draft_keeper.finish()
        return await self._ledger.take_out(entry)

    def _new_key(self) -> str:
        newest = max((self._newest_key, *(entry.key for entry in self.entries)))
        now = max(int(self._clock() * 1e9), int(newest.partition("-")[0] or 0) + 1)
        self._newest_key = f"{now:020d}-{secrets.token_hex(4)}"
        return self._newest_key

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._look_every)
            await self._ledger.look()
            await self._forget_old()
            self._sender.wake()

    async def _forget_old(self) -> None:
        added = [entry for entry in self.entries if entry.state is EntryState.ADDED]
        for entry in added[:-ADDED_KEPT]:
            await self._ledger.remove(entry)
