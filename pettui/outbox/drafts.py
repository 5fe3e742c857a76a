"""Drafts: what stands in the form, and what was put aside there, written as the disk allows."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pettui.outbox.entries import Draft, Entry, OutboxError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.outbox.disk_thread import DiskThread, Result
    from pettui.outbox.entries import EntryStore


CLEARED: Final = 20  # drafts that can be brought back


class Drafts:
    """Writes the newest draft; those that were replaced before their turn are never written."""

    def __init__(self, store: EntryStore, disk: DiskThread) -> None:
        self._store = store
        self._disk = disk
        self._stack: tuple[Draft, ...] = (Draft(),)  # as kept; the one in the form last
        self._newest: Draft | None = None  # not yet kept
        self._writing: asyncio.Task[OutboxError | None] | None = None
        self._cleared: deque[Draft] = deque(maxlen=CLEARED)  # the newest last; not on disk
        self.failure: OutboxError | None = None  # why the newest could not be kept

    @property
    def draft(self) -> Draft:
        """What was typed last, already kept or not."""
        return self._stack[-1] if self._newest is None else self._newest

    @property
    def put_aside(self) -> int:
        """How many drafts lie below it, and come back after it."""
        return len(self._stack) - 1

    @property
    def has_cleared(self) -> bool:
        """Whether a draft that was cleared can be brought back."""
        return bool(self._cleared)

    @property
    def is_unkept(self) -> bool:
        """Whether somebody would miss what stands in the form, if the app ended now."""
        return self._newest is not None and self._newest.is_typed

    def load(self) -> None:
        """Take over what ended instances left; blocks. Raises OutboxError."""
        self._disk.run_here(self._store.take_over_draft)
        self._stack = self._store.draft_stack

    async def keep(self, draft: Draft) -> None:
        """Keep a draft, or a newer one, for good; raises OutboxError."""
        self._newest = draft
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        error = await asyncio.shield(self._writing)
        if error is not None:
            raise OutboxError(str(error)) from error

    async def _write(self) -> OutboxError | None:
        while (draft := self._newest) is not None:
            try:
                await self._change(self._store.keep_draft, draft)
            except OutboxError as error:
                self.failure = error
                return error
            self.failure = None
            if self._newest is draft:
                self._newest = None
        return None

    async def become(self, entry: Entry, *, was_draft: bool | None) -> None:
        """Keep a new entry for good, in place of the draft where it was that; raises OutboxError.

        Args:
            entry: a new one.
            was_draft: whether it stood in the form; None to compare it with the draft.
        """
        await self.finish()
        newest = self._newest
        was_draft = self.draft.is_of(entry) if was_draft is None else was_draft
        await self._change(partial(self._store.add, entry, was_draft=was_draft))
        if was_draft and self._newest is newest:
            self._newest = None

    async def take(self, entry: Entry) -> bool:
        """Make an entry the draft; False where it is being sent, or another instance owns it.

        Raises OutboxError, also where the draft that it would lie above cannot be kept.
        """
        await self._keep_typed()
        taken = await self._change(self._store.take_out, entry)
        if taken:
            self._newest = None  # it was what an add left, and could not be kept
        return taken

    async def begin(self, draft: Draft) -> None:
        """Put another draft into the form, above the one that is typed now.

        Raises OutboxError, and then the form is unchanged.
        """
        await self._keep_typed()
        await self._change(self._store.begin_draft, draft)
        self._newest = None

    async def drop(self, cleared: Draft | None = None) -> None:
        """Forget what stands in the form, and continue with the draft below it.

        What was cleared, and not only left, can be brought back.

        Raises OutboxError, and then the form is empty, which is not kept yet.
        """
        await self.finish()
        if cleared is not None and cleared.is_typed:
            self._cleared.append(cleared)
        self._newest = Draft()
        await self._change(self._store.drop_draft)
        self._newest = None

    async def bring_back(self) -> None:
        """Put the draft that was cleared last into the form, as ``begin`` does."""
        if self._cleared:
            await self.begin(self._cleared[-1])
            self._cleared.pop()

    async def finish(self, seconds: float | None = None) -> None:
        """Wait until nothing is left to write, or for so many seconds."""
        while self._writing is not None and not self._writing.done():
            writing = self._writing  # another one may begin while this one ends
            await asyncio.wait([writing], timeout=seconds)
            if not writing.done():
                return

    async def retry(self, seconds: float) -> None:
        """Try once more to keep what could not be kept; ``is_unkept`` says whether that failed."""
        await self.finish(seconds)
        if self._newest is not None and self.failure is not None:
            with suppress(OutboxError):  # it is still unkept, and ``failure`` says why
                await self.keep(self._newest)

    async def _keep_typed(self) -> None:
        await self.finish()
        if self._newest is not None and self._newest.is_typed:
            await self.keep(self._newest)

    async def _change(self, change: Callable[..., Result], *arguments: Any) -> Result:
        """Change something in the store that may change its drafts; see ``DiskThread.finish``."""

        def do() -> tuple[Result, tuple[Draft, ...]]:
            return change(*arguments), self._store.draft_stack

        async def follow() -> Result:
            result, self._stack = await self._disk.run(do)
            return result

        return await self._disk.finish(follow())
