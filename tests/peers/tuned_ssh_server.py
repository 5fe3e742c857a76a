"""``pettui ssh --demo`` with options that the command line does not have.

Run as a process with a directory for the host key, and the options as JSON.
Processes are replaced once they were used and are empty, however little they have grown. While there
is a file ``broken`` in the directory, no process can start.
"""

from __future__ import annotations

import json
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.composition.served_apps import factory_opener
from pettui.configuration.reading import read_settings
from pettui.ssh import processes
from pettui.ssh.options import SshOptions
from pettui.ssh.worker import Hooks, Tell

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.ssh.apps.app_factory import AppFactory
    from pettui.system.logs import EventLog


def main(directory: Path, **options: float) -> None:
    """Serve until SIGTERM."""
    settings = replace(read_settings({"demo": True}, {}), delay=0)
    usual = factory_opener(settings, {})

    @asynccontextmanager
    async def open_factory(log: EventLog, tell: Tell) -> AsyncIterator[AppFactory]:
        if (directory / "broken").exists():
            raise OSError("broken")
        async with usual(log, tell) as factory:
            yield factory

    hooks = Hooks(
        open_factory=open_factory,
        report_bug=lambda error: {"reason": repr(error)},
        announce=lambda _host, port, _key: print(f"log in with: ssh -p {port} ", flush=True),
    )
    chosen = SshOptions(name="pettui", port=0, growth=0.0, **{"max_sessions": 20, **options})
    processes.serve(chosen, directory / "key", hooks)


if __name__ == "__main__":
    main(Path(sys.argv[1]), **json.loads(sys.argv[2]))
