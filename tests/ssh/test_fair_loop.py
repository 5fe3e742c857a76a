"""FairEventLoop: who used least goes first, and what nobody waits for gives way to all."""

from __future__ import annotations

import asyncio
import time
from contextvars import Context
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh import fair_loop
from pettui.ssh.fair_loop import (
    MEMORY,
    PAUSE_MAXIMUM,
    SHARE,
    Activity,
    FairEventLoop,
    Share,
    activity_context,
    begin_activity,
    current_activity,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep no time for what gives way."""
    monkeypatch.setattr(fair_loop, "BURST", 0.0)


def run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    with asyncio.Runner(loop_factory=FairEventLoop) as runner:
        return runner.run(main())


def client(*, used: float = 0.0, is_inside: bool = True) -> tuple[Context, Activity]:
    """Return a client's context and activity, after it used so many CPU seconds."""
    context = Context()
    activity = context.run(begin_activity)
    activity.share.add(used)
    if is_inside:
        activity.begin()
    return context, activity


def soon(context: Context, call: Callable[[], object]) -> None:
    asyncio.get_running_loop().call_soon(call, context=context)


def work(seconds: float = 0.01) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def repeat(context: Context, times: int, seen: list[str], then: Callable[[], object]) -> None:
    """Do something in so many callbacks, each of which schedules the next one."""
    seen.append("key")
    call: Any = (lambda: repeat(context, times - 1, seen, then)) if times > 1 else then
    soon(context, call)


def test_who_used_least_goes_first_however_late_they_come() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        for used in (0.3, 0.2, 0.1):
            context, _ = client(used=used)
            soon(
                context,
                lambda used=used: (seen.append(f"{used}"), len(seen) == 3 and is_done.set()),
            )
        await is_done.wait()
        return seen

    assert run(main) == ["0.1", "0.2", "0.3"]


def test_all_callbacks_of_a_key_go_before_those_of_a_flood() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        flooding, _ = client(used=1.0)
        soon(flooding, lambda: (seen.append("flood"), is_done.set()))
        typing, _ = client()
        repeat(typing, 5, seen, lambda: None)
        await is_done.wait()
        return seen

    assert run(main) == ["key"] * 5 + ["flood"]


def test_those_of_one_client_run_in_order() -> None:
    async def main() -> list[int]:
        seen: list[int] = []
        is_done = asyncio.Event()
        context, _ = client()
        for number in range(4):
            soon(context, lambda number=number: seen.append(number))
        soon(context, is_done.set)
        await is_done.wait()
        return seen

    assert run(main) == [0, 1, 2, 3]


def test_what_gives_way_waits_while_any_client_has_something_to_do() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        login, _ = client(is_inside=False)
        soon(login, lambda: (seen.append("login"), is_done.set()))
        typing, _ = client(used=10.0)
        repeat(typing, 5, seen, lambda: None)
        await is_done.wait()
        return seen

    assert run(main) == ["key"] * 5 + ["login"]


def test_a_part_of_the_time_is_kept_for_what_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_loop, "BURST", 0.001)

    async def main() -> None:
        is_done = asyncio.Event()
        login, _ = client(is_inside=False)
        typing, _ = client()

        def log_in(steps: int) -> None:
            work(0.001)
            soon(login, (lambda: log_in(steps - 1)) if steps else is_done.set)

        def type_keys() -> None:
            work(0.001)
            if not is_done.is_set():
                soon(typing, type_keys)

        soon(login, lambda: log_in(20))
        soon(typing, type_keys)
        async with asyncio.timeout(60):
            await is_done.wait()

    run(main)


def test_a_user_who_is_there_no_longer_waits_with_those_who_log_in() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        other, _ = client(is_inside=False)
        soon(other, lambda: (seen.append("other"), is_done.set()))
        mine, activity = client(is_inside=False)
        soon(mine, lambda: seen.append("mine"))
        activity.begin()
        activity.begin()
        await is_done.wait()
        return seen

    assert run(main) == ["mine", "other"]


def test_an_activity_may_give_way_again() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        leaving, activity = client()
        activity.give_way()
        soon(leaving, lambda: (seen.append("end"), is_done.set()))
        typing, _ = client(used=1.0)
        soon(typing, lambda: seen.append("key"))
        await is_done.wait()
        return seen

    assert run(main) == ["key", "end"]


def test_callbacks_tasks_and_timers_count_for_the_client_that_they_began_with() -> None:
    async def main() -> tuple[float, float]:
        context, own = client()
        _, other = client()
        is_done = asyncio.Event()

        async def work_in_steps() -> None:
            work()
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(work)
            asyncio.get_running_loop().call_later(0.001, work)
            asyncio.get_running_loop().call_later(0.002, is_done.set)

        task = asyncio.create_task(work_in_steps(), context=context)
        work()
        await is_done.wait()
        await task
        return own.share.used(time.monotonic()), other.share.used(time.monotonic())

    own, other = run(main)
    assert own >= 0.025
    assert other == 0


def test_activities_of_one_client_have_one_share() -> None:
    context, connection = client(is_inside=False)
    _, session = context.run(activity_context)
    assert session is not connection
    assert session.share is connection.share


def test_a_timer_that_is_cancelled_while_it_waits_for_its_turn_does_nothing() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        loop = asyncio.get_running_loop()
        late, _ = client(used=1.0)
        early, _ = client()
        timer = loop.call_at(loop.time(), seen.append, "late", context=late)
        loop.call_at(loop.time(), lambda: (seen.append("early"), timer.cancel()), context=early)
        soon(late, lambda: None)
        loop.call_later(0.01, is_done.set)
        await is_done.wait()
        return seen

    assert run(main) == ["early"]


def test_a_cancelled_callback_is_not_called() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        is_done = asyncio.Event()
        for is_inside in (True, False):
            context, _ = client(is_inside=is_inside)
            loop = asyncio.get_running_loop()
            loop.call_soon(seen.append, "cancelled", context=context).cancel()
            soon(context, is_done.set)
            await is_done.wait()
            is_done.clear()
        return seen

    assert run(main) == []


def test_a_callback_that_raises_does_not_keep_the_others_from_running() -> None:
    async def main() -> list[object]:
        seen: list[object] = []
        is_done = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, about: seen.append(type(about["exception"])))
        context, _ = client()
        soon(context, lambda: 1 // 0)
        soon(context, is_done.set)
        await is_done.wait()
        return seen

    assert run(main) == [ZeroDivisionError]


def test_what_gives_way_gets_the_results_of_threads() -> None:
    async def main() -> int:
        context, _ = client(is_inside=False)
        return await asyncio.create_task(asyncio.to_thread(lambda: 42), context=context)

    assert run(main) == 42


def test_what_has_no_activity_does_not_give_way_on_any_loop() -> None:
    async def main() -> bool:
        return current_activity().gives_way

    assert asyncio.run(main()) is False
    assert run(main) is False


def test_a_client_pauses_until_it_is_within_its_share_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(fair_loop, "monotonic", lambda: now)
    share = Share()
    share.add(SHARE * MEMORY)
    assert share.pause() == 0
    share.add(SHARE * MEMORY)
    pause = share.pause()
    assert pause > 0
    now += pause
    assert share.pause() == pytest.approx(0, abs=1e-9)
    now += 10 * MEMORY
    assert share.used(now) < 0.001


def test_no_pause_is_long() -> None:
    share = Share()
    share.add(1000.0)
    assert share.pause() == PAUSE_MAXIMUM
