"""The installed program, in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pettui.cli import main

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


@pytest.fixture
def run_here(
    environment: Mapping[str, str],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Run:
    """What ``run`` does, but in this process, for tests that need no process and no pipe."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # is put back at the end
    monkeypatch.chdir(home)

    def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as patch:
            for name in os.environ:
                if name.startswith(("PETTUI_", "XDG_")):
                    patch.delenv(name)
            for name, value in {**environment, **more}.items():
                patch.setenv(name, value)
            try:
                code = main(words)
            except SystemExit as end:  # of --help
                code = int(end.code or 0)
        written, errors = (text.replace("\r\n", "\n") for text in capfd.readouterr())
        return subprocess.CompletedProcess(words, code, written, errors)

    return run
