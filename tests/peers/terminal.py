"""A real pseudo-terminal: a program at one end, a screen that tests can read at the other."""

from __future__ import annotations

import os
import re
import signal
import sys
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pexpect
import pyte

from tests.pyte_rows import screen_text
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PROGRAM = str(Path(sys.executable).with_name("pettui"))
ENTER, ESCAPE, F1, QUIT = "\r", "\x1b", "\x1bOP", "\x11"
_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=?][0-9;]*u")  # the kitty keyboard protocol
_BEGUN = re.compile(rb"\x1b(\[[<>=?]?[0-9;]*)?\Z")  # a sequence whose end comes with the next read
# On in a fresh terminal: wrapping at the end of a line, and the cursor.
_USUAL_MODES = {7, 25}


def _heed_interrupts() -> None:
    """Undo that a shell's job in the background, as the tests may be, ignores ctrl+c."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """A program in a terminal of its own."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int] = (30, 100),
    ) -> None:
        rows, columns = size
        self.written = b""
        self._begun = b""
        self.process = pexpect.spawn(
            str(words[0]),
            [*words[1:]],
            env=dict(environment),
            dimensions=size,
            timeout=PATIENCE,
            preexec_fn=_heed_interrupts,
        )
        self.process.delaybeforesend = None
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def text(self) -> str:
        return screen_text(self._screen)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.process.send(key)

    def wait_for(self, *texts: str) -> None:
        """Wait until all of these texts stand on the screen."""
        self.wait_until(lambda: all(text in self.text for text in texts), " and ".join(texts))

    def open_form(self, *texts: str) -> None:
        """Begin to add an animal, and wait until these texts stand in the form."""
        self.press("a")
        self.wait_for("Add an animal", *texts)

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"never happened: {what}\n{self.text}"
            assert self.read(), f"ended before: {what}\n{self.text}"

    def wait_for_end(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.read():
            assert time.monotonic() < deadline, f"never ended\n{self.text}"
        self.process.wait()
        assert self.process.signalstatus is None
        return int(self.process.exitstatus or 0)

    def quit(self) -> None:
        """Leave pettui as its users do, and check that it ends well."""
        self.press(QUIT)
        assert self.wait_for_end() == 0
        self.assert_restored()

    def resize(self, rows: int, columns: int) -> None:
        self._screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def kill(self, number: int) -> None:
        self.process.kill(number)

    def assert_restored(self) -> None:
        """Check that the terminal is as it was before: its modes, and how it takes input."""
        self.assert_modes_restored()
        self.assert_input_restored()

    def assert_input_restored(self) -> None:
        """Check how the terminal takes input: as it did before the program started."""
        assert termios.tcgetattr(self.process.child_fd) == _fresh_input_modes()

    def assert_modes_restored(self) -> None:
        """Check the modes alone: a shell takes input in its own way."""
        modes = {}
        for numbers, switch in _MODE.findall(self.written):
            modes.update(dict.fromkeys(map(int, numbers.split(b";")), switch == b"h"))
        assert modes[1049] is False  # it did take the whole screen
        assert {number for number, is_on in modes.items() if is_on} <= _USUAL_MODES
        assert modes[25] is True
        assert self.written.count(b"\x1b[>") <= self.written.count(b"\x1b[<u") + 1

    def foreground(self) -> int:
        """Return the process group that has the terminal."""
        return os.tcgetpgrp(self.process.child_fd)

    def forget(self) -> None:
        """Forget what was written so far, and what stands on the screen."""
        self.written = b""
        self._screen.reset()

    def after_screen(self) -> str:
        """Return what was written after the alternate screen was left."""
        written = self.written.rpartition(b"\x1b[?1049l")[2]
        return re.sub(rb"\x1b\[\S*?[a-zA-Z]", b"", written).decode().replace("\r\n", "\n")

    def hang_up(self) -> int:
        """Hang up the terminal, and return the exit code that the program ends with."""
        os.close(self.process.child_fd)
        self.process.closed = True
        return os.waitstatus_to_exitcode(os.waitpid(self.process.pid, 0)[1])

    def close(self) -> None:
        """Hang up the terminal, and end the program with it."""
        if self.process.closed:
            return
        try:
            self.process.close(force=True)
        except pexpect.ExceptionPexpect:  # killed, and not gone a tenth of a second later
            self.process.wait()

    def read(self) -> bool:
        """Draw what the program has just written; False once it has ended."""
        try:
            data = self.process.read_nonblocking(65536, timeout=0.1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.written += data
        data = self._begun + data
        begun = _BEGUN.search(data)
        complete = data[: begun.start()] if begun else data
        self._begun = data[len(complete) :]
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", complete))
        return True


def _fresh_input_modes() -> list[Any]:
    """Return how a new terminal takes input; a program in it may have changed that at once."""
    ours, its = os.openpty()
    try:
        return termios.tcgetattr(its)
    finally:
        os.close(ours)
        os.close(its)
