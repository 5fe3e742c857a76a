"""How long the outbox takes to save an animal.

``python -m tests.benchmarks.bench_outbox``; TMPDIR decides the disk.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median

from pettui.client import PetClient
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.benchmarks.measuring import p99

ENTRIES = 500


async def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        client = PetClient("http://127.0.0.1:9/v1", "a-key")
        outbox = Outbox(DirectoryEntryStore(Path(temporary) / "outbox"), client, delay=3600)
        outbox.start()
        took = []
        for number in range(ENTRIES):
            started = time.perf_counter()
            await outbox.add(f"animal {number}", 3, None)
            took.append((time.perf_counter() - started) * 1000)
        await outbox.close()
        await client.aclose()
    print(f"saving an animal: median {median(took):.2f} ms, 99th percentile {p99(took):.2f} ms")


if __name__ == "__main__":
    asyncio.run(main())
