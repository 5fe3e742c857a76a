"""Many people who come in over SSH: ``load/main.go``, whose share of the CPU is small and known."""

from __future__ import annotations

import json
import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING, Self

from tests.benchmarks.go_programs import SSH, built, why_not_built

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.ssh_servers import Target


def why_no_load() -> str:
    """Return why nobody can come in here, "" where they can."""
    return why_not_built(SSH, "golang-go golang-golang-x-crypto-dev")


def build_load(home: Path) -> Path:
    """Return the program, built once in ``home``."""
    return built("load", home, as_openssh=True)


class Load:
    """One process with all who are there, which does what it is told; ``load/main.go`` says what."""

    def __init__(self, target: Target, home: Path) -> None:
        words = [str(build_load(home)), f"127.0.0.1:{target.port}"]
        words += [str(target.key)] if target.key else []
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.kill()
        self._process.communicate()

    def say(self, line: str) -> None:
        self._process.stdin.write(f"{line}\n")

    def ask(self, line: str) -> SimpleNamespace:
        """Return the answer: milliseconds of each, why others failed, seconds of its own CPU."""
        self.say(line)
        said = json.loads(self._process.stdout.readline())
        return SimpleNamespace(
            **{name: [] if value is None else value for name, value in said.items()}
        )
