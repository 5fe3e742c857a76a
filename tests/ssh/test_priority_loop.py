"""PriorityEventLoop: callbacks of a low priority wait for all others."""

from __future__ import annotations

import asyncio
import socket
import time
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh import priority_loop
from pettui.ssh.priority_loop import (
    Priority,
    PriorityEventLoop,
    begin_low_priority,
    current_priority,
    low_priority_context,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


@pytest.fixture(autouse=True)
def endless_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing run because it waited long."""
    monkeypatch.setattr(priority_loop, "LONGEST_WAIT", 3600)


def run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
        return runner.run(main())


def soon(priority: str, call: Callable[[], object]) -> Priority:
    """Schedule a callback with a low priority of its own, or with a high one."""
    loop = asyncio.get_running_loop()
    context, own = low_priority_context()
    if priority == "high":
        own.increase()
    loop.call_soon(call, context=context)
    return own


def repeat(times: int, seen: list[str], then: Callable[[], object]) -> None:
    """Do something in so many rounds of the loop, and something else in the last."""
    seen.append("high")
    call: Any = (lambda: repeat(times - 1, seen, then)) if times > 1 else then
    soon("high", call)


def test_a_low_priority_waits_while_there_is_anything_else_to_do() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        soon("low", lambda: (seen.append("low"), is_done.set()))
        repeat(5, seen, lambda: None)
        await is_done.wait()
        return seen

    assert run(main) == ["high"] * 5 + ["low"]


def test_a_low_priority_waits_no_longer_than_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority_loop, "LONGEST_WAIT", -1.0)
    monkeypatch.setattr(priority_loop, "TURN", 3600)

    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        soon("low", lambda: seen.append("low"))
        repeat(5, seen, is_done.set)
        await is_done.wait()
        return seen

    assert run(main).index("low") < 3


def test_a_low_priority_runs_although_each_round_of_the_others_takes_longer_than_a_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(priority_loop, "LONGEST_WAIT", 0.001)
    monkeypatch.setattr(priority_loop, "TURN", 0.001)

    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        for _ in range(3):
            soon("low", lambda: seen.append("low"))

        def work(rounds: int) -> None:
            time.sleep(0.01)
            soon("high", (lambda: work(rounds - 1)) if rounds else is_done.set)

        work(10)
        await is_done.wait()
        return seen

    assert run(main) == ["low"] * 3


def test_those_of_a_low_priority_run_in_order() -> None:
    async def main() -> list[int]:
        seen: list[int] = []
        is_done = asyncio.Event()
        for number in range(4):
            soon("low", lambda number=number: seen.append(number))
        soon("low", is_done.set)
        await is_done.wait()
        return seen

    assert run(main) == [0, 1, 2, 3]


def test_an_increased_priority_counts_for_what_waits_already() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        soon("low", lambda: (seen.append("other"), is_done.set()))
        mine = soon("low", lambda: seen.append("mine"))
        repeat(3, seen, lambda: None)
        mine.increase()
        mine.increase()
        await is_done.wait()
        return seen

    assert run(main) == ["high", "high", "mine", "high", "other"]


def test_a_task_has_the_priority_of_the_context_it_began_in() -> None:
    async def main() -> list[str]:
        seen: list[str] = []

        async def work(name: str) -> None:
            for _ in range(3):
                await asyncio.sleep(0)
                seen.append(name)

        context, _ = low_priority_context()
        low = asyncio.create_task(work("low"), context=context)
        await asyncio.gather(low, work("high"))
        return seen

    assert run(main) == ["high"] * 3 + ["low"] * 3


def test_a_reader_of_a_low_priority_is_called_once_for_what_came() -> None:
    async def main() -> list[bytes]:
        loop = asyncio.get_running_loop()
        here, there = socket.socketpair()
        here.setblocking(False)
        seen: list[bytes] = []
        is_done = asyncio.Event()

        def read() -> None:
            seen.append(here.recv(100))
            soon("low", is_done.set)

        context = copy_context()
        context.run(begin_low_priority)
        context.run(loop.add_reader, here, read)
        there.send(b"one")
        rounds: list[str] = []
        repeat(5, rounds, lambda: None)
        await is_done.wait()
        loop.remove_reader(here)
        here.close(), there.close()
        assert len(rounds) == 5
        return seen

    assert run(main) == [b"one"]


def test_a_timer_goes_before_a_low_priority() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        asyncio.get_running_loop().call_later(0, lambda: seen.append("timer"))
        soon("low", lambda: (seen.append("low"), is_done.set()))
        await is_done.wait()
        return seen

    assert run(main) == ["timer", "low"]


def test_a_cancelled_callback_of_a_low_priority_is_not_called() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        context, _ = low_priority_context()
        loop = asyncio.get_running_loop()
        loop.call_soon(seen.append, "cancelled", context=context).cancel()
        soon("low", is_done.set)
        await is_done.wait()
        return seen

    assert run(main) == []


def test_work_of_a_low_priority_gets_the_results_of_threads() -> None:
    async def main() -> int:
        context, _ = low_priority_context()
        return await asyncio.create_task(asyncio.to_thread(lambda: 42), context=context)

    assert run(main) == 42


def test_the_time_of_callbacks_and_tasks_is_counted_where_they_began() -> None:
    def work() -> None:
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass

    async def main() -> tuple[float, float]:
        context, own = low_priority_context()
        _, other = low_priority_context()
        is_done = asyncio.Event()

        async def work_in_steps() -> None:
            work()
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(work)
            asyncio.get_running_loop().call_soon(is_done.set)

        task = asyncio.create_task(work_in_steps(), context=context)
        work()
        await is_done.wait()
        await task
        return own.used, other.used

    own, other = run(main)
    assert own >= 0.02
    assert other == 0


def test_what_has_no_priority_is_not_low_on_any_loop() -> None:
    async def main() -> bool:
        return current_priority().is_low

    assert asyncio.run(main()) is False
    assert run(main) is False
