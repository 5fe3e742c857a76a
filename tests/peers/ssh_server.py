"""The installed ``pettui ssh`` in a process of its own, and OpenSSH's client to connect with."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncssh

from pettui.ssh.status import read_answers, running_servers
from tests.cli.conftest import finished, needs
from tests.peers.terminal import PROGRAM, Terminal
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SSH = shutil.which("ssh") or "ssh"
SSH_PROGRAM = (PROGRAM, "ssh", "--port=0")


def need_ssh() -> None:
    """Skip a test where there is no OpenSSH client; in CI that is a failure."""
    needs("ssh", "openssh-client")


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Wait for a state of another process."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.01)


def write_key(path: Path, comment: str = "") -> asyncssh.SSHKey:
    """Make a key that its owner alone can read."""
    key = asyncssh.generate_private_key("ssh-ed25519", comment)
    key.write_private_key(path)
    path.chmod(0o600)
    return key


class SshServer:
    """A running ``pettui ssh`` on a free port, or another program, with the log that it writes."""

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str],
        *words: str,
        program: Sequence[str] = SSH_PROGRAM,
    ) -> None:
        self._home = home
        self._environment = dict(environment)
        self._log = home / f"ssh-{os.urandom(4).hex()}.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*program, *words],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        line = re.compile(r"log in with.* ssh -p (\d+) ")
        wait_until(lambda: line.search(self.log) or self.process.poll() is not None, "its port")
        found = line.search(self.log)
        assert found is not None, self.log
        self.port = int(found[1])

    @property
    def log(self) -> str:
        return self._log.read_text()

    def events(self, event: str) -> list[dict[str, Any]]:
        complete, _, _ = self.log.rpartition("\n")
        lines = [json.loads(line) for line in complete.splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    @property
    def workers(self) -> list[int]:
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

    def terminal(self, *options: str, user: str = "demo", key: Path | None = None) -> Terminal:
        return Terminal(self.words(*options, user=user, key=key), self._environment)

    def connect(self) -> Terminal:
        """Come in, and wait for the animals."""
        terminal = self.terminal()
        terminal.wait_for("DEMO", "Mitzi")
        return terminal

    def log_in(self, key: Path) -> Terminal:
        """Come in with a key to the shop, and wait for its screen."""
        terminal = self.terminal(key=key)
        terminal.wait_for("SHOP")
        return terminal

    def run(self, *options: str, command: str = "") -> subprocess.CompletedProcess[str]:
        """Connect without a terminal, and wait for the end."""
        return finished([*self.words(*options), *([command] if command else [])], self._environment)

    def status(self) -> dict[str, Any]:
        """Read its status as ``pettui ssh --status`` does, without a process for it."""
        [path] = [
            path
            for port, _, path in running_servers(self._home / ".local/state/pettui/ssh-status")
            if port == self.port
        ]
        [answer] = read_answers([path])
        assert isinstance(answer, bytes), answer
        return json.loads(answer)

    def administer(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run ``pettui ssh`` with an option for whoever runs the server."""
        return finished([PROGRAM, "ssh", *words], self._environment)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)
