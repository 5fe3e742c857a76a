"""Many people who come in over SSH: ``load/main.go``, whose share of the CPU is small and known."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from tests.benchmarks.go_programs import SSH, built, why_not_built

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.ssh_servers import Target


@dataclass(frozen=True)
class Opened:
    """What it took to come in: milliseconds from before the connection, for each who is inside."""

    ready: list[float]  # to the first animals
    answered: list[float]  # to the answer to a first key, where one was pressed
    failed: list[str]
    cpu: float  # seconds, of the load


@dataclass(frozen=True)
class Typed:
    """What keys took, in milliseconds each, and the bytes that came meanwhile."""

    latencies: list[float]
    failed: list[str]
    bytes: int
    cpu: float  # seconds, of the load


def why_no_load() -> str:
    """Return why nobody can come in here, "" where they can."""
    return why_not_built(SSH, "golang-go golang-golang-x-crypto-dev")


def build_load(home: Path) -> Path:
    """Return the program, built once in ``home``."""
    return built("load", home, as_openssh=True)


class Load:
    """One process with all who are there; they are cut with the block."""

    def __init__(self, target: Target, home: Path) -> None:
        words = [str(build_load(home)), f"127.0.0.1:{target.port}"]
        words += [str(target.key)] if target.key else []
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def __enter__(self) -> Self:
        """Keep the process until the end of the block."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def use_kinds(self, kinds: int) -> None:
        """Give those who come from now on so many different terminals."""
        self._say(f"kinds {kinds}")
        self._answer()

    def open(self, people: int, at_once: int) -> Opened:
        """Open sessions, a number of them at a time."""
        self._say(f"open {people} {at_once}")
        return Opened(**self._answer())

    def burst(self, people: int) -> Opened:
        """Open sessions all at once; each presses a key as soon as it shows animals."""
        self._say(f"burst {people}")
        return Opened(**self._answer())

    def start_typing(self, every: float) -> None:
        """Have each session press a key every so many seconds, starting at a random moment."""
        self._say(f"type {every}")

    def stop_typing(self) -> Typed:
        """Return what the keys took, once the last is answered."""
        self._say("")
        return Typed(**self._answer())

    def leave(self) -> None:
        """Cut everybody's connection."""
        self._say("leave")
        self._answer()

    def _say(self, line: str) -> None:
        self._process.stdin.write(f"{line}\n")

    def _answer(self) -> dict:
        said = json.loads(self._process.stdout.readline())
        return {name: value if value is not None else [] for name, value in said.items()}
