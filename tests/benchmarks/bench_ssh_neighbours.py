"""What others notice of somebody who harms ``pettui ssh``: key to frame, alone and beside them.

``python -m tests.benchmarks.bench_ssh_neighbours [--rounds N] [--keys N] [--abusers N] [KIND …]``
lets a neighbour type in the same process, by turns alone and beside each kind of abuser, and prints
its p50, p90 and p99, their ratio, and the MB that the abusers cost.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import asyncssh

from tests.benchmarks.ssh_servers import pettui
from tests.ssh_abuser import KINDS, Screen, come_in
from tests.ssh_reader import PATIENCE

if TYPE_CHECKING:
    from tests.benchmarks.ssh_servers import Target

EVERY = 0.1  # seconds between two keys of the neighbour
DOWN, UP = b"\x1b[B", b"\x1b[A"


@dataclass
class Neighbour:
    connection: asyncssh.SSHClientConnection
    channel: asyncssh.SSHClientChannel[bytes]
    screen: Screen

    async def press(self, key: bytes) -> float:
        """Press a key, and return the milliseconds to what it makes the server send."""
        began = time.perf_counter()
        self.screen.came.clear()
        self.channel.write(key)
        async with asyncio.timeout(PATIENCE):
            await self.screen.came.wait()
        return (time.perf_counter() - began) * 1000


async def type_keys(neighbour: Neighbour, keys: int) -> list[float]:
    """Press keys, there and back, and return the milliseconds to the frame of each."""
    taken = []
    gc.disable()
    for _ in range(keys // 2):
        for key in (DOWN, UP):
            taken.append(await neighbour.press(key))
            await asyncio.sleep(EVERY)
    gc.enable()
    gc.collect()
    return taken


async def beside(
    target: Target, kind: str, neighbour: Neighbour, keys: int, abusers: int
) -> list[float]:
    """Have the neighbour type while clients of this kind are connected."""
    words = [sys.executable, "-m", "tests.ssh_abuser", str(target.port), kind, str(abusers)]
    process = await asyncio.create_subprocess_exec(
        *words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    said = [b""]
    while said.count(b"in\n") < abusers:
        said.append(await process.stdout.readline())
    try:
        return await type_keys(neighbour, keys)
    finally:
        process.kill()
        await process.wait()
        await asyncio.sleep(1.0)


async def measure(target: Target, kinds: list[str], rounds: int, keys: int, abusers: int) -> None:
    neighbour = Neighbour(*await come_in(target.port))
    await type_keys(neighbour, keys)
    print("| beside | alone p50/p90/p99 ms | beside p50/p90/p99 ms | times, p50 | MB more |")
    print("|---|---|---|---|---|")
    for kind in kinds:
        alone, together = [], []
        before = target.memory()
        for _ in range(rounds):
            alone += await type_keys(neighbour, keys)
            together += await beside(target, kind, neighbour, keys, abusers)
        more = target.memory() - before
        ratio = median(together) / median(alone)
        print(
            f"| {kind} | {percentiles(alone)} | {percentiles(together)} | {ratio:.2f} | {more:.1f} |",
            flush=True,
        )
    neighbour.connection.abort()


def percentiles(values: list[float]) -> str:
    cuts = quantiles(values, n=100)
    return f"{cuts[49]:.1f}/{cuts[89]:.1f}/{cuts[98]:.1f}"


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
