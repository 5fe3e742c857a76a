"""The time from a key to its frame, if there is one."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh import session_input
from pettui.ssh.load import Load
from pettui.ssh.session_input import AppInput
from tests.ssh.sessions.test_app_input import FakeApp, FakeChannel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ssh.conftest import Serve


class SlowApp(FakeApp):
    """An app that has a key in its queue for some time."""

    def __init__(self) -> None:
        super().__init__()
        self.left = [1, 0]  # keys in its queue, each time that somebody looks
        self.drawn: asyncio.Future[Callable[[], object]] = asyncio.Future()

    @property
    def pending_events(self) -> int:
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]

    @pending_events.setter
    def pending_events(self, _count: int) -> None:
        pass

    def call_after_refresh(self, call: Callable[[], object]) -> bool:
        self.drawn.set_result(call)
        return True


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.setattr(session_input, "FRAME_CHECK_INTERVAL", 0.01)
    return Load()


def typed(load: Load, app: FakeApp) -> AppInput:
    """Return the input of an app that has just got a key."""
    state: Any = SimpleNamespace(load=load, gc_schedule=SimpleNamespace(typed=int))
    channel: Any = FakeChannel()
    keys = AppInput(state, channel, SimpleNamespace(app=app, fail=pytest.fail))
    keys.feed(b"j")
    assert load.take() == (1, [])
    return keys


async def test_a_frame_is_measured_once(load: Load) -> None:
    keys = typed(load, SlowApp())
    keys.drew()
    keys.drew()
    [(_, count)] = load.take()[1]
    assert count == 1
    keys.stop()


async def test_a_key_without_a_frame_is_not_measured(load: Load) -> None:
    app = SlowApp()
    keys = typed(load, app)
    has_drawn = await asyncio.wait_for(app.drawn, 60)
    assert app.left == [0]
    has_drawn()
    keys.drew()
    assert load.is_empty


async def test_a_late_frame_is_measured(load: Load) -> None:
    app = SlowApp()
    keys = typed(load, app)
    await asyncio.wait_for(app.drawn, 60)  # the app has processed the key, and has not drawn yet
    keys.drew()
    assert not load.is_empty


async def test_a_frame_after_the_end_of_the_input_is_not_measured(load: Load) -> None:
    keys = typed(load, SlowApp())
    keys.stop()
    keys.drew()
    assert load.is_empty


async def test_keys_over_ssh_are_counted_and_measured(serve: Serve) -> None:
    async with serve() as running, running.session() as screen:
        screen.press("j")
        await screen.wait_for("▌    59")
        taken = []
        await running.wait_until(
            lambda: bool(taken.append(running.state.load.take()) or taken[-1][1])
        )
        assert sum(keys for keys, _ in taken) > 0
