"""Drafts: what stands in the form, and what was put aside there, written as the disk allows."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pettui.outbox.entries import TAKEN_OVER, Draft, Entry, EntryStore, OutboxError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pettui.outbox.store_thread import Result, StoreThread


PAUSE: Final = 0.2  # seconds between two writes to a store far away, which others use, too
EMPTY: Final = Draft()


class Origin(Enum):
    """Where what stands in the form came from."""

    TYPED = auto()  # or an add left it, or it is a copy of an entry
    BROUGHT_BACK = auto()  # it was put aside before, and not edited since
    TAKEN_BACK = auto()  # it was an entry that waited, and was not edited since


class Drafts:
    """The draft in the form, and those that were put aside, the newest last.

    They are what the clerk last made of them; the disk follows. Nothing comes into the form from
    here but by a call that asks for it: a start puts all that was typed aside.
    """

    def __init__(self, store: EntryStore, store_thread: StoreThread) -> None:
        self._store = store
        self._store_thread = store_thread
        self._drafts: dict[int, Draft] = {}  # by the store's numbers; all typed, but the form's
        self._number = 0  # of the one in the form
        self._kept: Mapping[int, Draft] = {}  # as the store has them
        self._empty = EMPTY  # what an empty form holds: category and status that an add left
        self.origin = Origin.TYPED
        self._writing: asyncio.Task[OutboxError | None] | None = None
        self._write_at = 0.0  # not before this time of the loop
        self._becoming: int | None = None  # the number of what is made an entry now
        self._cleared: Draft | None = None  # until something else is done; not on disk
        self.are_loaded = False  # what ended instances left
        self.failure: OutboxError | None = None  # why the newest could not be kept

    @property
    def draft(self) -> Draft:
        """What stands in the form, already kept or not."""
        return self._drafts.get(self._number, EMPTY)

    @property
    def is_brought_back(self) -> bool:
        """Whether what stands in the form was put aside before, and not edited since."""
        return self.origin is Origin.BROUGHT_BACK

    @property
    def put_aside(self) -> Sequence[Draft]:
        """The others, the newest first."""
        return [self._drafts[number] for number in self._aside()]

    @property
    def all(self) -> Sequence[Draft]:
        """All that are typed, the newest first."""
        return [draft for draft in self._drafts.values() if draft.is_typed][::-1]

    @property
    def older(self) -> int:
        """How many of those that were put aside ``bring_back`` would still come to."""
        return len(self._older())

    @property
    def has_cleared(self) -> bool:
        """Whether a draft that was cleared can be brought back."""
        return self._cleared is not None

    @property
    def unkept(self) -> Sequence[Draft]:
        """The drafts that would be lost if the app ended now."""
        unwritten = self._unwritten
        return [d for number, d in self._drafts.items() if d.is_typed and number in unwritten]

    def load(self) -> None:
        """Put aside what ended instances left; blocks. Raises OutboxError."""
        self._store_thread.run_here(self._store.take_over_drafts)
        self._kept = self._store.drafts
        self._loaded(self._kept)

    async def load_late(self) -> None:
        """Put aside what ended instances left, older than all that was typed meanwhile.

        Raises OutboxError.
        """

        def take_over() -> frozenset[int]:
            before = frozenset(self._store.drafts)
            self._store.take_over_drafts()
            return before

        typed_here = await self._change(take_over)
        self._loaded({n: self._kept[n] for n in self._kept.keys() - typed_here})

    def _loaded(self, kept: Mapping[int, Draft]) -> None:
        is_empty = self.draft == EMPTY
        by_time = sorted(kept, key=lambda number: (kept[number].typed_at, number))
        self._drafts = {n: kept[n] for n in by_time if kept[n].is_typed} | self._drafts
        left = [number for number in by_time if kept[number].is_kept]
        self.are_loaded = True
        if is_empty:
            self._number = left[-1] if left else self._free()
        if is_empty and left:
            self._put(kept[self._number])

    # What stands in the form

    async def keep(self, draft: Draft) -> None:
        """Keep what stands in the form, or something newer, for good; raises OutboxError."""
        self._put(draft)
        await self.write()

    def _put(self, draft: Draft) -> None:
        """Let a draft stand in the form in place of what does; what is edited is the newest."""
        if not _is_same(draft, self.draft):
            self.origin = Origin.TYPED
            if not draft.is_empty:
                self._cleared = None
            if self.draft.lines:  # they stay aside
                self._number = self._free()
            self._drafts.pop(self._number, None)
        self._drafts[self._number] = draft
        if not draft.is_typed and not draft.is_copy:
            self._empty = draft

    async def put_aside_for(self, draft: Draft | None = None) -> None:
        """Go on with another draft, or with an empty form; what is typed is put aside.

        Raises OutboxError if that cannot be kept, and then nothing has changed.
        """
        await self._keep_typed()
        self.go_on(self._empty if draft is None else draft)

    def leave(self) -> None:
        """Put aside what is typed, kept already or not, and drop a copy that was not edited.

        What was cleared stays so.
        """
        self.forget_cleared()
        if self.draft.is_typed or self.draft.is_copy:
            self.go_on(self._empty)

    def go_on(self, draft: Draft) -> None:
        """Go on with another draft, where nothing is typed."""
        self._number, self.origin = self._free(), Origin.TYPED
        self._put(draft)
        self._start_writing()  # if it is what an add left: nothing is lost where that fails

    async def bring_back(self) -> None:
        """Let the newest that was put aside stand in the form, then the next, and then none.

        Raises OutboxError if what is typed there cannot be kept, and then nothing has changed.
        """
        older = self._older()
        await self._keep_typed()
        if older:
            self._turn_to(older[0], Origin.BROUGHT_BACK)
        else:
            self.go_on(self._empty)

    async def clear(self, draft: Draft, empty: Draft) -> None:
        """Empty the form, in which this draft stands; what was typed can be restored.

        Raises OutboxError if it is still on the disk; it goes with the next one that is written.

        Args:
            draft: what stands in the form.
            empty: what an empty form holds.
        """
        if draft.is_typed:
            self._cleared = draft
            self._drafts.pop(self._number, None)
            self.origin = Origin.TYPED
        self._put(self._empty if draft.is_copy else empty)
        await self.write()

    async def put_lines_aside(self, draft: Draft, *, in_place: bool) -> None:
        """Put aside the lines of a paste that were left out, if any; raises OutboxError.

        Where they come back, the status that an add left stands in the form for what is typed next.

        Args:
            draft: of these lines.
            in_place: those that stand in the form go: the others of them were added.
        """
        if in_place and self.draft.lines:
            self._drafts.pop(self._number, None)
            self.go_on(self._empty)
        if draft.lines:
            own = (number for number in (*self._drafts, *self._kept) if number < TAKEN_OVER)
            number = max((*own, self._number)) + 1
            self._drafts[number] = replace(draft, status=self._empty.status)
        await self.write()

    def restore(self) -> None:
        """Put into the empty form what was cleared last; only where ``has_cleared``."""
        if (cleared := self._cleared) is not None:
            self._cleared = None
            self.go_on(cleared)

    def forget_cleared(self) -> None:
        """Let what was cleared stay so: something else was done since, or the form was left."""
        self._cleared = None

    # Between outbox and form

    async def become(self, keep: Callable[..., Result]) -> Result:
        """Have the store keep an entry for good, in place of the draft in the form.

        The draft is not written any more: who waits for this waits for one more write at most.

        Args:
            keep: takes the draft's number; returns nothing true if nothing was kept.

        Raises:
            OutboxError: nothing was kept.
        """
        draft = self.draft
        self._becoming = number = self._number
        try:
            kept = await self._change(partial(keep, draft=number), goes_first=True)
            if kept and _is_same(self.draft, draft):
                self._drafts.pop(self._number, None)
                self.origin = Origin.TYPED
        except OutboxError:
            self._kept = self._store.drafts
            raise
        finally:
            self._becoming = None
            self._start_writing()  # what was left out
        return kept

    async def take_back(self, entry: Entry) -> bool:
        """Make an entry the draft in the form; False if it is being sent, or owned elsewhere.

        Raises OutboxError, also if what is typed there cannot be kept.
        """
        await self._keep_typed()
        number = self._free()
        is_draft = await self._change(self._store.take_back, entry, number)
        if is_draft:
            self._number, self.origin, self._cleared = number, Origin.TAKEN_BACK, None
            self._drafts.pop(number, None)
            self._drafts[number] = self._kept[number]
        return is_draft

    async def copy(self, entry: Entry) -> None:
        """Bring a copy of an entry into the form: the one that was edited, if there is one.

        Raises OutboxError if what is typed there cannot be kept, and then nothing has changed.
        """
        if self.draft.copy_of == entry.entry_id:
            return
        found = (n for n in self._aside() if self._drafts[n].copy_of == entry.entry_id)
        if (number := next(found, None)) is None:
            await self.put_aside_for(entry.copy())
        else:
            await self._keep_typed()
            self._turn_to(number, Origin.TYPED)

    # Numbers

    def _turn_to(self, number: int, origin: Origin) -> None:
        """Let one that was put aside stand in the form; what is not typed there is dropped."""
        if not self.draft.is_typed:
            self._drafts.pop(self._number, None)
        self._number, self.origin, self._cleared = number, origin, None

    def _aside(self) -> list[int]:
        numbers = [n for n in self._drafts if n != self._number and self._drafts[n].is_typed]
        return numbers[::-1]

    def _older(self) -> list[int]:
        """Return what was put aside, from what was brought back on; the newest first."""
        aside = self._aside()
        if not self.is_brought_back:
            return aside
        before = [*self._drafts][: [*self._drafts].index(self._number)]
        return [number for number in aside if number in before]

    def _free(self) -> int:
        """Return the number of what stands in the form, or a new one if that is typed."""
        if not self.draft.is_typed:
            return self._number
        own = (number for number in (*self._drafts, *self._kept) if number < TAKEN_OVER)
        return max(own, default=-1) + 1

    # On the disk

    async def wait_until_written(self, seconds: float | None = None) -> None:
        """Wait until nothing is being written, or for so many seconds."""
        while self._writing is not None and not self._writing.done():
            writing = self._writing  # another one may begin while this one ends
            await asyncio.wait([writing], timeout=seconds)
            if not writing.done():
                return

    async def retry(self, seconds: float) -> None:
        """Try once more to keep what could not be kept; ``unkept`` says whether that failed."""
        await self.wait_until_written(seconds)
        if self._unwritten:
            with suppress(OutboxError):  # they are still unkept, and ``failure`` says why
                await self.write()

    async def _keep_typed(self) -> None:
        await self.wait_until_written()
        if self.draft.is_typed and not self.is_brought_back:
            await self.write()

    def _start_writing(self) -> asyncio.Task[OutboxError | None] | None:
        is_done = self._writing is None or self._writing.done()
        if is_done and self._unwritten:
            self._writing = asyncio.create_task(self._write())
        return self._writing

    async def write(self) -> None:
        """Write what is not kept yet; raises OutboxError."""
        writing = self._start_writing()
        if not self._unwritten:
            self.failure = None
            return
        error = await asyncio.shield(writing) if writing is not None else None
        if error is not None:
            raise OutboxError(str(error)) from error

    @property
    def _unwritten(self) -> list[int]:
        """The numbers of what the store has otherwise."""
        numbers = dict.fromkeys((*self._drafts, *self._kept))
        return [n for n in numbers if _is_news(self._wanted(n), self._kept.get(n, EMPTY))]

    def _wanted(self, number: int) -> Draft:
        """Return what the store is to have: of a mere copy nothing."""
        draft = self._drafts.get(number, EMPTY)
        return EMPTY if draft.is_copy else draft

    async def _write(self) -> OutboxError | None:
        """Write what the store has otherwise; what was replaced before its turn is not written."""
        loop = asyncio.get_running_loop()
        while unwritten := [n for n in self._unwritten if n != self._becoming]:
            if (seconds := self._write_at - loop.time()) > 0:
                await asyncio.sleep(seconds)
                continue
            self._write_at = loop.time() + (0.0 if self._store.is_near else PAUSE)
            try:
                await self._change(self._keep, unwritten[-1])
            except OutboxError as error:
                self.failure = error
                return error
            self.failure = None
        return None

    def _keep(self, number: int) -> None:
        """Keep a draft as it is by now, on the store's thread; blocks."""
        if number != self._becoming:
            self._store.keep_draft(number, self._wanted(number))

    async def _change(
        self, change: Callable[..., Result], *arguments: Any, goes_first: bool = False
    ) -> Result:
        """Change something in the store that may change its drafts.

        Not to be cancelled: it is called in tasks that are shielded from that.
        """

        def do() -> tuple[Result, Mapping[int, Draft]]:
            return change(*arguments), self._store.drafts

        result, self._kept = await self._store_thread.run(do, goes_first=goes_first)
        return result


def _is_news(draft: Draft, kept: Draft) -> bool:
    """Whether a store that keeps one draft is to keep another; what was taken back has no time."""
    has_time = draft.typed_at > 0 and kept.typed_at == 0
    return not _is_same(draft, kept) or (draft.is_typed and has_time)


def _is_same(draft: Draft, other: Draft) -> bool:
    """Whether drafts are equal but for the time."""
    return (draft, draft.is_kept, draft.is_copy, draft.copy_of) == (
        other,
        other.is_kept,
        other.is_copy,
        other.copy_of,
    )
