"""How long the outbox takes to store what is typed, and how long it blocks the event loop.

``python -m tests.benchmarks.bench_outbox [DIRECTORY]``

The directory decides the disk; without one it is the usual place for temporary files.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.client import PetClient
from pettui.outbox import DirectoryEntryStore, Draft, Outbox

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ENTRIES = 500


async def timed(what: str, act: Callable[[int], Awaitable[object]]) -> None:
    took = []
    for number in range(ENTRIES):
        started = time.perf_counter()
        await act(number)
        took.append((time.perf_counter() - started) * 1000)
    took.sort()
    print(f"{what}: median {statistics.median(took):.2f} ms, 99 % {took[-ENTRIES // 100]:.2f} ms")


async def watch_loop(stalls: list[float]) -> None:
    while True:
        started = time.perf_counter()
        await asyncio.sleep(0.001)
        stalls.append((time.perf_counter() - started - 0.001) * 1000)


def opened(directory: Path) -> Outbox:
    """Return a started outbox that sends nothing for an hour."""
    client = PetClient("http://127.0.0.1:9/v1", "a-key")
    outbox = Outbox(DirectoryEntryStore(directory), client, delay=3600)
    started = time.perf_counter()
    outbox.start()
    took = (time.perf_counter() - started) * 1000
    print(f"start with {len(outbox.entries)} entries: {took:.1f} ms")
    return outbox


async def main(parent: str | None) -> None:
    with tempfile.TemporaryDirectory(dir=parent) as temporary:
        directory = Path(temporary) / "outbox"
        outbox = opened(directory)
        stalls: list[float] = []
        watching = asyncio.create_task(watch_loop(stalls))
        await timed("add", lambda number: outbox.add(f"animal {number}", 3, None))
        await timed("keep the draft", lambda number: outbox.drafts.keep(Draft("x" * number)))
        watching.cancel()
        print(f"longest stall of the loop meanwhile: {max(stalls):.1f} ms")
        await outbox.close()
        await opened(directory).close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if sys.argv[1:] else None))
