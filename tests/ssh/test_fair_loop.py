"""FairEventLoop: who used least goes first, and what nobody waits for gives way to all."""

from __future__ import annotations

import asyncio
import math
import time
from contextvars import Context
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh import fair_loop
from pettui.ssh.fair_loop import (
    APART,
    MEMORY,
    SHARE,
    Activity,
    AddressShare,
    Share,
    begin_activity,
)  # fmt: skip
from tests.clock import Clock
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(autouse=True)
def burst(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep no time for what gives way, unless a test wants some."""
    monkeypatch.setattr(fair_loop, "BURST", getattr(request, "param", 0.0))


@pytest.fixture
def seen() -> list[object]:
    return []


def client(*, used: float = 0.0, is_inside: bool = True) -> tuple[Context, Activity]:
    """Return a client's context and activity, after it used so many CPU seconds."""
    context = Context()
    activity = context.run(begin_activity)
    activity.share.add(used)
    if is_inside:
        activity.begin()
    return context, activity


def soon(context: Context, call: Callable[..., object], *arguments: object) -> None:
    asyncio.get_running_loop().call_soon(partial(call, *arguments), context=context)


def work(seconds: float = 0.01) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def press_keys(context: Context, times: int, seen: list[object]) -> None:
    """Do something in so many callbacks, each of which schedules the next one."""
    seen.append("key")
    if times > 1:
        soon(context, press_keys, context, times - 1, seen)


async def test_who_used_least_goes_first_however_late_they_come(seen: list[object]) -> None:
    for used in (0.3, 0.2, 0.1):
        soon(client(used=used)[0], seen.append, used)
    await until(lambda: len(seen) == 3)
    assert seen == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("other", "used"),
    [({"used": 1.0}, 0.0), ({"is_inside": False}, 10.0)],
    ids=["who used more", "what gives way"],
)
async def test_all_callbacks_of_a_key_go_before_others(
    seen: list[object], other: dict[str, Any], used: float
) -> None:
    soon(client(**other)[0], seen.append, "other")
    press_keys(client(used=used)[0], 5, seen)
    await until(lambda: "other" in seen)
    assert seen == ["key"] * 5 + ["other"]


@pytest.mark.parametrize("burst", [0.001], indirect=True)
async def test_a_part_of_the_time_is_kept_for_what_gives_way(seen: list[object]) -> None:
    login, _ = client(is_inside=False)
    typing, _ = client()

    def log_in() -> None:
        work(0.001)
        seen.append("step")
        soon(login, log_in)

    def type_keys() -> None:
        work(0.001)
        if len(seen) < 20:
            soon(typing, type_keys)

    soon(login, log_in)
    soon(typing, type_keys)
    await until(lambda: len(seen) >= 20)


async def test_callbacks_tasks_and_timers_count_for_the_client_that_they_began_with(
    seen: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_loop, "MEMORY", math.inf)  # nothing fades in a stall
    context, own = client()
    _, other = client()

    async def work_in_steps() -> None:
        work()
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(work)
        asyncio.get_running_loop().call_later(0.001, work)
        asyncio.get_running_loop().call_later(0.002, seen.append, "done")

    task = asyncio.create_task(work_in_steps(), context=context)
    work()
    await until(lambda: seen)
    await task
    assert own.share.used(time.monotonic()) >= 0.025
    assert other.share.used(time.monotonic()) == 0


def test_a_client_pauses_until_it_is_within_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(100.0)
    monkeypatch.setattr(fair_loop, "monotonic", clock)
    share = Share()
    share.add(SHARE * MEMORY)
    assert share.pause() == 0
    share.add(SHARE * MEMORY)
    pause = share.pause()
    assert pause > 0
    clock.now += pause
    assert share.pause() == pytest.approx(0, abs=1e-9)
    clock.now += 10 * MEMORY
    assert share.used(clock.now) < 0.001


# Many clients of one address


def clients_of_one_address(number: int, used: float) -> list[tuple[Context, Activity]]:
    """Return clients, each of which used so many CPU seconds since it is inside."""
    address = AddressShare()
    clients = [client() for _ in range(number)]
    for _, activity in clients:
        activity.share.address = address
        activity.share.add(used)
    return clients


MUCH, LITTLE = 1.5 * APART, 0.5 * APART


async def test_those_of_one_address_who_used_much_go_after_who_used_more_than_each(
    seen: list[object],
) -> None:
    flood = clients_of_one_address(18, MUCH)
    for context, _ in flood:
        soon(context, seen.append, "flood")
    soon(client(used=3 * MUCH)[0], seen.append, "newcomer")
    await until(lambda: len(seen) == 19)
    assert seen[0] == "newcomer"


async def test_who_used_little_is_apart_from_others_of_their_address(seen: list[object]) -> None:
    flood = clients_of_one_address(18, MUCH)
    neighbour, activity = client()
    activity.share.address = flood[0][1].share.address
    activity.share.add(LITTLE)
    soon(client(used=MUCH)[0], seen.append, "another")
    for context, _ in flood:
        soon(context, seen.append, "flood")
    soon(neighbour, seen.append, "neighbour")
    await until(lambda: len(seen) == 20)
    assert seen[:2] == ["neighbour", "another"]
    assert activity.share.pause() == 0


async def test_those_of_one_address_who_used_much_have_one_eighth_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(100.0)
    monkeypatch.setattr(fair_loop, "monotonic", clock)
    flood = clients_of_one_address(4, MUCH)
    assert all(activity.share.pause() > 0 for _, activity in flood)
    [(_, alone)] = clients_of_one_address(1, MUCH)
    assert alone.share.pause() == 0
    clock.now += MEMORY  # so that each used little lately
    assert all(activity.share.pause() == 0 for _, activity in flood)
    address = flood[0][1].share.address
    assert address is not None
    assert address.used(clock.now) == pytest.approx(0)


async def test_a_timer_that_is_cancelled_while_it_waits_for_its_turn_does_nothing(
    seen: list[object],
) -> None:
    loop = asyncio.get_running_loop()
    late, _ = client(used=1.0)
    early, _ = client()
    timer = loop.call_at(loop.time(), seen.append, "late", context=late)
    loop.call_at(loop.time(), lambda: (seen.append("early"), timer.cancel()), context=early)
    loop.call_at(loop.time(), seen.append, "later", context=late)
    await until(lambda: "later" in seen)
    assert seen == ["early", "later"]
