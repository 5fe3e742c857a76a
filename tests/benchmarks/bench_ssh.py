"""``pettui ssh`` in figures: start, memory, latency, CPU and bytes a key, beside two others.

``python -m tests.benchmarks.bench_ssh [--quick] [--sessions N] [--rounds N]`` prints a table: ours
with one worker and with one a core, OpenSSH's sshd with ``pettui --demo`` as its ForceCommand, and a
list app in Go (wish, Bubble Tea), each where what it needs is installed. Every round measures all of
them one after the other, with servers that were just started. Every session is a real connection
with a handshake, of a client in another process; each presses a key every half second.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
import tempfile
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import asyncssh

from tests.benchmarks.ssh_people import come_in, come_in_together, leave
from tests.benchmarks.ssh_servers import pettui, sshd, why_no_sshd, why_no_wish, wish

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.benchmarks.ssh_servers import Target

    Open = Callable[[Path], AbstractContextManager[Target]]

EVERY = 0.5  # seconds between two keys of one session
STARTS = 9
TOGETHER = 50
OPENED_AT_A_TIME = 8
SETTLED = 2.0  # seconds after the last one came in
IDLE = 5.0  # seconds in which nobody types

Samples = dict[str, list[float]]


async def measure(target: Target, sessions: int, seconds: float, found: Samples) -> None:
    """Measure one server that was just started."""
    processes = len(target.family())
    await leave(target, await come_in_together(target, 1, 1), processes)  # imports, for all
    empty = target.memory()
    for _ in range(STARTS):
        visitor = await come_in(target)
        found["first frame"].append(visitor.first_frame)
        found["first animals"].append(visitor.first_animals)
        await leave(target, [visitor], processes)
    alone = await come_in(target)
    await alone.type(time.perf_counter() + 2 * seconds, EVERY, found["alone"])
    await leave(target, [alone], processes)
    await measure_many(target, sessions, seconds, found)
    found["memory a session"].append((found["memory"][-1] - empty) / sessions)
    together = await come_in_together(target, min(sessions, TOGETHER), TOGETHER)
    found["together"].append(max(visitor.first_animals for visitor in together) / 1000)
    await leave(target, together, processes)


async def measure_many(target: Target, sessions: int, seconds: float, found: Samples) -> None:
    """Measure many sessions, idle and typing."""
    processes = len(target.family())
    visitors = await come_in_together(target, sessions, OPENED_AT_A_TIME)
    await asyncio.sleep(SETTLED)
    found["memory"].append(target.memory())
    began = target.processor()
    await asyncio.sleep(IDLE)
    found["idle"].append((target.processor() - began) / IDLE * 100)
    received = sum(visitor.screen.received for visitor in visitors)
    began, until, taken = target.processor(), time.perf_counter() + seconds, []
    gc.disable()  # the client's own looking for memory is no latency of the server's
    await asyncio.gather(*(visitor.type(until, EVERY, taken) for visitor in visitors))
    gc.enable()
    await asyncio.sleep(EVERY)
    found["many"] += taken
    found["processor"].append((target.processor() - began) / len(taken) * 1000)
    received = sum(visitor.screen.received for visitor in visitors) - received
    found["bytes"].append(received / len(taken))
    await leave(target, visitors, processes)


def p50_p99(values: list[float]) -> str:
    """Give two quantiles."""
    return f"{median(values):.0f}/{quantiles(values, n=100)[98]:.0f}"


def figures(found: Samples, sessions: int) -> dict[str, str]:
    """Give one column, from the samples of all rounds."""
    return {
        "connect to first frame, median ms": f"{median(found['first frame']):.0f}",
        "connect to first animals, median ms": f"{median(found['first animals']):.0f}",
        f"MB (PSS) a session, at {sessions}": f"{median(found['memory a session']):.2f}",
        f"MB, {sessions} sessions in all": f"{median(found['memory']):.0f}",
        "key to frame p50/p99 ms, 1 session": p50_p99(found["alone"]),
        f"the same, {sessions} sessions": p50_p99(found["many"]),
        "CPU seconds per 1,000 keys": f"{median(found['processor']):.2f}",
        "bytes to the client a key": f"{median(found['bytes']):.0f}",
        f"idle CPU, {sessions} sessions, %": f"{median(found['idle']):.1f}",
        f"{min(sessions, TOGETHER)} at once, last one ready, s": f"{median(found['together']):.1f}",
    }


def show(columns: dict[str, dict[str, str]]) -> None:
    """Print the table, as Markdown."""
    print(f"\n| | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    for row in next(iter(columns.values())):
        print(f"| {row} | {' | '.join(column[row] for column in columns.values())} |")


def servers() -> list[Open]:
    """Give those that can be measured here, and say which cannot."""
    workers = sorted({1, len(os.sched_getaffinity(0))})
    opens: list[Open] = [partial(pettui, workers=count) for count in workers]
    for why, open_it in ((why_no_sshd(), sshd), (why_no_wish(), wish)):
        if why:
            print(why)
        else:
            opens.append(open_it)
    return opens


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few sessions, one round")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0, help="of typing")
    options = parser.parse_args()
    if options.quick:
        options.sessions, options.rounds, options.seconds = 10, 1, 4.0
    asyncssh.set_log_level("ERROR")
    samples: dict[str, Samples] = {}
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(options.rounds):
            for open_it in servers():
                with open_it(Path(directory)) as target:
                    found = samples.setdefault(target.name, defaultdict(list))
                    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
                    print(f"{target.name}, load average {load}", file=sys.stderr)
                    asyncio.run(measure(target, options.sessions, options.seconds, found))
    show({name: figures(found, options.sessions) for name, found in samples.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
