"""What one session may take of its process's time."""

from __future__ import annotations

import asyncio
import time

from pettui.ssh.sessions.fair_share import FairShare
from pettui.ssh.sessions.input_throttle import BURST, RESIZE_COST, InputThrottle

PATIENCE = 60.0  # seconds; a loaded machine is no failure


def nothing() -> None: ...


async def test_a_turn_lasts_until_the_app_is_done_and_the_next_one_is_told() -> None:
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


async def test_a_turn_that_is_stopped_tells_nothing() -> None:
    told: list[None] = []
    stopped = FairShare(lambda: True, lambda: told.append(None))
    stopped.begin()
    stopped.stop()
    rested = asyncio.Event()
    FairShare(lambda: True, rested.set).begin()  # began later, and so it ends later
    async with asyncio.timeout(PATIENCE):
        await rested.wait()
    assert told == []


async def test_a_machine_that_is_busy_with_others_makes_no_turn_longer() -> None:
    rested = asyncio.Event()
    FairShare(lambda: True, rested.set).begin()
    late = 0
    while not rested.is_set():
        time.sleep(0.02)  # noqa: ASYNC251 - the loop's timers are late, and it has done nothing
        late += 1
        await asyncio.sleep(0)
    assert late < 20


async def test_as_many_keys_as_a_person_types_in_no_time_are_taken_at_once() -> None:
    taken = bytearray()

    def take(data: bytes) -> int:
        taken.extend(data)
        return len(data)

    throttle = InputThrottle(take, lambda: 0, nothing, nothing)
    for _ in range(int(BURST)):
        throttle.feed(b"j")
    assert taken == b"j" * int(BURST)
    throttle.stop()


async def test_some_sizes_are_drawn_at_once_however_busy_the_machine_is() -> None:
    throttle = InputThrottle(len, lambda: 1, nothing, nothing)
    free = int(BURST / RESIZE_COST)
    assert [throttle.admit_resize() for _ in range(free)] == [True] * free
    assert throttle.admit_resize()  # the first one that is a turn of its own
    assert not throttle.admit_resize()
    throttle.stop()


async def test_a_flood_goes_on_by_turns_and_loses_nothing() -> None:
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


async def test_a_paste_is_handed_on_in_larger_and_larger_pieces() -> None:
    taken: list[int] = []
    over = asyncio.Event()

    def take(data: bytes) -> int:
        taken.append(len(data))
        if sum(taken) == 100_000:
            over.set()
        return 0  # no key before it ends

    throttle = InputThrottle(take, lambda: 0, nothing, nothing)
    throttle.feed(b"x" * 100_000)
    async with asyncio.timeout(PATIENCE):
        await over.wait()
    assert len(taken) < 40
    throttle.stop()
