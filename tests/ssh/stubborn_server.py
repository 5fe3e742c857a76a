"""A server whose workers may not end, not start, or leave a child behind.

Run as a process with a directory, and constants of ``processes`` as JSON. Its workers write their
process ids into the directory, and look there for what they are to do. At the end it writes the
seconds that its parent was ready to wait, each time that it looked, from the signal on.
"""

from __future__ import annotations

import asyncio
import json
import os
import selectors
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from pettui.ssh import processes
from pettui.ssh.options import SshOptions
from pettui.ssh.server import OneAppEach
from pettui.ssh.worker import Hooks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.logs import EventLog

LOOKS = 50  # of the parent, until its workers end
WORKERS = 2


class ParentsSelector(selectors.DefaultSelector):
    """Notes for how long the parent wants to wait, once there is a file ``stopping``."""

    def __init__(self, directory: Path, waits: list[float]) -> None:
        super().__init__()
        self._directory = directory
        self._waits = waits

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if (self._directory / "stopping").exists() and timeout is not None:
            self._waits.append(timeout)
            if len(self._waits) == LOOKS:
                (self._directory / "drained").touch()
        return super().select(timeout)


def main(directory: Path, **constants: float) -> int:
    """Serve until a signal; return the exit code."""
    for name, value in constants.items():
        setattr(processes, name, value)
    waits: list[float] = []
    processes.selectors = SimpleNamespace(  # not the module itself, which asyncio uses in workers
        DefaultSelector=lambda: ParentsSelector(directory, waits),
        EVENT_READ=selectors.EVENT_READ,
        EVENT_WRITE=selectors.EVENT_WRITE,
    )

    @asynccontextmanager
    async def open_factory(_log: EventLog) -> AsyncIterator[OneAppEach]:
        if (directory / "broken").exists():
            raise OSError("broken")
        if (directory / "leave a child").exists():
            (directory / "leave a child").unlink()
            child = os.fork()
            if child == 0:
                signal.pause()
            (directory / f"child {child}").touch()
        (directory / f"worker {os.getpid()}").touch()
        yield OneAppEach(NotImplemented)
        while not (directory / "drained").exists():  # noqa: ASYNC110 - by another process
            await asyncio.sleep(0.01)

    hooks = Hooks(open_factory, repr, lambda *_: None)
    options = SshOptions(port=0, workers=WORKERS, unresponsive_after=1_000_000.0)
    code = processes.serve(options, directory / "key", hooks)
    (directory / "waits").write_text(json.dumps(waits))
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), **json.loads(sys.argv[2])))
