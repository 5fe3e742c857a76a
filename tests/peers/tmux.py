"""A program in a real tmux, which has its own idea of how wide a character is."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

from tests.peers.terminal import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


class Tmux:
    """A tmux server with one pane."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        directory: Path,
        size: tuple[int, int] = (100, 30),
    ) -> None:
        """Start the program in a pane.

        Args:
            words: the program and its arguments.
            environment: its whole environment.
            directory: where the server's socket is.
            size: columns and rows.
        """
        self._environment = dict(environment)
        self._socket = str(directory / "tmux")
        columns, rows = map(str, size)
        self.run("new-session", "-d", "-x", columns, "-y", rows, *words)

    def run(self, *words: str) -> str:
        """Run one of tmux's commands, and return its output."""
        command = ["tmux", "-u", "-f", "/dev/null", "-S", self._socket, *words]
        finished = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=True
        )
        return finished.stdout

    def press(self, *keys: str) -> None:
        """Type keys, by tmux's names for them, or as text."""
        for key in keys:
            self.run("send-keys", *(["-l"] if not key.isascii() else []), key)

    @property
    def lines(self) -> list[str]:
        """What stands in the pane."""
        return self.run("capture-pane", "-p").splitlines()

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds in the pane."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "\n".join(self.lines)
            time.sleep(0.02)  # looks again: the state is what ends the waiting

    def wait_for(self, *texts: str) -> None:
        """Wait until all of these texts stand in the pane."""
        self.wait_until(lambda: all(text in "\n".join(self.lines) for text in texts))

    @property
    def column(self) -> int:
        """Where the cursor is."""
        return int(self.run("display", "-p", "#{cursor_x}"))

    def close(self) -> None:
        """End the server, and the program with it."""
        self.run("kill-server")
