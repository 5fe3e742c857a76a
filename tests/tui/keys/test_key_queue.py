"""Keys one after the other."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from textual.events import Key

from pettui.tui.keys.key_queue import KEYS_MAXIMUM, KeyOrder


def a_key(name: str) -> Key:
    return Key(name, name)


def test_the_first_key_goes_on_and_the_next_ones_wait_in_order() -> None:
    order = KeyOrder()
    assert order.take(a_key("a")) == 1
    assert order.take(a_key("b")) is None
    assert order.take(a_key("c")) is None
    assert len(order) == 2
    b = order.done(1)
    assert b is not None
    assert b.key == "b"
    assert order.take(b) == 2
    c = order.done(2)
    assert c is not None
    assert c.key == "c"


def test_what_is_done_twice_or_out_of_turn_lets_nothing_through() -> None:
    order = KeyOrder()
    order.take(a_key("a"))
    order.take(a_key("b"))
    assert order.done(7) is None
    assert order.done(1) is not None
    assert order.done(1) is None


def test_a_key_after_a_rest_goes_on_at_once() -> None:
    order = KeyOrder()
    assert order.take(a_key("a")) == 1
    assert order.done(1) is None
    assert order.take(a_key("b")) == 2


def test_a_flood_is_bounded() -> None:
    order = KeyOrder()
    for _ in range(KEYS_MAXIMUM + 10):
        order.take(a_key("a"))
    assert len(order) == KEYS_MAXIMUM


async def test_work_between_two_keys_waits_for_the_one_and_holds_the_other_back() -> None:
    posted: list[int] = []
    screen = SimpleNamespace(
        is_attached=True, app=SimpleNamespace(post_message=lambda done: posted.append(done.number))
    )
    order = KeyOrder()
    order.take(a_key("a"))

    async def work() -> None:
        async with order.between(screen):
            assert order.take(a_key("b")) is None

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    assert order.done(1) is None
    await task
    assert posted == [2]
    b = order.done(2)
    assert b is not None
    assert b.key == "b"


async def test_work_that_was_given_up_lets_the_next_key_through() -> None:
    order = KeyOrder()
    order.take(a_key("a"))

    async def work() -> None:
        async with order.between(SimpleNamespace()):
            raise AssertionError("never begins")

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    order.take(a_key("b"))
    b = order.done(1)
    assert b is not None
    assert b.key == "b"
