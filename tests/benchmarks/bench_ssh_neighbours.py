"""What others notice of somebody who harms ``pettui ssh``: key to frame, alone and beside them.

``python -m tests.benchmarks.bench_ssh_neighbours [--rounds N] [--keys N] [--abusers N] [KIND …]``
lets a neighbour type in the same process, by turns alone and beside each kind of abuser, and prints
its p50, p90 and p99, and the ratio of p90.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

import asyncssh

from tests.benchmarks.ssh_servers import Target, pettui
from tests.ssh_abuser import KINDS, Channel, Screen, come_in
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


EVERY = 0.1  # seconds between two keys of the neighbour
DOWN, UP = b"\x1b[B", b"\x1b[A"


async def type_keys(channel: Channel, screen: Screen, keys: int) -> list[float]:
    """Press keys, there and back, and return the milliseconds to what each makes the server send."""
    taken = []
    gc.disable()
    for number in range(keys):
        began = time.perf_counter()
        screen.came.clear()
        channel.write(UP if number % 2 else DOWN)
        async with asyncio.timeout(PATIENCE):
            await screen.came.wait()
        taken.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(EVERY)
    gc.enable()
    gc.collect()
    return taken


@asynccontextmanager
async def beside(port: int, kind: str, abusers: int) -> AsyncIterator[None]:
    """Have clients of this kind connected."""
    words = [sys.executable, "-m", "tests.ssh_abuser", str(port), kind, str(abusers)]
    process = await asyncio.create_subprocess_exec(
        *words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    lines = [b""]
    while lines.count(b"in\n") < abusers:
        lines.append(await process.stdout.readline())
    try:
        yield
    finally:
        process.kill()
        await process.wait()
        await asyncio.sleep(1.0)


async def measure(target: Target, kinds: list[str], rounds: int, keys: int, abusers: int) -> None:
    connection, channel, screen = await come_in(target.port)
    await type_keys(channel, screen, keys)
    print("| beside | alone p50/p90/p99 ms | beside p50/p90/p99 ms | times, p90 |")
    print("|---|---|---|---|")
    for kind in kinds:
        alone, together = [], []
        for _ in range(rounds):
            alone += await type_keys(channel, screen, keys)
            async with beside(target.port, kind, abusers):
                together += await type_keys(channel, screen, keys)
        both = [[quantiles(each, n=100)[n] for n in (49, 89, 98)] for each in (alone, together)]
        shown = " | ".join("/".join(f"{figure:.1f}" for figure in figures) for figures in both)
        print(f"| {kind} | {shown} | {both[1][1] / both[0][1]:.2f} |", flush=True)
    connection.abort()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keys", type=int, default=40, help="in each turn")
    parser.add_argument("--abusers", type=int, default=1, help="connections of each kind")
    options = parser.parse_args()
    asyncssh.set_log_level("ERROR")
    with tempfile.TemporaryDirectory() as directory, pettui(Path(directory), 1) as target:
        kinds = options.kinds or list(KINDS)
        asyncio.run(measure(target, kinds, options.rounds, options.keys, options.abusers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
