"""The installed ``pettui ssh`` in a process of its own, and OpenSSH's client to connect with."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.peers.terminal import PATIENCE, PROGRAM, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SSH = shutil.which("ssh") or "ssh"


def need_ssh() -> None:
    """Skip a test where there is no OpenSSH client; in CI that is a failure."""
    if shutil.which("ssh") is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs OpenSSH's client (Debian: openssh-client)")
        pytest.skip("needs OpenSSH's client (Debian: openssh-client)")


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a state of another process."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.01)


class SshServer:
    """A running ``pettui ssh`` on a free port, or a script, with the log that it writes."""

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str],
        *words: str,
        program: str = PROGRAM,
        script: Path | None = None,
    ) -> None:
        self._home = home
        self._environment = dict(environment)
        self._log = home / f"ssh-{os.urandom(4).hex()}.log"
        command = [program, "ssh", "--port", "0"] if script is None else [sys.executable, script]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, *words],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(self._is_up_or_ended, "the line that says how to connect")
        found = re.search(r"ssh -p (\d+) ", self.log)
        assert found is not None, self.log
        self.port = int(found[1])

    def _is_up_or_ended(self) -> bool:
        return "log in with" in self.log or self.process.poll() is not None

    @property
    def log(self) -> str:
        """What it wrote on standard output and standard error."""
        return self._log.read_text()

    def events(self, event: str) -> list[dict[str, Any]]:
        """Return the events of a kind from its log."""
        lines = [json.loads(line) for line in self.log.splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    @property
    def workers(self) -> list[int]:
        """The process ids of its workers."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return [int(pid) for pid in Path(children).read_text().split()]

    def wait_for_event(self, event: str, count: int = 1) -> dict[str, Any]:
        """Wait until an event was logged ``count`` times; return the last one."""
        wait_until(lambda: len(self.events(event)) >= count, f"{event} in\n{self.log}")
        return self.events(event)[-1]

    def words(self, *options: str, user: str = "demo", key: Path | None = None) -> list[str]:
        """Return the command of a client that ignores this machine's configuration."""
        identity = ["-i", str(key), "-o", "IdentitiesOnly=yes"] if key else []
        return [
            SSH, "-F", "none", *options, "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR",
            "-o", f"UserKnownHostsFile={self._home / 'known_hosts'}", "-o", "BatchMode=yes",
            *identity, "-p", str(self.port), f"{user}@127.0.0.1",
        ]  # fmt: skip

    def terminal(
        self,
        *options: str,
        size: tuple[int, int] = (30, 100),
        user: str = "demo",
        key: Path | None = None,
        **variables: str,
    ) -> Terminal:
        """Connect with a terminal."""
        environment = {**self._environment, **variables}
        return Terminal(self.words(*options, user=user, key=key), environment, size)

    def run(
        self, *options: str, command: str = "", **more: Any
    ) -> subprocess.CompletedProcess[str]:
        """Connect without a terminal, and wait for the end."""
        return subprocess.run(
            [*self.words(*options), *([command] if command else [])],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            **more,
        )

    def administer(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run ``pettui ssh`` with an option for whoever runs the server."""
        return subprocess.run(
            [PROGRAM, "ssh", *words], env=self._environment, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)
