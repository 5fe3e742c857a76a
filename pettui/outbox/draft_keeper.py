"""Keeps the draft as fast as the disk allows, and no faster."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.outbox.entries import Draft, OutboxError

if TYPE_CHECKING:
    from pettui.outbox.entries import Entry
    from pettui.outbox.ledger import Ledger


class DraftKeeper:
    """Writes the newest draft; those that were overtaken meanwhile are never written."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._newest: Draft | None = None  # not yet kept
        self._writing: asyncio.Task[OutboxError | None] | None = None

    @property
    def draft(self) -> Draft:
        """What was typed last, kept already or about to be."""
        return self._ledger.draft if self._newest is None else self._newest

    async def keep(self, draft: Draft) -> None:
        """Keep a draft, or a newer one, for good; raises OutboxError."""
        self._newest = draft
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        error = await asyncio.shield(self._writing)
        if error is not None:
            raise OutboxError(str(error)) from error

    async def take(self, entry: Entry) -> bool:
        """Make an entry the draft; False where it is being sent, or another instance had it."""
        await self.finish()
        taken = await self._ledger.take_out(entry)
        if taken:
            self._newest = None  # what could not be kept: the entry took its place
        return taken

    async def finish(self) -> None:
        """Wait until nothing is left to write."""
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def _write(self) -> OutboxError | None:
        while (draft := self._newest) is not None:
            try:
                await self._ledger.keep_draft(draft)
            except OutboxError as error:
                return error
            if self._newest is draft:
                self._newest = None
        return None
