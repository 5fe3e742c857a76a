"""FairShare and InputThrottle: how much of its process one session may use."""

from __future__ import annotations

import asyncio
import time

from pettui.ssh.session_input import BURST, RESIZE_COST, FairShare, InputThrottle

PATIENCE = 60.0  # seconds, enough on a busy machine


def nothing() -> None: ...


async def test_a_turn_lasts_until_the_app_is_done_and_then_the_next_may_begin() -> None:
    rested, asked = asyncio.Event(), asyncio.Event()
    is_done = False

    def is_it() -> bool:
        asked.set()
        return is_done

    turns = FairShare(is_it, rested.set)
    assert turns.is_free
    turns.begin()
    async with asyncio.timeout(PATIENCE):
        await asked.wait()
        assert not turns.is_free
        assert not rested.is_set()
        is_done = True
        await rested.wait()
    assert turns.is_free


async def test_a_stopped_turn_is_followed_by_none() -> None:
    turns: list[None] = []
    stopped = FairShare(lambda: True, lambda: turns.append(None))
    stopped.begin()
    stopped.stop()
    rested = asyncio.Event()
    FairShare(lambda: True, rested.set).begin()  # it began later, so it ends later
    async with asyncio.timeout(PATIENCE):
        await rested.wait()
    assert turns == []


async def test_a_busy_machine_makes_no_turn_longer() -> None:
    rested = asyncio.Event()
    FairShare(lambda: True, rested.set).begin()
    late = 0
    while not rested.is_set():
        time.sleep(0.02)  # noqa: ASYNC251 - the loop's timers are late, although it used no CPU time
        late += 1
        await asyncio.sleep(0)
    assert late < 20


async def test_a_burst_of_keys_is_passed_on_at_once() -> None:
    taken = bytearray()

    def take(data: bytes) -> int:
        taken.extend(data)
        return len(data)

    throttle = InputThrottle(take, lambda: 0, nothing, nothing)
    for _ in range(int(BURST)):
        throttle.feed(b"j")
    assert taken == b"j" * int(BURST)
    throttle.stop()


async def test_a_few_resizes_are_allowed_at_once() -> None:
    throttle = InputThrottle(len, lambda: 1, nothing, nothing)
    free = int(BURST / RESIZE_COST)
    assert [throttle.admit_resize() for _ in range(free)] == [True] * free
    assert throttle.admit_resize()  # the first one that takes a turn
    assert not throttle.admit_resize()
    throttle.stop()


async def test_a_flood_is_passed_on_in_turns_and_loses_nothing() -> None:
    taken: list[int] = []
    over = asyncio.Event()

    def take(data: bytes) -> int:
        taken.append(len(data))
        if sum(taken) == 500:
            over.set()
        return len(data)

    throttle = InputThrottle(take, lambda: 0, nothing, nothing)
    throttle.feed(b"j" * 500)
    async with asyncio.timeout(PATIENCE):
        await over.wait()
    assert max(taken) <= BURST
    assert not throttle.admit_resize()
    throttle.stop()


async def test_a_paste_is_passed_on_in_larger_and_larger_chunks() -> None:
    taken: list[int] = []
    over = asyncio.Event()

    def take(data: bytes) -> int:
        taken.append(len(data))
        if sum(taken) == 100_000:
            over.set()
        return 0  # no key before the paste ends

    throttle = InputThrottle(take, lambda: 0, nothing, nothing)
    throttle.feed(b"x" * 100_000)
    async with asyncio.timeout(PATIENCE):
        await over.wait()
    assert len(taken) < 40
    throttle.stop()


async def test_a_flood_waits_until_the_app_accepts_input() -> None:
    taken: list[bytes] = []
    calls: list[str] = []

    def take(data: bytes) -> int:
        taken.append(data)
        return len(data)

    throttle = InputThrottle(
        take, lambda: 1000, lambda: calls.append("pause"), lambda: calls.append("resume")
    )
    throttle.feed(b"x" * 40_000)
    assert taken == []
    assert calls == ["pause"]
    throttle.stop()
