"""Drafts: nothing that was put aside comes back but by a call that asks for it."""

from __future__ import annotations

import asyncio
import math
import threading
from typing import TYPE_CHECKING

import pytest

from pettui.outbox.entries import Contents, Draft, Entry, OutboxError
from pettui.outbox.store_thread import SharedThread
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.outbox.drafts import Drafts
    from pettui.outbox.outbox import Outbox
    from tests.outbox.conftest import MakeOutbox

KEPT = Draft("", "3", "sold", is_kept=True)  # what an add leaves


async def put_aside(drafts: Drafts, *names: str) -> None:
    for name in names:
        await drafts.keep(Draft(name))
        await drafts.put_aside_for()


async def names_brought_back(drafts: Drafts, times: int) -> list[str]:
    found = []
    for _ in range(times):
        await drafts.bring_back()
        found.append(drafts.draft.name)
    return found


async def test_they_come_back_one_after_the_other_and_then_none(outbox: Outbox) -> None:
    drafts = outbox.drafts
    await put_aside(drafts, "A", "B", "C")
    assert await names_brought_back(drafts, 5) == ["C", "B", "A", "", "C"]


async def test_what_is_edited_is_the_newest(outbox: Outbox) -> None:
    drafts = outbox.drafts
    await put_aside(drafts, "A", "B", "C")
    await names_brought_back(drafts, 3)
    assert drafts.is_brought_back
    await drafts.keep(Draft("Ax"))
    assert not drafts.is_brought_back
    await drafts.put_aside_for()
    assert await names_brought_back(drafts, 3) == ["Ax", "C", "B"]


async def test_an_empty_form_holds_what_an_add_left_until_it_is_cleared(outbox: Outbox) -> None:
    drafts = outbox.drafts
    await drafts.keep(KEPT)
    await put_aside(drafts, "A")
    assert (drafts.draft, drafts.draft.is_kept) == (KEPT, True)
    await drafts.bring_back()
    drafts.leave()
    assert (drafts.draft, drafts.draft.is_kept) == (KEPT, True)
    await drafts.clear(drafts.draft, Draft())
    await put_aside(drafts, "B")
    assert drafts.draft == Draft()


async def test_a_start_puts_aside_all_that_was_typed_and_goes_on_with_what_an_add_left(
    make_outbox: MakeOutbox, directory: Path
) -> None:
    outbox = make_outbox(DirectoryEntryStore(directory))
    await outbox.drafts.keep(KEPT)
    await put_aside(outbox.drafts, "A")
    await until(lambda: len([*directory.glob("*.draft.json")]) == 2)
    await outbox.close()
    outbox = make_outbox(DirectoryEntryStore(directory))
    assert (outbox.drafts.draft, outbox.drafts.draft.is_kept) == (KEPT, True)
    await outbox.drafts.keep(Draft("B", "3", typed_at=9e9))
    await outbox.close()
    outbox = make_outbox(DirectoryEntryStore(directory))
    assert outbox.drafts.draft == Draft()
    assert [draft.name for draft in outbox.drafts.put_aside] == ["B", "A"]


async def test_a_copy_that_is_not_edited_is_nowhere_but_in_the_form(
    outbox: Outbox, directory: Path
) -> None:
    drafts = outbox.drafts
    await put_aside(drafts, "A")
    await drafts.put_aside_for(Draft("Rex", "3", is_copy=True, copy_of="key"))
    assert (drafts.unkept, [draft.name for draft in drafts.all]) == ([], ["A"])
    await drafts.bring_back()
    assert drafts.draft == Draft("A")
    await drafts.bring_back()
    assert (drafts.draft, [draft.name for draft in drafts.all]) == (Draft(), ["A"])


async def test_lines_that_a_paste_left_out_take_the_place_of_those_that_stood_there(
    outbox: Outbox,
) -> None:
    drafts = outbox.drafts
    await drafts.keep(Draft(lines="Rex;x\nMimi;3"))
    await drafts.put_lines_aside(Draft(lines="Rex;x"), in_place=True)
    assert (drafts.draft, [draft.lines for draft in drafts.all]) == (Draft(), ["Rex;x"])


class FullDisk(MemoryEntryStore):
    def keep_draft(self, number: int, draft: Draft) -> None:
        if draft != Draft():
            raise OutboxError("no space left on device")
        super().keep_draft(number, draft)


async def test_what_cannot_be_kept_is_not_put_aside_but_left_in_memory_by_a_form_that_closes(
    make_outbox: MakeOutbox,
) -> None:
    drafts = make_outbox(FullDisk()).drafts
    for call in (drafts.keep(Draft("A")), drafts.put_aside_for(), drafts.bring_back()):
        with pytest.raises(OutboxError, match="no space left"):
            await call
        assert drafts.draft == Draft("A")
    drafts.leave()
    assert drafts.draft == Draft()
    assert drafts.unkept == [Draft("A")]


class FarStore(MemoryEntryStore):
    """A store whose reading takes until somebody lets it."""

    is_near: bool = False

    def __init__(self) -> None:
        super().__init__()
        self.may_be_read = threading.Event()

    def load(self) -> Contents:
        assert self.may_be_read.wait(10.0)
        return super().load()

    def take_over_drafts(self) -> None:
        self._drafts |= {1_000_000: Draft("Left", "3", typed_at=5.0)}


class SlowStore(MemoryEntryStore):
    """A store far away, each of whose calls takes until somebody lets it."""

    is_near: bool = False

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.proceed = threading.Semaphore(0)

    def _wait(self, call: str) -> None:
        self.calls.append(call)
        assert self.proceed.acquire(timeout=10.0)

    def load(self) -> Contents:
        self._wait("load")
        return super().load()

    def keep_draft(self, number: int, draft: Draft) -> None:
        self._wait(f"keep {draft.name}")
        super().keep_draft(number, draft)

    def add(self, entry: Entry, *, draft: int = 0) -> Entry:
        self._wait("add")
        return super().add(entry, draft=draft)


async def test_who_adds_waits_for_what_is_under_way_and_for_nothing_else(
    make_outbox: MakeOutbox,
) -> None:
    """Neither for the newest keys, which become the animal, nor for a look."""
    store = SlowStore()
    with SharedThread() as thread:
        outbox = make_outbox(store, delay=1e6, look_every=math.inf, thread=thread)
        store.proceed.release()
        await outbox.opened()
        typing = [asyncio.create_task(outbox.drafts.keep(Draft("Re", "3")))]
        await until(lambda: store.calls[1:] == ["keep Re"])
        typing.append(asyncio.create_task(outbox.drafts.keep(Draft("Rex", "3"))))
        looking = asyncio.create_task(outbox._cache.reload())
        await asyncio.sleep(0)
        adding = asyncio.create_task(outbox.add("Rex", 3, None))
        await until(lambda: outbox.drafts._becoming is not None)  # it is in the queue
        store.proceed.release(2)
        assert (await adding).name == "Rex"
        store.proceed.release(9)
        await asyncio.gather(looking, *typing)
        assert store.calls[1:4] == ["keep Re", "add", "load"]
        assert store.drafts == {}
        await outbox.close()


async def test_what_is_typed_while_a_store_far_away_is_read_is_newer_than_what_was_left_there(
    make_outbox: MakeOutbox,
) -> None:
    store = FarStore()
    outbox = make_outbox(store, delay=1e6)
    await outbox.opened(0.01)
    assert outbox.drafts.put_aside == []
    typing = asyncio.create_task(outbox.drafts.keep(Draft("Rex")))
    await asyncio.sleep(0)
    assert outbox.drafts.draft == Draft("Rex")
    store.may_be_read.set()
    await typing
    await until(lambda: outbox.drafts.are_loaded)
    assert [draft.name for draft in outbox.drafts.all] == ["Rex", "Left"]
    assert outbox.drafts.draft == Draft("Rex")
