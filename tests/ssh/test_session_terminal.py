"""SessionTerminal: how much of a client's input its app gets at once, and the time to a frame."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pettui.ssh.fair_loop import MEMORY, SHARE, Share
from pettui.ssh.load import Load
from pettui.ssh.session_terminal import BUFFER_MAXIMUM, CHUNK, SessionTerminal
from tests.ssh.conftest import serving
from tests.ssh.counter import UP, CounterFactory, user
from tests.waiting import until


class FakeApp:
    """An app that takes all bytes at once, as keys or as a paste."""

    is_ending = False
    pending_events = 0

    def __init__(self, *, is_paste: bool = False) -> None:
        self.taken: list[bytes] = []
        self.channel_driver = self
        self.has_more: list[bool] = []  # with each of what it took
        self._is_paste = is_paste

    def feed(self, data: bytes, *, has_more: bool) -> int:
        self.taken.append(data)
        self.has_more.append(has_more)
        return 0 if self._is_paste else len(data)

    async def has_taken(self, count: int) -> None:
        await until(lambda: sum(map(len, self.taken)) == count)


class FakeChannel:
    """A channel that tells whether it is read."""

    def __init__(self) -> None:
        self.share = Share()
        self.is_read = True

    def get_connection(self) -> FakeChannel:
        return self

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True


def raised(error: Exception) -> None:
    raise error


def input_of(app: FakeApp, channel: Any = None, load: Any = None) -> SessionTerminal:
    state: Any = SimpleNamespace(load=load or Load(), gc_schedule=SimpleNamespace(typed=int))
    terminal = SessionTerminal(state, channel or FakeChannel(), raised)
    served: Any = app
    terminal.attach(served)
    return terminal


@pytest.mark.parametrize(
    ("data", "is_paste", "longest", "calls"),
    [
        (b"j" * 500, False, CHUNK, 500),
        (b"x" * 100_000, True, 100_000, 39),  # in larger and larger chunks
        (b"0" * 3 * CHUNK, False, CHUNK, 3),
        (b"x" * (CHUNK - 1) + b"\x1b[A" * 10, False, CHUNK, 500),
    ],
    ids=["a flood", "a paste", "a long sequence", "sequences"],
)
async def test_much_is_passed_on_in_parts_and_nothing_is_lost(
    data: bytes, is_paste: bool, longest: int, calls: int
) -> None:
    app = FakeApp(is_paste=is_paste)
    input_of(app).feed(data)
    await app.has_taken(len(data))
    assert b"".join(app.taken) == data
    assert max(map(len, app.taken)) <= longest
    assert 1 < len(app.taken) <= calls
    assert app.has_more == [True] * (len(app.taken) - 1) + [False]
    # No pause comes within a sequence: it would make an Escape, and text, of a cursor key.
    assert b"\x1b" not in data or all(part.endswith((b"x", b"A")) for part in app.taken)


async def test_a_flood_is_not_read_while_the_app_is_behind() -> None:
    app, channel = FakeApp(), FakeChannel()
    app.pending_events = 1000
    keys = input_of(app, channel)
    keys.feed(b"x" * (BUFFER_MAXIMUM + 1))
    assert app.taken == []
    assert not channel.is_read
    app.pending_events = 0
    await app.has_taken(BUFFER_MAXIMUM + 1)
    assert channel.is_read


async def test_a_client_over_its_share_waits_and_nobody_else() -> None:
    async with (
        serving(CounterFactory()) as running,
        user(running) as first,
        user(running, "ben") as second,
    ):
        connections = {one.get_extra_info("username"): one for one in running.state.connections}
        connections["anna"].share.add(1000 * SHARE * MEMORY)
        first.press(*[UP] * 10)
        second.press(UP, UP)
        await second.wait_for("2 times")
        assert "0 times" in first.text or "1 times" in first.text  # a single key does not wait


@pytest.mark.parametrize(("typed", "taken"), [(b"\x1b" * 3 * CHUNK, []), (b"j", [b"j"])])
async def test_escapes_wait_for_their_clients_share_and_a_single_key_does_not(
    typed: bytes, taken: list[bytes]
) -> None:
    """Each Escape might begin a sequence."""
    app, channel = FakeApp(), FakeChannel()
    channel.share.add(1000 * SHARE * MEMORY)
    input_of(app, channel).feed(typed)
    assert app.taken == taken


async def test_the_time_from_a_key_to_its_frame_is_measured_once() -> None:
    load = Load()
    keys = input_of(FakeApp(), load=load)
    keys.feed(b"j")
    assert load.drain()[:2] == (1, [])
    keys.drew()
    keys.drew()
    [(_, count)] = load.drain()[1]
    assert count == 1
    keys.close()
