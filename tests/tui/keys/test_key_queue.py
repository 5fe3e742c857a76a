"""Keys are handled one after the other."""

from __future__ import annotations

from textual.events import Key

from pettui.tui.key_order import KEYS_MAXIMUM, KeyQueue


def a_key(name: str) -> Key:
    return Key(name, name)


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
