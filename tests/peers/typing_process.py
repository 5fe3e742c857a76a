"""An app without a screen that adds animals to the outbox until it is killed.

Run as a process with the directory of the outbox, the base address, a prefix of names, how many
to add, and the number of the last one that is known to be stored. It prints ``kept N`` after each,
and ``done`` once no entry is on its way any more.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pettui.backoff import Backoff
from pettui.client import PetClient
from pettui.outbox import DirectoryEntryStore, EntryState, Outbox
from pettui.settings import Limits

ON_THE_WAY = (EntryState.WAITING, EntryState.SENDING)


async def main(directory: str, address: str, prefix: str, count: int, kept: int) -> None:
    client = PetClient(address, "a-key", limits=Limits(first_wait=0.01, longest_wait=0.1))
    backoff = Backoff(first=0.01, longest=0.1)
    outbox = Outbox(DirectoryEntryStore(Path(directory)), client, delay=0.02, backoff=backoff)
    outbox.start()
    # One more than was printed may be stored: the last process was killed before it could say so.
    known = [entry.name for entry in outbox.entries if entry.name.startswith(prefix)]
    kept = max(kept, *(int(name.removeprefix(prefix)) for name in known), 0)
    for number in range(kept + 1, count + 1):
        await outbox.add(f"{prefix}{number}", number % 7, None)
        print(f"kept {number}", flush=True)
        await asyncio.sleep(0.005)  # types fast
    await wait_until_sent(outbox)
    print("done", flush=True)
    await outbox.close()
    await client.aclose()


async def wait_until_sent(outbox: Outbox) -> None:
    changed = asyncio.Event()
    outbox.subscribe(lambda _: changed.set())
    while any(entry.state in ON_THE_WAY for entry in outbox.entries):
        await changed.wait()
        changed.clear()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))
