"""What stands in the outbox: kept in the store first, then in memory, then told to listeners."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.outbox.disk_thread import DiskThread, Result, finished, keep_all
from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError
from pettui.outbox.kept_entries import KeptEntries
from pettui.outbox.store_problems import StoreProblems

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from concurrent.futures import ThreadPoolExecutor

    from pettui.outbox.background_errors import Faults
    from pettui.outbox.entry_store import EntryStore
    from pettui.outbox.listeners import Listeners


class EntryCache:
    """The entries of one outbox, and the one thread that keeps them.

    The thread takes one change after the other, and memory follows in the same order: an entry in
    memory is what the store last said. A change that was begun is finished, even if the one who
    asked for it is cancelled.
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
        self._unkept: dict[str, Entry] = {}  # in the store as this, in memory already further
        self._listeners = listeners
        self.problems = StoreProblems(listeners)
        self.disk = DiskThread(thread, faults)

    def open(self) -> None:
        """Read what the store holds; blocks for as long as that takes."""
        try:
            contents = self.disk.run_here(self._store.look)
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
        entry = self._entries.get(key)
        if entry is None:
            raise OutboxError("this entry is gone by now")
        if entry.state not in states:
            raise OutboxError(f"{entry.label} is {entry.state.value} by now")
        return entry

    def tell(self, entry: Entry) -> None:
        """Tell the listeners of an entry."""
        self._listeners.tell(entry)

    @finished
    async def add(self, entry: Entry, *, was_draft: bool) -> None:
        """Keep a new entry for good; raises OutboxError, and then it is not in the outbox."""
        await self._with_drafts(partial(self._store.add, entry, was_draft=was_draft))
        self._put(entry)

    @finished
    async def add_all(self, entries: Sequence[Entry]) -> None:
        """Keep new entries for good, all of them; raises OutboxError, and then none is kept."""
        await keep_all(self.disk, self._store, entries)
        self._entries.put(*entries)
        self.tell(entries[-1])

    @finished
    async def change(self, old: Entry, new: Entry) -> bool:
        """Keep ``new`` in place of ``old``; False where another instance had it first.

        Raises OutboxError, and then nothing has changed.
        """
        await self._keep_unkept(old.key)
        done = await self.disk.run(self._store.change, old, new)
        return self._follow(old, new, done=done)

    @finished
    async def record(self, old: Entry, new: Entry) -> None:
        """Note what became of an entry; a store that fails is tried again later."""
        if new.state is EntryState.ADDED:
            self.added_here.add(new.key)
        try:
            is_ours = await self.disk.run(self._store.change, old, new)
        except OutboxError as error:
            self.problems.failed(error)
            self._unkept.setdefault(old.key, old)
            is_ours = True
        if is_ours:
            self._put(new)
            return
        # Another instance has it in hand, in another state, or took it away.
        self.problems.lost(new)
        self._drop(self._entries.get(old.key) or old)
        await self._look()

    @finished
    async def take_out(self, entry: Entry) -> bool:
        """Make an entry the draft; False where it is being sent, or another instance had it."""
        await self._keep_unkept(entry.key)
        done = await self._with_drafts(self._store.take_out, entry)
        return self._follow(entry, None, done=done)

    @finished
    async def remove(self, entry: Entry) -> bool:
        """Forget an entry; False where another instance had it first."""
        await self._keep_unkept(entry.key)
        done = await self.disk.run(self._store.remove, entry)
        return self._follow(entry, None, done=done)

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
        """Forget what stands in the form, and go on with the draft below it."""
        await self._with_drafts(self._store.drop_draft)

    @finished
    async def look(self) -> None:
        """See what other instances did, and keep what could not be kept before."""
        await self._look()

    async def close(self) -> None:
        """Finish every change that was begun; whatever is asked for later is an OutboxError."""
        for key in tuple(self._unkept):
            with suppress(OutboxError):
                await self._keep_unkept(key)
        await self.disk.close(self._store.close)

    async def _with_drafts(self, change: Callable[..., Result], *arguments: Any) -> Result:
        """Change something in the store that may change its drafts too."""

        def do() -> tuple[Result, tuple[Draft, ...]]:
            return change(*arguments), self._store.draft_stack

        result, self.draft_stack = await self.disk.run(do)
        return result

    async def _look(self) -> None:
        try:
            for key in tuple(self._unkept):
                await self._keep_unkept(key)
            contents = await self.disk.run(self._store.look)
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
                entry != known and (entry.owned_elsewhere or known.owned_elsewhere)
            ):
                self._put(entry)

    async def _keep_unkept(self, key: str) -> None:
        if key in self._unkept:
            await self.disk.run(self._store.change, self._unkept[key], self._entries[key])
            self._unkept.pop(key, None)

    def _follow(self, old: Entry, new: Entry | None, *, done: bool) -> bool:
        if done and new is not None:
            self._put(new)
        elif done or self._entries.get(old.key) is old:
            # Not done, and not by this instance's own hand either: another one has it.
            self._drop(old)
        return done

    def _put(self, entry: Entry) -> None:
        self._entries.put(entry)
        self.tell(entry)

    def _drop(self, entry: Entry) -> None:
        self._entries.drop(entry.key)
        self.tell(entry)
