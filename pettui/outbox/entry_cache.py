"""The entries of an outbox: kept in the store first, then in memory, then passed to listeners."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.outbox.disk_thread import DiskThread, Result, finished, keep_all
from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError
from pettui.outbox.kept_entries import KeptEntries
from pettui.outbox.store_problems import StoreProblems
from pettui.outbox.unkept_changes import UnkeptChanges

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from concurrent.futures import ThreadPoolExecutor

    from pettui.outbox.background_errors import Faults
    from pettui.outbox.entry_store import EntryStore
    from pettui.outbox.listeners import Listeners


class EntryCache:
    """The entries of one outbox, and the one thread that keeps them.

    The thread makes one change after the other, and memory follows in the same order: an entry in
    memory is what the store last returned. A change that was begun is finished, even if its caller
    is cancelled.
    """

    def __init__(
        self,
        store: EntryStore,
        thread: ThreadPoolExecutor | None,
        faults: Faults,
        listeners: Listeners,
    ) -> None:
        self.draft_stack: tuple[Draft, ...] = (Draft(),)  # as kept; the one in the form last
        self.added_here: set[str] = set()  # keys of what was added since this was opened
        self._store = store
        self._entries = KeptEntries()
        self._listeners = listeners
        self.problems = StoreProblems(listeners)
        self.disk = DiskThread(thread, faults)
        self._unkept = UnkeptChanges(self.disk, store)

    def open(self) -> None:
        """Read what the store holds; blocks for as long as that takes."""
        try:
            contents = self.disk.run_here(self._store.load)
            self.problems.found(contents.problems)
            self._entries = KeptEntries(contents.entries)
            self.disk.run_here(self._store.take_over_draft)
            self.draft_stack = self._store.draft_stack
        except OutboxError as error:
            self.problems.failed(error)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first."""
        return self._entries.oldest_first

    @property
    def newest_key(self) -> str:
        """The greatest key, or "" where there is none."""
        return max(self._entries.keys(), default="")

    def entry(self, key: str, states: Container[EntryState]) -> Entry:
        """Return an entry that is in one of some states; raises OutboxError if it is not."""
        return self._entries.in_state(key, states)

    def is_replaceable(self, key: str) -> bool:
        """Whether a new entry can take the place of an entry: it is unknown, and owned here."""
        entry = self._entries.get(key)
        if entry is None or entry.owned_elsewhere:
            return False
        return entry.state is EntryState.UNKNOWN

    def notify(self, entry: Entry) -> None:
        """Notify the listeners that something about an entry changed."""
        self._listeners.notify(entry)

    @finished
    async def add(self, entry: Entry, *, was_draft: bool) -> None:
        """Keep a new entry for good; raises OutboxError, and then it is not in the outbox."""
        if entry.replaces is not None:  # it must be unknown in the store too, to be hidden there
            await self._unkept.keep(entry.replaces, self._entries)
        await self._with_drafts(partial(self._store.add, entry, was_draft=was_draft))
        self._put(entry)
        if entry.replaces is not None and self.is_replaceable(entry.replaces):
            self._drop(self._entries[entry.replaces])

    @finished
    async def add_all(self, entries: Sequence[Entry]) -> None:
        """Keep new entries for good, all of them; raises OutboxError, and then none is kept."""
        await keep_all(self.disk, self._store, entries)
        self._entries.put(*entries)
        self.notify(entries[-1])

    @finished
    async def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``; False where another instance owns it by now.

        Raises OutboxError, and then nothing has changed.
        """
        await self._unkept.keep(old.key, self._entries)
        done = await self.disk.run(self._store.change, old, new)
        return self._follow(old, new, done=done)

    @finished
    async def record(self, old: Entry, new: Entry) -> None:
        """Keep what became of an entry; if the store fails, it is tried again later."""
        if new.state is EntryState.ADDED:
            self.added_here.add(new.key)
        try:
            is_ours = await self.disk.run(self._store.change, old, new)
        except OutboxError as error:
            self.problems.failed(error)
            self._unkept.add(old)
            is_ours = True
        if is_ours:
            self._put(new)
            return
        # Another instance owns it, in another state, or removed it.
        self.problems.lost(new)
        self._drop(self._entries.get(old.key) or old)
        await self._refresh()

    @finished
    async def take_out(self, entry: Entry) -> bool:
        """Make an entry the draft; False where it is being sent, or another instance owns it."""
        await self._unkept.keep(entry.key, self._entries)
        done = await self._with_drafts(self._store.take_out, entry)
        return await self._left(entry, done=done)

    @finished
    async def remove(self, entry: Entry) -> bool:
        """Forget an entry; False where another instance owns it by now."""
        await self._unkept.keep(entry.key, self._entries)
        done = await self.disk.run(self._store.remove, entry)
        return await self._left(entry, done=done)

    @finished
    async def keep_draft(self, draft: Draft) -> None:
        """Keep what stands in the form for good."""
        await self._with_drafts(self._store.keep_draft, draft)

    @finished
    async def begin_draft(self, draft: Draft) -> None:
        """Keep another draft for good, above one that is typed."""
        await self._with_drafts(self._store.begin_draft, draft)

    @finished
    async def drop_draft(self) -> None:
        """Forget what stands in the form, and continue with the draft below it."""
        await self._with_drafts(self._store.drop_draft)

    @finished
    async def refresh(self) -> None:
        """Load what other instances did, and keep what could not be kept before."""
        await self._refresh()

    async def close(self) -> None:
        """Finish every change that was begun; a later one raises OutboxError."""
        await self._unkept.keep_some(self._entries)
        await self.disk.close(self._store.close)

    async def _with_drafts(self, change: Callable[..., Result], *arguments: Any) -> Result:
        """Change something in the store that may change its drafts too."""

        def do() -> tuple[Result, tuple[Draft, ...]]:
            return change(*arguments), self._store.draft_stack

        result, self.draft_stack = await self.disk.run(do)
        return result

    async def _refresh(self) -> None:
        try:
            await self._unkept.keep_all(self._entries)
            contents = await self.disk.run(self._store.load)
        except OutboxError as error:
            self.problems.failed(error)
            return
        if not self._unkept:  # nothing failed while the store was being read
            self.problems.worked()
        self.problems.found(contents.problems)
        found = {entry.key: entry for entry in contents.entries}
        for key in self._entries.keys() - found.keys() - self._unkept.keys():
            self._drop(self._entries[key])
        for key, entry in found.items():
            known = self._entries.get(key)
            if known is None or (
                (entry.owned_elsewhere or known.owned_elsewhere) and entry != known
            ):
                self._put(entry)

    async def _left(self, entry: Entry, *, done: bool) -> bool:
        self._follow(entry, None, done=done)
        if entry.replaces is not None:
            await self._refresh()  # what it replaced is back
        return done

    def _follow(self, old: Entry, new: Entry | None, *, done: bool) -> bool:
        if done and new is not None:
            self._put(new)
        elif done or self._entries.get(old.key) is old:
            # Not done, and this instance did not change it meanwhile: another one did.
            self._drop(old)
        return done

    def _put(self, entry: Entry) -> None:
        self._entries.put(entry)
        self.notify(entry)

    def _drop(self, entry: Entry) -> None:
        self._entries.drop(entry.key)
        self.notify(entry)
