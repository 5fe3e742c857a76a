"""What those who stay in a process of ``pettui ssh`` notice of others who leave and come: key to frame.

``python -m tests.benchmarks.bench_ssh_leaving [--stay N] [--leave N] [--every S] [--seconds S]`` lets
many type in one process, first alone, then while others leave and as many come again, twice, and
prints p50, p99 and the longest of each.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import resource
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import asyncssh

from tests.benchmarks.bench_ssh_neighbours import DOWN, UP, come_in
from tests.benchmarks.ssh_servers import pettui

if TYPE_CHECKING:
    from tests.benchmarks.bench_ssh_neighbours import Neighbour
    from tests.benchmarks.ssh_servers import Target

AT_ONCE = 8  # who come at a time


async def come(target: Target, count: int) -> list[Neighbour]:
    """Let so many come, a few at a time."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one() -> Neighbour:
        async with places:
            return await come_in(target)

    return await asyncio.gather(*(one() for _ in range(count)))


async def type_keys(neighbour: Neighbour, every: float, seconds: float, taken: list[float]) -> None:
    """Press keys, there and back, beginning at a random moment."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    await asyncio.sleep(random.random() * every)
    keys = 0
    while loop.time() < until:
        taken.append(await neighbour.press(UP if keys % 2 else DOWN))
        keys += 1
        await asyncio.sleep(every)


async def everybody_types(staying: list[Neighbour], every: float, seconds: float) -> list[float]:
    """Return what the keys of all took, in milliseconds."""
    taken: list[float] = []
    await asyncio.gather(*(type_keys(one, every, seconds, taken) for one in staying))
    return taken


async def measure(target: Target, options: argparse.Namespace) -> None:
    """Print a line for each phase."""
    staying = await come(target, options.stay)
    leaving = await come(target, options.leave)
    gc.collect()
    gc.freeze()
    gc.disable()
    print("| while | p50 ms | p99 ms | longest ms |\n|---|---|---|---|")
    typed = await everybody_types(staying, options.every, options.seconds)
    report("nobody leaves", typed)
    for _ in range(2):
        typing = asyncio.create_task(everybody_types(staying, options.every, options.seconds))
        await asyncio.sleep(1.0)
        for one in leaving:
            one.connection.abort()
        leaving = await come(target, options.leave)
        report(f"{options.leave} leave, and {options.leave} come", await typing)


def report(what: str, taken: list[float]) -> None:
    """Print a line."""
    p99 = quantiles(taken, n=100)[98]
    print(f"| {what} | {median(taken):.1f} | {p99:.1f} | {max(taken):.1f} |", flush=True)


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stay", type=int, default=200)
    parser.add_argument("--leave", type=int, default=60)
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two keys of one")
    parser.add_argument("--seconds", type=float, default=15.0, help="of each phase")
    options = parser.parse_args()
    asyncssh.set_log_level("ERROR")
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as directory, pettui(Path(directory), 1) as target:
        asyncio.run(measure(target, options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
