"""The installed program, in a home of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = Path(sys.executable).with_name("pettui")


class Run(Protocol):
    """Runs the installed program, without a terminal, until it ends."""

    def __call__(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def run(environment: Mapping[str, str], home: Path) -> Run:
    """Runs the installed pettui in another process."""

    def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAM, *words],
            env={**environment, **more},
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
