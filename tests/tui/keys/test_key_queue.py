"""Keys are handled one after the other."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from textual.events import Key

from pettui.tui.key_order import KEYS_MAXIMUM, KeyQueue


def a_key(name: str) -> Key:
    return Key(name, name)


def test_the_first_key_is_handled_and_the_next_ones_wait_in_order() -> None:
    queue = KeyQueue()
    assert queue.enqueue(a_key("a")) == 1
    assert queue.enqueue(a_key("b")) is None
    assert queue.enqueue(a_key("c")) is None
    assert len(queue) == 2
    b = queue.done(1)
    assert b is not None
    assert b.key == "b"
    assert queue.enqueue(b) == 2
    c = queue.done(2)
    assert c is not None
    assert c.key == "c"


def test_a_key_that_is_done_twice_or_was_not_next_releases_nothing() -> None:
    queue = KeyQueue()
    queue.enqueue(a_key("a"))
    queue.enqueue(a_key("b"))
    assert queue.done(7) is None
    assert queue.done(1) is not None
    assert queue.done(1) is None


def test_a_held_queue_keeps_what_waits_and_what_comes() -> None:
    queue = KeyQueue()
    for name in "abc":
        queue.enqueue(a_key(name))
    queue.hold()
    assert queue.done(1) is None
    assert queue.enqueue(a_key("d")) is None
    assert [key.key for key in queue.waiting if isinstance(key, Key)] == ["b", "c", "d"]


def test_the_queue_is_bounded() -> None:
    queue = KeyQueue()
    for _ in range(KEYS_MAXIMUM + 10):
        queue.enqueue(a_key("a"))
    assert len(queue) == KEYS_MAXIMUM


async def test_a_block_between_two_keys_waits_for_the_first_and_delays_the_second() -> None:
    posted: list[int] = []
    screen = SimpleNamespace(
        is_attached=True, app=SimpleNamespace(post_message=lambda done: posted.append(done.number))
    )
    queue = KeyQueue()
    queue.enqueue(a_key("a"))

    async def work() -> None:
        async with queue.between(screen):
            assert queue.enqueue(a_key("b")) is None

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    assert queue.done(1) is None
    await task
    assert posted == [2]
    b = queue.done(2)
    assert b is not None
    assert b.key == "b"
