"""Memory: at most 32 MB above the usual, whatever comes.

As a program it requests, COUNT times, a usual response and then another one from BASE_URL.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

import pettui.client.http
import pettui.models.validation  # noqa: F401 - it is there by then: code is no part of a response
from pettui.client import PetClient, PetClientError
from pettui.settings.settings import Limits
from tests.client.hostile.checks import KEY
from tests.client.hostile.heavy import HEAVY
from tests.client.hostile.server import REX, HostileServer, Step, http

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping


MOST_MEMORY = 32 * 1024 * 1024  # bytes above the usual, for any answer
ROOT = Path(__file__).parents[3]
LIMITS = Limits(tries=0, deadline=10)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def taken() -> dict[str, tuple[int, str]]:
    return await weighed(Path(__file__), HEAVY)


@pytest.mark.parametrize("name", HEAVY)
def test_a_response_takes_32_mb_at_most(name: str, taken: dict[str, tuple[int, str]]) -> None:
    size, end = taken[name]
    assert size <= MOST_MEMORY, end


async def weighed(
    program: Path, answers: Mapping[str, Callable[[], Step]]
) -> dict[str, tuple[int, str]]:
    """Return how many bytes more than a usual response each took in a program, and its end."""
    usual = http(200, f"[{REX}]")
    steps = [step for make in answers.values() for step in (usual, make())]
    async with HostileServer(*steps) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(program), server.base_url, str(len(answers))),
            stdout=asyncio.subprocess.PIPE,
            env={"PYTHONPATH": str(ROOT)},
        )
        output, _ = await process.communicate()
    lines = [line.split(" ", 1) for line in output.decode().splitlines()]
    return {name: (int(size), end) for name, (size, end) in zip(answers, lines, strict=True)}


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
    client = PetClient(base_url, KEY, limits=LIMITS)

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
