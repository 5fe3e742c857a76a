"""Under kill -9 at random moments, against a service that drops, delays and repeats responses.

Every entry is in the store exactly once, or it is refused or unknown in the outbox.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import pytest

from pettui.client import PetClient
from pettui.outbox import DirectoryEntryStore, EntryState, Outbox
from tests.exhaustive import WHOLE
from tests.peers.faulty_service import FaultyService, faulty_service

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.exhaustive

ENTRIES, A_LIFE, KILLS = (500, 60, 5) if WHOLE else (50, 25, 2)


@dataclass
class Typist:
    """Types ``count`` animals into an app that is killed again and again."""

    service: FaultyService
    directory: Path
    random: Random
    prefix: str
    count: int
    kept: int = 0  # the last number that a process reported as kept
    kills: int = 0

    async def type_all(self) -> None:
        while not await self._type_on():
            self.kills += 1

    async def _type_on(self) -> bool:
        """Run a process until it is done, or killed at a random moment; return whether it is done."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tests.peers.typing_process", str(self.directory), self.service.address),
            *(self.prefix, str(self.count), str(self.kept)),
            stdout=asyncio.subprocess.PIPE,
        )
        lines = self.random.randint(1, A_LIFE)
        while (line := (await process.stdout.readline()).decode()) != "done\n" and line:
            self.kept = int(line.removeprefix("kept "))
            lines -= 1
            if lines == 0 and self.kept < self.count:
                await asyncio.sleep(self.random.uniform(0, 0.1))
                # Not process.kill(), which would take the exit code of one that has just ended.
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
        # It may be killed between its last line and its end.
        assert await process.wait() in ((0, -9) if line else (-9,))
        return bool(line)


def check(service: FaultyService, directory: Path, typed: list[str]) -> Counter[str]:
    """Check what became of everything that was typed; return how often each outcome occurred."""
    store = DirectoryEntryStore(directory)
    states = {entry.name: entry.state for entry in store.load().entries}
    store.close()
    added = Counter(pet["name"] for pet in service.pets)
    outcomes: Counter[str] = Counter()
    for name in typed:
        state = states.get(name, EntryState.ADDED)  # of the added ones only the newest stay
        assert service.arrived[name] <= 1, f"{name} was sent twice"
        assert state in (EntryState.ADDED, EntryState.REFUSED, EntryState.UNKNOWN)
        if state is not EntryState.UNKNOWN:
            assert added[name] == (state is EntryState.ADDED), f"{name} is not {state.value}"
        outcomes[f"{state.value}, there" if added[name] else state.value] += 1
    assert set(states) | set(added) == set(typed)
    return outcomes


async def look_for_unknown(service: FaultyService, directory: Path) -> None:
    """Check that each unknown entry is found that a list can show, and no other."""
    service.faulty = False
    ids = {pet["name"]: pet["id"] for pet in service.pets[-100:]}
    client = PetClient(service.address, "a-key")
    outbox = Outbox(DirectoryEntryStore(directory), client)
    outbox.start()
    for entry in outbox.entries:
        if entry.state is EntryState.UNKNOWN:
            pet = await outbox.look_for(entry.key)
            assert (pet and pet.id) == ids.get(entry.name)
    await outbox.close()
    await client.aclose()


async def test_every_entry_is_in_the_store_once_or_refused_or_unknown(tmp_path: Path) -> None:
    random = Random(1)
    async with faulty_service(random) as service:
        typist = Typist(service, tmp_path, random, "animal-", ENTRIES)
        await typist.type_all()
        outcomes = check(service, tmp_path, [f"animal-{n}" for n in range(1, ENTRIES + 1)])
        await look_for_unknown(service, tmp_path)
    print(f"\n{typist.kills} kills, {dict(outcomes)}")
    assert typist.kills >= KILLS


async def test_the_same_holds_for_two_instances_on_one_profile(tmp_path: Path) -> None:
    random = Random(3)
    async with faulty_service(random) as service:
        typists = [
            Typist(service, tmp_path, random, prefix, ENTRIES // 2)
            for prefix in ("left-", "right-")
        ]
        await asyncio.gather(*(typist.type_all() for typist in typists))
        typed = [f"{one.prefix}{n}" for one in typists for n in range(1, one.count + 1)]
        outcomes = check(service, tmp_path, typed)
        await look_for_unknown(service, tmp_path)
    print(f"\n{[typist.kills for typist in typists]} kills, {dict(outcomes)}")
    assert all(typist.kills >= KILLS // 2 for typist in typists)
