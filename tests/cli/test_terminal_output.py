"""Writing to a terminal that takes what it is given slowly, not at all, or is gone."""

from __future__ import annotations

import os
import threading

import pytest

from pettui.cli.terminal_output import HELD_MAXIMUM, TerminalOutput

DEADLINE = 20.0  # seconds; a loaded machine is no failure


class Pipe:
    """Both ends, and what asks for the screen to be drawn anew."""

    def __init__(self) -> None:
        self.end, self.descriptor = os.pipe()
        self.asked_to_draw = threading.Event()
        self.output = TerminalOutput(self.descriptor, self.asked_to_draw.set)
        self.output.start()

    def read(self, size: int) -> bytes:
        """Return so many bytes."""
        found = b""
        while len(found) < size:
            found += os.read(self.end, size - len(found))
        return found


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


def test_what_is_written_comes_whole_and_in_order(pipe: Pipe) -> None:
    texts = [f"{number} ñ 小梅\n" for number in range(20_000)]
    reading = threading.Thread(target=lambda: found.append(pipe.read(len(expected))))
    expected, found = "".join(texts).encode(), list[bytes]()
    reading.start()
    for text in texts:
        pipe.output.write(text)
    reading.join(DEADLINE)
    pipe.output.stop()
    assert found == [expected]
    assert not pipe.output.is_alive()


def test_the_rest_is_written_before_it_ends(pipe: Pipe) -> None:
    pipe.output.write("the last words")
    pipe.output.stop()
    assert os.read(pipe.end, 100) == b"the last words"


def test_a_terminal_that_takes_nothing_keeps_nobody_waiting_and_is_drawn_anew(pipe: Pipe) -> None:
    frame = "x" * 10_000
    for _ in range(3 * HELD_MAXIMUM // len(frame)):
        pipe.output.write(frame)
    assert not pipe.asked_to_draw.is_set()
    while not pipe.asked_to_draw.is_set():
        os.read(pipe.end, 65536)


def test_the_end_waits_for_no_terminal_that_takes_nothing(pipe: Pipe) -> None:
    pipe.output.write("x" * 200_000)
    pipe.output.stop()
    assert pipe.output.is_alive()  # as a daemon it keeps no process from its end
    os.read(pipe.end, 65536)
    os.close(pipe.end)
    pipe.output.join(DEADLINE)
    assert not pipe.output.is_alive()


def test_a_terminal_that_is_gone_takes_everything(pipe: Pipe) -> None:
    os.close(pipe.end)
    pipe.output.write("nobody reads this")
    pipe.output.join(DEADLINE)
    for _ in range(1000):
        pipe.output.write("nor this")
    pipe.output.stop()
    assert not pipe.output.is_alive()
