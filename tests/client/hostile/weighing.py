"""Run as a program: how much memory a call takes beyond a usual one, in bytes.

``python weighing.py BASE_URL COUNT`` requests so many times a usual response and then another
one, each time in a process of its own. It prints a line for each: what the other took, and how it
ended.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pettui.client.http
import pettui.validation  # noqa: F401 - it is there by then: code is no part of a response
from pettui.client import PetClient, PetClientError
from pettui.settings import Limits

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any

LIMITS = Limits(tries=0, deadline=10)


def most_memory() -> int:
    """Return the most memory that this process has held so far, in bytes."""
    if sys.platform == "linux":  # where ru_maxrss begins with what the parent held
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def weigh(ask: Callable[[], Awaitable[str]]) -> None:
    """Call twice, and print what memory the second response took, and how it ended."""
    await ask()
    usual = most_memory()
    end = await ask()
    os.write(1, f"{most_memory() - usual} {end[:200]!r}\n".encode())  # Textual takes print away


async def weigh_client(base_url: str) -> None:
    """Request with the client alone."""
    client = PetClient(base_url, "sesame-open-4711", limits=LIMITS)

    async def ask() -> str:
        try:
            return f"{len((await client.list_pets()).pets)} animals"
        except PetClientError as error:
            return str(error)[:200]

    try:
        await weigh(ask)
    finally:
        await client.aclose()


def in_processes(work: Callable[[str], Coroutine[Any, Any, None]]) -> None:
    """Do the work as often as the command line says, each time in a fork of this process."""
    base_url, count = sys.argv[1], int(sys.argv[2])
    for _ in range(count):
        child = os.fork()
        if child == 0:
            asyncio.run(work(base_url))
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    in_processes(weigh_client)
