"""How long a key takes until its effect is on the screen, while something else is going on.

::

    .venv/bin/python -m tests.benchmarks.bench_reaction [--rounds N]

Two installed apps in real pseudo-terminals, bytes in to bytes out: in one the cursor moves on the
list, in the other a name is typed into the form. Idle, while the response to a list does not arrive,
while the largest responses arrive and are parsed, and while 20 adds wait for a service that takes 2
seconds for each. In one run, in turns; medians, 99 %, and as multiples of what it takes when idle.
And how many bytes are written for a move of the cursor.
"""

from __future__ import annotations

import argparse
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from tests.benchmarks.bench_start import set_size
from tests.benchmarks.reaction_service import HEAVY

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
KEYS = 20  # a round and a case
ADDS = 20
PROGRAM = str(Path(sys.executable).with_name("pettui"))
PATIENCE = 30.0  # seconds
QUIET = 0.25  # seconds without a byte, after which an answer is over
CONFIGURATION = """
delay = 0
[limits]
deadline = 3600
silence = 3600
"""


class Program:
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
        os.kill(self.process, signal.SIGKILL)
        os.close(self._terminal)
        os.waitpid(self.process, 0)


class Taken(defaultdict[str, list[float]]):
    """Seconds a key, by what went on meanwhile."""

    def __init__(self) -> None:
        super().__init__(list)

    def move(self, case: str, program: Program, keys: int = KEYS) -> None:
        for _ in range(keys):
            time.sleep(random.uniform(0, 0.03))
            self[case].append(program.move())

    def type(self, case: str, program: Program) -> None:
        name = "".join(random.choices("bcdfghjklmnpqrstvwxz", k=KEYS))
        for letter in name:
            time.sleep(random.uniform(0, 0.03))
            self[case].append(program.type(letter))
        program.send("\x7f" * KEYS)
        program.until_quiet()


def one_round(taken: Taken, lists: Program, idle_form: Program, adding: Program) -> None:
    lists.send("1")
    lists.until_quiet()
    taken.move("idle", lists)
    lists.send("2")
    time.sleep(0.1)
    taken.move("a list is out", lists)
    for name in HEAVY:
        lists.send("1")
        lists.until_quiet()
        lists.send("3")
        taken.move(name, lists, KEYS // 4)
        lists.until_quiet()
    taken.type("typing, idle", idle_form)
    taken.type(f"typing, {ADDS} adds are out", adding)


def report(taken: Taken) -> None:
    for case, seconds in taken.items():
        beside = taken["typing, idle" if case.startswith("typing") else "idle"]
        figures = [(median(each), quantiles(each, n=100)[98]) for each in (seconds, beside)]
        (middle, most), (idle_middle, idle_most) = figures
        print(
            f"  {case:<28}{middle * 1000:7.1f} ms{most * 1000:8.1f} ms at 99 %"
            f"{middle / idle_middle:7.2f}, {most / idle_most:.2f} times  ({len(seconds)} keys)"
        )


@contextmanager
def service() -> Iterator[str]:
    """Run the service in a process of its own; yield its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.reaction_service"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.kill()
    process.wait()


def open_app(home: Path, base_url: str) -> Program:
    home.mkdir()
    (home / "config.toml").write_text(CONFIGURATION)
    program = Program(
        {
            "PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "PETTUI_CONFIG": str(home / "config.toml"),
            "PETTUI_BASE_URL": base_url, "PETTUI_API_KEY": "a-key-of-the-bench",
        }
    )  # fmt: skip
    program.until(rb"Animal-19")
    program.until_quiet()
    return program


def open_form(home: Path, base_url: str, adds: int) -> Program:
    """Open the app on the form, with this many adds on their way."""
    program = open_app(home, base_url)
    program.send("a")
    program.until(rb"Add an animal")
    program.send("\t3\x1b[Z")
    for number in range(adds):
        program.send(f"added-{number:02}\r")
    program.until_quiet()
    return program


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a key takes to its effect.")
    parser.add_argument("--rounds", type=int, default=10, help="of 20 keys a case (%(default)s)")
    rounds = parser.parse_args().rounds
    taken = Taken()
    with tempfile.TemporaryDirectory() as name, service() as base_url:
        home = Path(name)
        lists = open_app(home / "lists", base_url)
        counts = [lists.bytes_of_move() for _ in range(KEYS)]
        idle_form = open_form(home / "idle_form", base_url, 0)
        for turn in range(rounds):
            adding = open_form(home / f"adding-{turn}", base_url, ADDS)
            one_round(taken, lists, idle_form, adding)
            adding.end()
        lists.end()
        idle_form.end()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {rounds} rounds")
    report(taken)
    print(f"  a move of the cursor: {median(counts):.0f} bytes, {max(counts)} at most")


if __name__ == "__main__":
    main()
