"""The installed app in a terminal, and the time from a key to its effect there."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

from tests.benchmarks.bench_start import set_size

PROGRAM = str(Path(sys.executable).with_name("pettui"))
PATIENCE = 30.0  # seconds
QUIET = 0.25  # seconds without a byte, after which an answer is over


class Program:
    """The app in a terminal."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process, self._terminal = pty.fork()
        if self.process == 0:
            os.execve(PROGRAM, [PROGRAM], environment)
        set_size(self._terminal)
        self._cursor = 0
        self.read = 0  # bytes so far

    def send(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def until(self, pattern: bytes) -> float:
        """Wait until a pattern was written; return the seconds that took."""
        began, written = time.perf_counter(), b""
        while not re.search(pattern, written, re.DOTALL):
            ready, _, _ = select.select([self._terminal], [], [], PATIENCE)
            assert ready, f"{pattern!r} never came"
            written += self._read()
        return time.perf_counter() - began

    def until_quiet(self) -> None:
        """Read what is written until there is no more of it for a while."""
        while select.select([self._terminal], [], [], QUIET)[0]:
            self._read()

    def _read(self) -> bytes:
        data = os.read(self._terminal, 65536)
        self.read += len(data)
        return data

    def bytes_of_move(self) -> int:
        """Move the cursor by one row, and count all that is written for it."""
        before = self.read
        self.move()
        self.until_quiet()
        return self.read - before

    def move(self) -> float:
        """Move the cursor by one row; return the seconds until it is drawn there."""
        self._cursor, key = (1, "j") if self._cursor == 0 else (0, "k")
        self.send(key)
        return self.until(rb"\xe2\x96\x8c[^\n]{0,200}?Animal-%02d" % self._cursor)

    def type(self, letter: str) -> float:
        """Type a letter; return the seconds until it is written, and is not a sequence's end."""
        self.send(letter)
        return self.until(rb"(?<![0-9;?\[])" + letter.encode())

    def end(self) -> None:
        """Kill the app, and close the terminal."""
        os.kill(self.process, signal.SIGKILL)
        os.close(self._terminal)
        os.waitpid(self.process, 0)
