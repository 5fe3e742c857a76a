"""Starts: apps start in order of arrival, a few at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.ssh.apps import app_pool
from pettui.ssh.apps.app_pool import Starts

if TYPE_CHECKING:
    import pytest


async def has_turn(task: asyncio.Task[object]) -> bool:
    for _ in range(5):
        await asyncio.sleep(0)
    return task.done()


async def test_a_turn_that_is_over_lets_one_follow_even_if_it_ends_twice() -> None:
    all_starts = Starts()
    ends = [await all_starts.turn() for _ in range(app_pool.AT_ONCE)]
    following = [asyncio.create_task(all_starts.turn()) for _ in range(2)]
    assert [await has_turn(each) for each in following] == [False, False]
    ends[0]()
    ends[0]()
    assert [await has_turn(each) for each in following] == [True, False]
    following[1].cancel()


async def test_who_waits_is_counted_until_the_turn_or_the_end() -> None:
    all_starts = Starts()
    ends = [await all_starts.turn() for _ in range(app_pool.AT_ONCE)]
    assert all_starts.waiting == 0
    gone, next_one = [asyncio.create_task(all_starts.turn()) for _ in range(2)]
    await has_turn(gone)
    assert all_starts.waiting == 2
    gone.cancel()
    ends[0]()
    assert await has_turn(next_one)
    assert all_starts.waiting == 0


async def test_a_start_that_takes_long_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app_pool, "LONGEST_START", 0.0)
    all_starts = Starts()
    for _ in range(3 * app_pool.AT_ONCE):
        await all_starts.turn()
