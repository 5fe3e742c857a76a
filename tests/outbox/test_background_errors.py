"""What raises in the background of the outbox is reported, and everything else goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from pettui.outbox import Draft, LoopTimer, MemoryEntryStore, OutboxError
from tests.outbox.scripted import ScriptedClient, an_entry, states, until

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from pettui.outbox import Contents, Entry
    from tests.outbox.conftest import MakeOutbox


class Surprise(Exception):
    """What nobody reckons with; its text must stand nowhere, since it may hold a key."""

    def __init__(self) -> None:
        super().__init__("Bearer a-secret-key")


class FaultyStore(MemoryEntryStore):
    """A store of which one method raises so many times."""

    def __init__(self, method: str, times: int = 1) -> None:
        super().__init__()
        self._method = method
        self.times = times

    def _call(self, method: str) -> None:
        if method == self._method and self.times:
            self.times -= 1
            raise Surprise

    def load(self) -> Contents:
        self._call("load")
        return super().load()

    def add(self, entry: Entry, **options: Any) -> None:
        self._call("add")
        super().add(entry, **options)

    def change(self, old: Entry, new: Entry) -> bool:
        self._call(f"change to {new.state.value}")
        return super().change(old, new)

    def keep_draft(self, draft: Draft) -> None:
        self._call("keep_draft")
        super().keep_draft(draft)


class FaultyClient(ScriptedClient):
    """A client of which each call raises so many times what is no error of the client's."""

    def __init__(self, error: Exception, *, adds: int = 0, lists: int = 0) -> None:
        super().__init__()
        self._error = error
        self._left = {"add": adds, "list": lists}

    def _call(self, what: str) -> None:
        if self._left[what]:
            self._left[what] -= 1
            raise self._error

    async def create_pet(self, *arguments: Any, **options: Any) -> Any:
        self._call("add")
        return await super().create_pet(*arguments, **options)

    async def list_pets(self, *arguments: Any, **options: Any) -> Any:
        self._call("list")
        return await super().list_pets(*arguments, **options)


class FaultyTimer(LoopTimer):
    """A timer that fails once."""

    is_first = True

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        if self.is_first:
            self.is_first = False
            raise Surprise
        await super().wait(event, seconds)


class NoThreads(ThreadPoolExecutor):
    """A pool whose first use fails as it does where the system has no more threads to give."""

    queued: tuple[Any, ...] = ()
    is_first = True

    def submit(self, *arguments: Any, **options: Any) -> Any:
        if self.is_first:
            self.is_first = False
            self.queued = arguments  # it stays in the queue, for the thread that starts some day
            raise RuntimeError("can't start new thread")
        if self.queued:
            queued, self.queued = self.queued, ()
            super().submit(*queued)
        return super().submit(*arguments, **options)


ERRORS = [Surprise(), MemoryError()]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_an_exception_while_sending_leaves_one_entry_unknown_and_the_rest_go_on(
    make_outbox: MakeOutbox, error: Exception
) -> None:
    reported: list[Exception] = []
    outbox = make_outbox(report=reported.append)
    outbox.client = client = FaultyClient(error, adds=1)
    for name in ("Rex", "Mimi", "Tiny"):
        await outbox.add(name, 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex unknown", "Mimi added", "Tiny added"])
    assert [pet.name for pet in client.sent] == ["Mimi", "Tiny"]
    assert reported == [error]
    kind = type(error).__name__
    assert outbox.problems == (f"a bug of pettui's own while sending ({kind})",)
    assert outbox.entries[0].error == outbox.problems[0]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_an_exception_while_a_list_is_loaded_is_waited_out_like_any_failure(
    make_outbox: MakeOutbox, error: Exception
) -> None:
    reported: list[Exception] = []
    outbox = make_outbox(report=reported.append)
    outbox.client = FaultyClient(error, adds=1, lists=3)
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex unknown", "Mimi added"])
    assert len(outbox.problems) == 2
    assert reported == [error, error]  # once a kind, and not once a time


async def _fault_in_sending(make: MakeOutbox) -> Any:
    """The loop itself."""
    return make(timer=FaultyTimer())


async def _fault_in_refreshing(make: MakeOutbox) -> Any:
    """Refreshing raises an error that is not the store's own; so does a listener."""
    store = FaultyStore("load", 0)
    outbox = make(store)
    store.times = 1
    return outbox


async def _fault_in_a_change(make: MakeOutbox) -> Any:
    return make(FaultyStore("change to sending"))


async def _fault_in_a_record(make: MakeOutbox) -> Any:
    return make(FaultyStore("change to added"))


async def _fault_in_the_thread(make: MakeOutbox) -> Any:
    pool = NoThreads(1)
    outbox = make(thread=pool)
    with pytest.raises(OutboxError):
        await outbox.add("Never", 3, None)
    return outbox


FAULTS = [
    _fault_in_sending,
    _fault_in_refreshing,
    _fault_in_a_change,
    _fault_in_a_record,
    _fault_in_the_thread,
]


@pytest.mark.parametrize("faulty", FAULTS)
async def test_each_task_and_thread_goes_on_after_an_exception(
    make_outbox: MakeOutbox, faulty: Callable[[Any], Any]
) -> None:
    reported: list[Exception] = []

    def make(*arguments: Any, **options: Any) -> Any:
        return make_outbox(*arguments, report=reported.append, **options)

    outbox = await faulty(make)
    await outbox.add("Rex", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex added"])
    await until(outbox, lambda: outbox.problems)
    assert len(reported) == 1
    assert "a-secret-key" not in "".join(outbox.problems)
    await until(outbox, lambda: outbox.store_error is None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex added", "Mimi added"])


async def test_a_draft_is_kept_again_after_an_exception(make_outbox: MakeOutbox) -> None:
    outbox = make_outbox(FaultyStore("keep_draft"))
    with pytest.raises(OutboxError, match="Surprise"):
        await outbox.drafts.keep(Draft("Re"))
    await outbox.drafts.keep(Draft("Rex"))
    assert outbox.drafts.draft == Draft("Rex")


async def test_a_store_that_raises_at_the_start_ends_nothing(make_outbox: MakeOutbox) -> None:
    store = FaultyStore("load")
    store.add(an_entry("Rex"))
    outbox = make_outbox(store)
    assert "Surprise" in (outbox.store_error or "")
    await until(outbox, lambda: states(outbox) == ["Rex added"])
    assert outbox.store_error is None
