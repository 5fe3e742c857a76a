"""What people notice of their address, or of a flood of another: ratios, each of one run.

``python -m tests.benchmarks.bench_ssh_addresses [--rounds N] [--people N] [--abusers N]`` prints

- a newcomer's first key, beside a flood over many connections of one address, and alone;
- a key of people of one address, such as a shop's, and of as many of an address each.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import asyncssh

from tests.benchmarks.bench_ssh_neighbours import beside
from tests.benchmarks.ssh_servers import pettui
from tests.ssh_abuser import begin_session
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from tests.ssh_abuser import Channel, Screen

FIRST_ANIMALS = b"Mitzi"
DOWN = b"\x1b[B"
EVERY, KEYS = 0.5, 10  # seconds between two keys of a person; of each
SETTLED = 3.0  # seconds from the first key to those that are measured
NEWCOMER = "127.0.0.200"  # while the flood is of 127.0.0.1
FLOODS = ("keys", "sizes", "palettes")


async def come_in(port: int, address: str) -> tuple[asyncssh.SSHClientConnection, Channel, Screen]:
    connection = await asyncssh.connect(
        "127.0.0.1", port, local_addr=(address, 0), username="demo", known_hosts=None,
        client_keys=[], config=None,
    )  # fmt: skip
    channel, screen = await begin_session(connection)
    await screen.wait_for(FIRST_ANIMALS)
    return connection, channel, screen


async def press(channel: Channel, screen: Screen, key: bytes) -> float:
    """Press a key; return the milliseconds to what it makes the server send."""
    began = time.perf_counter()
    screen.came.clear()
    channel.write(key)
    async with asyncio.timeout(PATIENCE):
        await screen.came.wait()
    return (time.perf_counter() - began) * 1000


async def first_key(port: int) -> float:
    """Return the milliseconds from connecting to the answer to a first key."""
    began = time.perf_counter()
    connection, channel, screen = await come_in(port, NEWCOMER)
    await press(channel, screen, DOWN)
    connection.abort()
    return (time.perf_counter() - began) * 1000


async def measure_newcomers(port: int, rounds: int, abusers: int) -> None:
    print(f"| beside {abusers} of one address | alone ms | beside ms | times |")
    print("|---|---|---|---|")
    for kind in FLOODS:
        alone, together = [], []
        for _ in range(rounds):
            alone += [await first_key(port) for _ in range(3)]
            async with beside(port, kind, abusers):
                together += [await first_key(port) for _ in range(3)]
        both = median(alone), median(together)
        print(f"| {kind} | {both[0]:.0f} | {both[1]:.0f} | {both[1] / both[0]:.1f} |", flush=True)


async def measure_people(port: int, addresses: list[str]) -> list[float]:
    """Return the milliseconds of all keys of people who type at once."""
    people = await asyncio.gather(*map(partial(come_in, port), addresses))
    taken: list[float] = []

    async def type_keys(number: int, channel: Channel, screen: Screen) -> None:
        await press(channel, screen, DOWN)
        await asyncio.sleep(SETTLED + EVERY * number / len(people))
        for _ in range(KEYS):
            taken.append(await press(channel, screen, DOWN))
            await asyncio.sleep(EVERY)

    await asyncio.gather(
        *(type_keys(number, channel, screen) for number, (_, channel, screen) in enumerate(people))
    )
    for connection, *_ in people:
        connection.abort()
    await asyncio.sleep(1.0)
    return taken


async def measure(port: int, options: argparse.Namespace) -> None:
    await first_key(port)
    await measure_newcomers(port, options.rounds, options.abusers)
    shop, apart = [], []
    for _ in range(options.rounds):
        shop += await measure_people(port, ["127.0.0.1"] * options.people)
        apart += await measure_people(port, [f"127.0.1.{n}" for n in range(1, options.people + 1)])
    figures = [[quantiles(each, n=100)[n] for n in (49, 89, 98)] for each in (shop, apart)]
    shown = " | ".join("/".join(f"{each:.1f}" for each in one) for one in figures)
    print(
        f"\n| {options.people} people | of one address p50/p90/p99 ms | of one each | times, p90 |"
    )
    print("|---|---|---|---|")
    print(f"| a key each {EVERY:g} s | {shown} | {figures[0][1] / figures[1][1]:.2f} |")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--abusers", type=int, default=18)
    options = parser.parse_args()
    asyncssh.set_log_level("ERROR")
    with tempfile.TemporaryDirectory() as directory, pettui(Path(directory), 1) as target:
        asyncio.run(measure(target.port, options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
