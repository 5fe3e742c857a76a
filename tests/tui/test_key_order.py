"""Keys one after the other."""

from __future__ import annotations

from textual.events import Key

from pettui.tui.key_order import KEYS_MAXIMUM, KeyOrder


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
