"""What raises in the background of the outbox is reported, and everything else goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pettui.outbox import LoopTimer, MemoryEntryStore, OutboxError
from tests.outbox.scripted import ScriptedClient, add, an_entry, states, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.outbox import Outbox
    from tests.outbox.conftest import MakeOutbox

Target = TypeVar("Target")


class Surprise(Exception):
    """What nobody reckons with; its text must stand nowhere, since it may hold a key."""

    def __init__(self) -> None:
        super().__init__("Bearer a-secret-key")


def raising(target: Target, method: str, at_call: int = 1) -> Target:
    """Let one call of a method raise."""
    call, calls = getattr(target, method), count(1)

    def run(*arguments: Any, **options: Any) -> Any:
        if next(calls) == at_call:
            raise Surprise
        return call(*arguments, **options)

    setattr(target, method, run)
    return target


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


async def test_an_exception_while_sending_leaves_one_entry_unknown_and_the_rest_go_on(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    reported: list[Exception] = []
    outbox = make_outbox(report=reported.append)
    client.adds = [error := Surprise()]
    await add(outbox, "Rex", "Mimi", "Tiny")
    await until(outbox, lambda: states(outbox) == ["Rex unknown", "Mimi added", "Tiny added"])
    assert [pet.name for pet in client.sent] == ["Rex", "Mimi", "Tiny"]
    assert reported == [error]
    assert outbox.problems == ("a bug of pettui's own while sending (Surprise)",)
    assert outbox.entries[0].error == outbox.problems[0]


async def test_an_exception_while_a_list_is_loaded_is_waited_out_like_any_failure(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    reported: list[Exception] = []
    outbox = make_outbox(report=reported.append)
    error = Surprise()
    client.adds, client.lists = [error], [error, error, error]
    await add(outbox, "Rex", "Mimi")
    await until(outbox, lambda: states(outbox) == ["Rex unknown", "Mimi added"])
    assert len(outbox.problems) == 2
    assert reported == [error, error]  # once a kind, and not once a time


async def goes_on(outbox: Outbox, reported: list[Exception]) -> None:
    await add(outbox, "Rex")
    await until(outbox, lambda: states(outbox) == ["Rex added"])
    await until(outbox, lambda: outbox.problems)
    assert len(reported) == 1
    assert "a-secret-key" not in "".join(outbox.problems)
    await until(outbox, lambda: outbox.store_error is None)
    await add(outbox, "Mimi")
    await until(outbox, lambda: states(outbox) == ["Rex added", "Mimi added"])


@pytest.mark.parametrize(
    "faulty",
    [
        lambda: {"timer": raising(LoopTimer(), "wait")},
        lambda: {"store": raising(MemoryEntryStore(), "load", at_call=2)},
        lambda: {"store": raising(MemoryEntryStore(), "change")},
        lambda: {"store": raising(MemoryEntryStore(), "change", at_call=2)},
    ],
    ids=["sending", "looking", "keeping that it is sent", "keeping what it became"],
)
async def test_each_task_goes_on_after_an_exception(
    make_outbox: MakeOutbox, faulty: Callable[[], dict[str, Any]]
) -> None:
    reported: list[Exception] = []
    await goes_on(make_outbox(**faulty(), report=reported.append), reported)


async def test_the_thread_goes_on_after_an_exception(make_outbox: MakeOutbox) -> None:
    reported: list[Exception] = []
    outbox = make_outbox(thread=NoThreads(1), report=reported.append)
    with pytest.raises(OutboxError):
        await add(outbox, "Never")
    await goes_on(outbox, reported)


async def test_a_store_that_raises_at_the_start_ends_nothing(make_outbox: MakeOutbox) -> None:
    store = raising(MemoryEntryStore(), "load")
    store.add(an_entry("Rex"))
    outbox = make_outbox(store)
    assert "Surprise" in (outbox.store_error or "")
    await until(outbox, lambda: states(outbox) == ["Rex added"])
    assert outbox.store_error is None
