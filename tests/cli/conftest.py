"""The installed program, in a home of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from pettui.cli import main
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PROGRAM = Path(sys.executable).with_name("pettui")


INTERRUPTIBLE = """
import signal, sys
from pettui.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
sys.exit(main())
"""


class Run(Protocol):
    """Runs pettui, without a terminal, until it ends."""

    def __call__(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]: ...


class Refused(Protocol):
    """Runs pettui, which refuses in one line and ends with 2; returns the line."""

    def __call__(self, *words: str, **environment: str) -> str: ...


def finished(
    words: Sequence[str | Path], environment: Mapping[str, str], **streams: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, where pipes and streams are real."""
    usual = {
        "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
        "timeout": PATIENCE,
    }  # fmt: skip
    if "input" in streams:
        del usual["stdin"]
    return subprocess.run(words, env=environment, **usual | streams, text=True, check=False)


def needs(program: str, package: str = "") -> str:
    """Return the path of a program; where there is none, skip the test, or fail in CI."""
    path = shutil.which(program)
    if path is None:
        end = pytest.fail if os.environ.get("CI") else pytest.skip
        end(f"there is no {program} (Debian: {package or program})")
    return path


def interruptible(environment: Mapping[str, str], *words: str) -> subprocess.Popen[str]:
    """Start pettui in a process that ctrl+c interrupts."""
    return subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *words],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.fixture
def run_here(
    environment: Mapping[str, str],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Run:
    """Runs pettui in this process, in a home of its own."""
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


@pytest.fixture
def refused(run_here: Run) -> Refused:
    def refused(*words: str, **environment: str) -> str:
        ended = run_here(*words, **environment)
        assert (ended.returncode, ended.stdout) == (2, "")
        line = re.fullmatch("pettui: (.*)\n", ended.stderr)
        assert line is not None, ended.stderr
        return line[1]

    return refused


@pytest.fixture
def nothing_written(tmp_path: Path) -> Iterator[None]:
    """Nothing stands under the test's directory afterwards that did not before the program ran."""
    yield
    written = {path.name for path in tmp_path.rglob("*")}
    assert written <= {"home", "state", "pettui", "config.toml", "store.sqlite3"}
