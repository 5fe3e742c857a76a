"""EntryCache: the entries of an outbox as its store has them, and every change of both.

Memory follows the store: a change is kept there first, and shown once it is. It is one step further
only where the store failed to keep what became of an entry, which cannot be undone: that one is
``unkept``, and kept before its next change, or at the next look.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, Final, NamedTuple, ParamSpec

from pettui.outbox.entries import Entry, EntryState, EntryStore, OutboxError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Container, Coroutine, Iterable, Sequence

    from pettui.outbox.drafts import Drafts
    from pettui.outbox.store_thread import Result, StoreThread

Arguments = ParamSpec("Arguments")

# As many as one list has, so that a search takes no animal of another entry for its own.
ADDED_KEPT: Final = 100


def shielded(
    change: Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Result]]:
    """Return a change that runs to its end even if its caller is cancelled."""

    @wraps(change)
    async def run(of: Any, /, *positional: Arguments.args, **named: Arguments.kwargs) -> Result:
        done: Result = await of.store_thread.shielded(change(of, *positional, **named))
        return done

    return run


class StoreState(NamedTuple):
    """What is known of what is kept; texts are raw lines."""

    error: str | None = None  # why something is not kept, until all is kept again
    is_read: bool = False  # what is kept, here and in other places
    elsewhere: str = ""  # what its owner left in other places; "" for nothing
    unread: tuple[str, ...] = ()  # on files that could not be read, without names of animals
    lost: tuple[str, ...] = ()  # on outcomes that could not be kept

    @property
    def problems(self) -> Iterable[str]:
        """What could not be read or kept, and what waits elsewhere."""
        return filter(None, (*self.unread, *self.lost, self.elsewhere))


class EntryCache:
    """Entries by id; what a change tells its caller is true of the store.

    What the store raises is an OutboxError, and then nothing has changed.
    """

    def __init__(
        self,
        store: EntryStore,
        store_thread: StoreThread,
        drafts: Drafts,
        status: Listeners,
        find_elsewhere: Callable[[], str] | None = None,
    ) -> None:
        """Start without entries.

        Args:
            store: keeps them.
            store_thread: on which its calls are made.
            drafts: that are in the same store, and become entries and back.
            status: told when a problem came or went.
            find_elsewhere: returns a raw line on what waits in other places; "" for nothing.
        """
        self.store_thread = store_thread
        self.state = StoreState()
        self.changes = Listeners()  # told of each entry that came, changed or left
        self._status = status
        self._store = store
        self._drafts = drafts
        self._entries: dict[str, Entry] = {}
        self._sorted: tuple[Entry, ...] | None = None  # by id; None after a change
        self._unkept: dict[str, Entry] = {}  # as the store has those that are further in memory
        self._with_drafts = False
        self._only: Container[str] | None = None  # the ids of those that are had; None for all
        self._find_elsewhere = find_elsewhere  # None once nothing is there

    @property
    def all(self) -> tuple[Entry, ...]:
        """All entries, oldest first; of the added ones the newest hundred."""
        if self._sorted is None:
            self._sorted = tuple(self._entries[entry_id] for entry_id in sorted(self._entries))
        return self._sorted

    @property
    def newest_id(self) -> str:
        """The id that sorts last; "" where there is no entry."""
        return max(self._entries, default="")

    def get(self, entry_id: str) -> Entry | None:
        """Return the entry of an id, if there is one."""
        return self._entries.get(entry_id)

    def claimed_for(self, entry: Entry) -> float:
        """Return the seconds for which surely nobody else sends an entry of this outbox."""
        return self._store.claimed_for(entry)

    # Reading

    def open(self, only: Container[str] | None, *, with_drafts: bool) -> bool:
        """Read what is there, and block for it, if the store is near; return whether it is.

        What is kept elsewhere comes with the first ``reload``.

        Args:
            only: ids of the entries that are had from now on; None for all.
            with_drafts: False to leave drafts to the next outbox.
        """
        self._only = only
        self._with_drafts = with_drafts
        if not self._store.is_near:
            return False
        try:
            contents = self.store_thread.run_here(self._store.load)
            self._set_state(unread=contents.problems)
            if self._find_elsewhere is not None:
                self._set_elsewhere(self.store_thread.run_here(self._find_elsewhere))
            self._set_state(is_read=True)
            self._put(*self._own(contents.entries))
            if with_drafts:
                self._drafts.load()
        except OutboxError as error:
            self._set_state(error=str(error))
        return True

    @shielded
    async def reload(self) -> None:
        """Load what other instances did, and keep what could not be kept before."""
        await self._load()

    async def _load(self) -> None:
        before = self._entries.copy()
        try:
            await self._keep_unkept(*self._unkept)
            await self._keep_drafts()
            contents = await self.store_thread.run(self._store.load)
            are_more = not self._drafts.are_loaded or self._store.has_abandoned_drafts
            if self._with_drafts and are_more:
                await self._drafts.load_late()
                self._status.tell()
        except OutboxError as error:
            self._set_state(error=str(error))
            return
        if not self._unkept:  # nothing failed while the store was being read
            self._set_state(error=self._store.why_not_kept)
        self._set_state(unread=contents.problems)
        found = {entry.entry_id: entry for entry in self._own(contents.entries)}
        for entry_id in before.keys() | found.keys():
            known, entry = self._entries.get(entry_id), found.get(entry_id)
            if known is not before.get(entry_id) or entry_id in self._unkept or entry == known:
                continue  # it changed here meanwhile, and the store may have been read before that
            if entry is not None:
                self._put(entry)
                self.changes.tell(entry)
            elif known is not None:
                self._drop(known)
        await self._look_elsewhere()

    async def _keep_drafts(self) -> None:
        """Keep the drafts that could not be kept before."""
        if self._drafts.failure is not None:
            with suppress(OutboxError):  # which is the drafts' own
                await self._drafts.write()
                self._status.tell()

    async def _look_elsewhere(self) -> None:
        """Find out what waits in other places, until nothing does."""
        try:
            if self._find_elsewhere is not None:
                self._set_elsewhere(await self.store_thread.run(self._find_elsewhere))
        except OutboxError as error:
            self._set_state(error=str(error))
        else:
            self._set_state(is_read=True)

    def _set_elsewhere(self, line: str) -> None:
        self._set_state(elsewhere=line)
        if not line:
            self._find_elsewhere = None

    def _own(self, entries: Iterable[Entry]) -> Iterable[Entry]:
        only = self._only
        here = [each for each in entries if not each.is_moving]
        return here if only is None else [each for each in here if each.entry_id in only]

    # New ones

    @shielded
    async def add(self, entry: Entry) -> Entry:
        """Keep a new entry for good, in place of the draft in the form.

        Returns it, or the one that another instance made of that draft.
        """
        entry = await self._drafts.become(partial(self._store.add, entry))
        self._put(entry)
        self.changes.tell(entry)
        return entry

    @shielded
    async def add_all(self, entries: Sequence[Entry]) -> None:
        """Keep new entries for good, all of them or none.

        Step by step: the thread may be shared by many users, who wait for it.
        """
        steps = self._store.add_all(entries)
        while await self.store_thread.run(next, steps, True) is None:
            pass
        self._put(*entries)
        self.changes.tell(entries[-1])

    # Another state; where another instance owns the entry by now, nothing is changed

    @shielded
    async def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``."""
        return await self._done(
            old, new, partial(self.store_thread.run, self._store.change, old, new)
        )

    @shielded
    async def correct(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``, and of the draft in the form."""
        keep = partial(self._store.change, old, new)
        return await self._done(old, new, partial(self._drafts.become, keep))

    async def _done(
        self, old: Entry, new: Entry | None, change: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Make a change of an entry, to another one or to none, and show what became of it."""
        await self._keep_unkept(old.entry_id)
        is_done = await change()
        if is_done and new is not None:
            self._put(new)
            self.changes.tell(new)
        elif is_done or self._entries.get(old.entry_id) is old:
            self._drop(old)  # it is gone, or another instance changed it
        return is_done

    @shielded
    async def keep_outcome(self, old: Entry, new: Entry) -> None:
        """Keep what became of an entry; where the store fails, it is tried again later."""
        try:
            is_ours = old == new or await self.store_thread.run(self._store.change, old, new)
        except OutboxError as error:
            self._set_state(error=str(error))
            self._unkept.setdefault(old.entry_id, old)
            is_ours = True
        if is_ours:
            self._put(new)
            self.changes.tell(new)
            return
        # Another instance owns it, in another state, or removed it.
        self._drop(self._entries.get(old.entry_id) or old)
        await self._load()
        there = self.get(old.entry_id)
        is_known = there is not None and (
            (there.state, there.pet_id) == (new.state, new.pet_id)
            or (there.state is EntryState.SENDING and there.store_id is not None)
        )
        if is_known or new.state is EntryState.SENDING:
            return  # nothing is lost: with the same key that one learns the same
        id_text = f" with id {new.pet_id}" if new.pet_id else ""
        became = f"{new.label} is {new.state.value}{id_text}"
        line = f"{became}, but its file was changed or removed by another window"
        self._set_state(lost=(*self.state.lost, line))

    async def _keep_unkept(self, *entry_ids: str) -> None:
        """Keep entries as they are in memory, where the store failed to before."""
        for entry_id in entry_ids:
            if (old := self._unkept.get(entry_id)) is not None:
                await self.store_thread.run(self._store.change, old, self._entries[entry_id])
                self._unkept.pop(entry_id, None)

    # None any more

    @shielded
    async def take_back(self, entry: Entry) -> bool:
        """Make an entry the draft in the form."""
        return await self._done(entry, None, partial(self._drafts.take_back, entry))

    @shielded
    async def remove(self, entry: Entry) -> bool:
        """Forget an entry."""
        return await self._done(
            entry, None, partial(self.store_thread.run, self._store.remove, entry)
        )

    async def forget_old(self) -> None:
        """Forget added entries, but for the newest hundred."""
        added = [entry for entry in self.all if entry.state is EntryState.ADDED]
        with suppress(OutboxError):  # tried again after the next look
            await self.remove_added(added[:-ADDED_KEPT])

    @shielded
    async def remove_added(self, entries: Sequence[Entry]) -> None:
        """Forget added entries, and tell of it once: a screen is drawn for each.

        One that cannot be forgotten keeps none of the others; its error is raised at the end.
        """
        gone: list[Entry] = []
        errors: list[OutboxError] = []
        for entry in entries:
            try:
                await self._keep_unkept(entry.entry_id)
                is_done = await self.store_thread.run(self._store.remove, entry)
            except OutboxError as error:
                errors.append(error)
            else:
                if is_done or self.get(entry.entry_id) is entry:
                    self._entries.pop(entry.entry_id, None)
                    gone.append(entry)
        self._sorted = None
        for entry in gone[-1:]:
            self.changes.tell(entry)
        if errors:
            raise errors[0]

    async def close(self) -> None:
        """Finish every change that was begun, keep what could not be kept, and end the thread."""
        for entry_id in tuple(self._unkept):
            with suppress(OutboxError):
                await self._keep_unkept(entry_id)
        await self.store_thread.close(self._store.close)

    # In memory and on the screen

    def _put(self, *entries: Entry) -> None:
        self._entries |= {entry.entry_id: entry for entry in entries}
        self._sorted = None

    def _drop(self, entry: Entry) -> None:
        self._entries.pop(entry.entry_id, None)
        self._sorted = None
        self.changes.tell(entry)

    def _set_state(self, **changes: Any) -> None:
        state = self.state._replace(**changes)
        if state != self.state:
            self.state = state
            self._status.tell()


class Listeners:
    """Who is told of something, soon and on the loop: none can stop what goes on here."""

    __slots__ = ("_listeners",)

    def __init__(self) -> None:
        self._listeners: list[Callable[..., None]] = []

    def subscribe(self, listener: Callable[..., None]) -> Callable[[], None]:
        """Call a listener each time; returns the unsubscriber."""
        self._listeners.append(listener)
        return partial(self._unsubscribe, listener)

    def _unsubscribe(self, listener: Callable[..., None]) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def tell(self, *told: object) -> None:
        """Call all listeners soon."""
        for listener in tuple(self._listeners):
            asyncio.get_running_loop().call_soon(self._call, listener, *told)

    def _call(self, listener: Callable[..., None], *told: object) -> None:
        if listener in self._listeners:  # it may have unsubscribed since
            listener(*told)
