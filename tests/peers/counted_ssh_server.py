"""``pettui ssh --demo`` that says what is left in its process, whenever it is asked.

Run as a process with a directory for the host key. It is the real server, its first process and one
worker; the worker answers each line on standard input with one of JSON on standard output: how many
objects of a kind there are after a full collection, and the memory that is its own.
"""

from __future__ import annotations

import asyncio
import gc
import json
import math
import os
import re
import signal
import sqlite3
import sys
import threading
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import asyncssh
from textual.screen import Screen
from textual.widget import Widget

from pettui.cli.ssh import _clean_environment
from pettui.cli.ssh_apps import factory_opener
from pettui.client import PetClient
from pettui.configuration import read_settings
from pettui.outbox import Outbox
from pettui.ssh import processes
from pettui.ssh.connection import Connection
from pettui.ssh.options import SshOptions
from pettui.ssh.session import SshSession
from pettui.ssh.worker import Hooks
from pettui.tui.app import PetApp

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from pettui.ssh.apps.app_factory import AppFactory

COUNTED = (
    PetApp, Screen, Widget, SshSession, Connection, asyncssh.SSHServerConnection, asyncssh.SSHServerChannel,
    Outbox, PetClient, sqlite3.Connection,
)  # fmt: skip
MANY = 100_000  # more than any test opens: what is counted here are leaks, not refusals


def name_of(counted: type) -> str:
    """Return a class's name, with its package where that is a database's: two are a Connection."""
    package = counted.__module__.partition(".")[0]
    return f"{package}.{counted.__name__}" if package == "sqlite3" else counted.__name__


def left() -> dict[str, int]:
    """Return what is there now, by its name."""
    gc.collect()
    kinds = Counter(map(type, gc.get_objects()))
    found = {
        name_of(counted): sum(n for kind, n in kinds.items() if issubclass(kind, counted))
        for counted in COUNTED
    }
    memory = Path("/proc/self/smaps_rollup").read_text()
    return found | {
        "objects": kinds.total(),
        "blocks": sys.getallocatedblocks(),
        "tasks": len(asyncio.all_tasks()),
        "threads": threading.active_count(),
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "bytes": int(re.search(r"^Private_Dirty:\s+(\d+)", memory, re.MULTILINE)[1]) * 1024,
    }


async def forget_cancelled_timers() -> None:
    """Make asyncio drop timers that were cancelled; it does when there are more than a hundred.

    Each holds on to the context that it was made in, and with it to an app, until its time comes.
    """
    loop = asyncio.get_running_loop()
    for _ in range(1000):
        loop.call_later(60, int).cancel()
    await asyncio.sleep(0.01)


async def answer() -> None:
    """Answer every line; end when there will be no more."""
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while await lines.readline():
        await forget_cancelled_timers()
        os.write(1, json.dumps(left()).encode() + b"\n")
    os.kill(os.getppid(), signal.SIGTERM)


@asynccontextmanager
async def counted(
    opened: AbstractAsyncContextManager[AppFactory],
) -> AsyncIterator[AppFactory]:
    """Open a worker's factory, and answer while it is open."""
    async with opened as factory:
        answering = asyncio.create_task(answer())
        yield factory
        answering.cancel()


def main(directory: str) -> None:
    """Serve until SIGTERM."""
    _clean_environment()
    settings = replace(read_settings({"demo": True}, {}), delay=0)
    open_factory = factory_opener(settings, {})
    options = SshOptions(
        port=0, max_sessions=MANY, per_address=MANY, renew_after=math.inf, ready_apps=0
    )
    hooks = Hooks(
        open_factory=lambda log: counted(open_factory(log)),
        report_bug=lambda error: print(f"bug: {error!r}", file=sys.__stderr__, flush=True),
        announce=lambda _host, port, _key: print(port, flush=True),
    )
    processes.serve(options, Path(directory) / "key", hooks)


if __name__ == "__main__":
    main(sys.argv[1])
