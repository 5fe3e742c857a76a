"""How long a key takes until its effect is on the screen, while something else is going on.

``python -m tests.benchmarks.bench_reaction [--rounds N]``

Two installed apps in real pseudo-terminals, bytes in to bytes out: in one the cursor moves on the
list, in the other a name is typed into the form. Idle, while the response to a list does not arrive,
while the largest responses arrive and are parsed, and while 20 adds wait for a service that takes 2
seconds for each. In one run, in turns; medians, 99 %, and medians beside those when idle.
And how many bytes are written for a move of the cursor.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import PROGRAM, Program, environment_of, p99
from tests.benchmarks.reaction_service import HEAVY

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = 20  # a round and a case
ADDS = 20
QUIET = 0.25  # seconds without a byte, after which an answer is over
CONFIGURATION = """
delay = 0
[limits]
deadline = 3600
silence = 3600
"""


class Keys(Program):
    """The app, and keys whose effects are awaited."""

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__([PROGRAM], environment)
        self._cursor = 0

    def until_quiet(self) -> None:
        while self.is_writing(QUIET):
            self.take()

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


class Taken(defaultdict[str, list[float]]):
    """Seconds a key, by what went on meanwhile."""

    def __init__(self) -> None:
        super().__init__(list)

    def move(self, case: str, program: Keys, keys: int = KEYS) -> None:
        for _ in range(keys):
            time.sleep(random.uniform(0, 0.03))
            self[case].append(program.move())

    def type(self, case: str, program: Keys) -> None:
        name = "".join(random.choices("bcdfghjklmnpqrstvwxz", k=KEYS))
        for letter in name:
            time.sleep(random.uniform(0, 0.03))
            self[case].append(program.type(letter))
        program.send("\x7f" * KEYS)
        program.until_quiet()


def one_round(taken: Taken, lists: Keys, idle_form: Keys, adding: Keys) -> None:
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
        print(
            f"  {case:<28}{median(seconds) * 1000:7.1f} ms{p99(seconds) * 1000:8.1f} ms at 99 %"
            f"{median(seconds) / median(beside):7.2f} times  ({len(seconds)} keys)"
        )


@contextmanager
def service() -> Iterator[str]:
    """Run the service in a process of its own; yield its address."""
    words = [sys.executable, "-m", "tests.benchmarks.reaction_service"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        yield it.stdout.readline().strip()
        it.kill()


def open_app(home: Path, base_url: str) -> Keys:
    environment = environment_of(home, base_url, CONFIGURATION)
    program = Keys(environment | {"PETTUI_API_KEY": "a-key-of-the-bench"})
    program.until(rb"Animal-19")
    program.until_quiet()
    return program


def open_form(home: Path, base_url: str, adds: int) -> Keys:
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
        moves = [lists.bytes_of_move() for _ in range(KEYS)]
        idle_form = open_form(home / "idle_form", base_url, 0)
        for turn in range(rounds):
            adding = open_form(home / f"adding-{turn}", base_url, ADDS)
            one_round(taken, lists, idle_form, adding)
            adding.end()
        lists.end()
        idle_form.end()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {rounds} rounds")
    report(taken)
    print(f"  a move of the cursor: {median(moves):.0f} bytes")


if __name__ == "__main__":
    main()
