"""Writing to a terminal that takes what it is given slowly, not at all, or is gone."""

from __future__ import annotations

import fcntl
import os
import struct
import termios
import threading
import tty
from typing import TYPE_CHECKING

import pytest

from pettui.terminal.tty_driver import QUEUE_MAXIMUM, TtyOutput, terminal_size
from tests.peers.ssh_server import wait_until
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def open_raw_terminal() -> tuple[int, int]:
    """Return the two ends of a terminal that shows bytes as they are."""
    end, descriptor = os.openpty()
    tty.setraw(descriptor)
    return end, descriptor


class Pipe:
    """Both ends, and what is told when there is room again."""

    def __init__(self, opened: Callable[[], tuple[int, int]]) -> None:
        self.end, self.descriptor = opened()
        self.has_caught_up = threading.Event()
        self.output = TtyOutput(self.descriptor, self.has_caught_up.set)
        threads = reversed(threading.enumerate())
        self._thread = next(each for each in threads if each.name == "terminal output")

    def read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            found += os.read(self.end, size - len(found))
        return found

    def wait_for_end(self) -> None:
        wait_until(lambda: not self.is_writing, "the end of all that is written")

    @property
    def is_writing(self) -> bool:
        return self._thread.is_alive()


@pytest.fixture(params=[os.pipe, open_raw_terminal])
def pipe(request: pytest.FixtureRequest) -> Iterator[Pipe]:
    """What cannot be opened once more, and what can."""
    pipe = Pipe(request.param)
    yield pipe
    pipe.output.stop()


def test_everything_is_written_in_order(pipe: Pipe) -> None:
    texts = [f"{number} ñ 小梅\n" for number in range(20_000)]
    reading = threading.Thread(target=lambda: found.append(pipe.read(len(expected))))
    expected, found = "".join(texts).encode(), list[bytes]()
    reading.start()
    for text in texts:
        pipe.output.write(text)
    reading.join(PATIENCE)
    pipe.output.stop()
    assert found == [expected]
    assert not pipe.is_writing


def test_the_rest_is_written_before_it_ends(pipe: Pipe) -> None:
    pipe.output.write("the last words")
    pipe.output.stop()
    assert os.read(pipe.end, 100) == b"the last words"


def test_a_terminal_that_accepts_nothing_has_no_room_until_it_has_accepted_everything(
    pipe: Pipe,
) -> None:
    assert pipe.output.has_room()
    frame = "x" * 200_000
    pipe.output.write(frame)
    assert not pipe.output.has_room()
    assert not pipe.has_caught_up.is_set()
    assert pipe.read(len(frame)) == frame.encode()
    assert pipe.has_caught_up.wait(PATIENCE)
    assert pipe.output.has_room()


def test_a_few_queued_bytes_leave_room(pipe: Pipe) -> None:
    pipe.output.write("x" * QUEUE_MAXIMUM)
    assert pipe.output.has_room()


def test_stopping_does_not_wait_for_a_terminal_that_accepts_nothing(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.terminal.tty_driver.LAST_WRITES", 0.01)
    pipe.output.write("x" * 200_000)
    assert not pipe.output.has_room()
    pipe.output.stop()
    assert pipe.is_writing  # as a daemon it keeps no process from its end
    os.read(pipe.end, 65536)
    os.close(pipe.end)
    pipe.wait_for_end()
    assert not pipe.has_caught_up.is_set()


def test_what_is_written_to_a_terminal_that_is_gone_is_discarded(pipe: Pipe) -> None:
    os.close(pipe.end)
    pipe.output.write("nobody reads this")
    pipe.wait_for_end()
    for _ in range(1000):
        pipe.output.write("nor this")
    assert pipe.output.has_room()


@pytest.mark.parametrize(
    ("own", "found"),
    [((90, 20), (90, 20)), ((0, 0), (132, 43)), ((90, 0), (90, 43))],
    ids=["known", "a serial line", "in part"],
)
def test_columns_and_lines_count_only_where_the_terminal_has_no_size(
    own: tuple[int, int], found: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "132")
    monkeypatch.setenv("LINES", "43")
    end, descriptor = os.openpty()
    columns, rows = own
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    assert terminal_size(descriptor) == found
    os.close(end)
    os.close(descriptor)
