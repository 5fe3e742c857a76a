"""When apps start, for which terminals, and which first frames are kept."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.capabilities import Colours, Glyphs
from pettui.ssh.apps import app_pool
from pettui.ssh.apps.app_pool import REMEMBERED, USUAL, FirstFrames, RecentTerminals, Starts
from pettui.ssh.client_terminal import ClientTerminal
from pettui.terminal.channel_driver import FirstFrame
from pettui.terminal.screen_buffer import ScreenBuffer
from pettui.terminal.sgr import Palette

if TYPE_CHECKING:
    import pytest

# Apps start in order of arrival, a few at a time


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


# Apps are for the terminals that the next users probably have


def terminal(columns: int, kind: str = "xterm-256color") -> ClientTerminal:
    return ClientTerminal(kind, (columns, 30), Colours.MANY, Glyphs.UNICODE)


def test_the_first_apps_are_for_the_usual_terminal() -> None:
    assert RecentTerminals().next([]) == USUAL


def test_apps_are_shared_out_as_the_users_terminals_are() -> None:
    recent = RecentTerminals()
    for columns in (100, 120, 100, 100, 120, 100):
        recent.add(terminal(columns))
    ready: list[ClientTerminal] = []
    for _ in range(6):
        ready.append(recent.next(ready))
    assert sorted(each.size[0] for each in ready) == [100] * 4 + [120] * 2


def test_terminals_that_draw_alike_share_their_apps() -> None:
    recent = RecentTerminals()
    recent.add(terminal(100, "xterm-256color"))
    recent.add(terminal(100, "alacritty"))
    recent.add(terminal(120))
    ready = [terminal(100)]
    assert recent.next(ready).size == (120, 30)


def test_nothing_is_outdated_while_all_terminals_differ() -> None:
    recent = RecentTerminals()
    for columns in (100, 101, 102):
        recent.add(terminal(columns))
    assert not recent.is_outdated(USUAL)


def test_terminals_are_forgotten_for_those_of_later_users() -> None:
    recent = RecentTerminals()
    recent.add(terminal(100))
    for _ in range(REMEMBERED):
        recent.add(terminal(120))
    assert recent.is_outdated(terminal(100))
    assert not recent.is_outdated(terminal(120))
    assert recent.next([]).size == (120, 30)


# First frames


def frame() -> FirstFrame:
    return FirstFrame(ScreenBuffer(10, 2, Palette(Colours.MANY)), "output", "reset")


def test_the_first_frame_that_was_not_used_for_longest_is_dropped() -> None:
    frames = FirstFrames()
    for columns in range(app_pool.FRAMES_MAXIMUM):
        frames.keep(terminal(columns), frame())
    assert frames.find(terminal(0)) is not None
    frames.keep(terminal(500), frame())
    assert frames.find(terminal(0)) is not None
    assert frames.find(terminal(1)) is None
    assert not frames.is_fresh(terminal(1))


def test_an_old_first_frame_is_shown_but_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = FirstFrames()
    frames.keep(terminal(80), frame())
    assert frames.is_fresh(terminal(80))
    monkeypatch.setattr(app_pool, "FRESH", -1.0)
    assert not frames.is_fresh(terminal(80))
    assert frames.find(terminal(80)) is not None
