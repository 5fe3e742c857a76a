"""What benchmarks share: programs in terminals, the CPU of processes, users, ranks."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import termios
import time
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROGRAM = str(Path(sys.executable).with_name("pettui"))
PATIENCE = 30.0  # seconds


def p99(values: Sequence[float]) -> float:
    return quantiles(values, n=100)[98]


def processor(pid: int) -> float:
    """Return the seconds of CPU that a process has used, and its children that ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def environment_of(home: Path, base_url: str = "", configuration: str = "") -> dict[str, str]:
    """Return the variables of a user in a home, who may have a service and a configuration."""
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(configuration)
    service = {"PETTUI_BASE_URL": base_url} if base_url else {}
    return service | {
        "PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color",
        "PETTUI_CONFIG": str(home / "config.toml"),
    }  # fmt: skip


class Program:
    """A program in a terminal of its own."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self.process, self._terminal = pty.fork()
        if self.process == 0:
            os.execve(words[0], [*words], dict(environment))
        termios.tcsetwinsize(self._terminal, (30, 120))
        self.read = 0  # bytes so far

    def send(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def until(self, pattern: bytes) -> float:
        """Wait until a pattern was written; return the seconds that took."""
        began, written = time.perf_counter(), b""
        while not re.search(pattern, written, re.DOTALL):
            assert self.is_writing(PATIENCE), f"{pattern!r} never came"
            written += self.take()
        return time.perf_counter() - began

    def is_writing(self, seconds: float) -> bool:
        """Whether there is something to take, or will be so soon."""
        return bool(select.select([self._terminal], [], [], seconds)[0])

    def take(self) -> bytes:
        data = os.read(self._terminal, 65536)
        self.read += len(data)
        return data

    def leave(self) -> None:
        """Quit it by its key, and wait until it has ended."""
        self.send("\x11")
        try:
            while self.is_writing(PATIENCE):
                self.take()
        except OSError:  # the other end is closed
            os.close(self._terminal)
            os.waitpid(self.process, 0)
            return
        raise AssertionError("it never ended")

    def end(self) -> float:
        """Kill it; return the seconds of CPU that it has used."""
        os.kill(self.process, signal.SIGKILL)
        os.close(self._terminal)
        usage = os.wait4(self.process, 0)[2]
        return usage.ru_utime + usage.ru_stime
