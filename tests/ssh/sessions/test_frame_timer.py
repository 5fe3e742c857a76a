"""FrameTimer: the time from a key to its frame, if there is one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh import session_input
from pettui.ssh.load import Load
from pettui.ssh.session_input import FrameTimer

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.setattr(session_input, "FRAME_CHECK_INTERVAL", 0.01)
    return Load()


def at_once(call: Callable[[], None]) -> None:
    call()


async def test_a_frame_is_measured(load: Load) -> None:
    timer = FrameTimer(load, lambda: 1, at_once)
    timer.typed()
    assert load.is_empty
    timer.drew()
    assert not load.is_empty


async def test_a_key_without_a_frame_is_not_measured(load: Load) -> None:
    pending = [1, 1, 0]
    settled = asyncio.Event()

    def after_drawing(forget: Callable[[], None]) -> None:
        forget()
        settled.set()

    timer = FrameTimer(load, lambda: pending.pop(0), after_drawing)
    timer.typed()
    await asyncio.wait_for(settled.wait(), 60)
    assert pending == []
    timer.drew()
    assert load.is_empty


async def test_a_late_frame_is_measured(load: Load) -> None:
    asked = asyncio.Event()
    timer = FrameTimer(load, lambda: 0, lambda _forget: asked.set())
    timer.typed()
    await asyncio.wait_for(asked.wait(), 60)  # the app has processed the key, and has not drawn yet
    timer.drew()
    assert not load.is_empty


async def test_a_frame_without_a_key_is_not_measured(load: Load) -> None:
    timer = FrameTimer(load, lambda: 0, at_once)
    timer.drew()
    timer.typed()
    timer.stop()
    timer.drew()
    assert load.is_empty


async def test_keys_over_ssh_are_counted_and_measured(serve: Callable[..., Any]) -> None:
    async with serve() as running, running.session() as screen:
        screen.press("j")
        await screen.wait_for("▌    59")
        taken = []
        await running.wait_until(
            lambda: bool(taken.append(running.state.load.take()) or taken[-1][1])
        )
        assert sum(keys for keys, _ in taken) > 0
