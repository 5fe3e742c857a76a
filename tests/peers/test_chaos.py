"""Everything that goes wrong between a clerk and the store, at once: each animal is there once.

Windows type into one outbox and are killed; the service is killed and starts again; a proxy between
them cuts, delays, doubles and lies; clocks step. In the end nobody has pressed a key.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
from collections import Counter
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from pettui.outbox.entries import Entry, EntryState
from tests.exhaustive import WHOLE, times
from tests.outbox.on_disk import entries_in, outbox_directory
from tests.peers.chaotic_proxy import CALM, CUTS, FAULTS, ChaoticProxy
from tests.ports import reserved_port
from tests.service.running_service import KEY, RunningService, running_service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping


pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
WINDOWS = 4
TYPED = times(10_000)
ADDRESS = "http://store.example/v1"  # of the outbox; the proxy's port is another each time

# A window: it notes what it is about to type and what was kept, and goes on until nothing waits.
WINDOW = """
import asyncio, json, random, sys, time
from pathlib import Path
from pettui.client import Backoff, PetClient
from pettui.outbox.outbox import Outbox
from pettui.outbox.entries import EntryState
from pettui.outbox.stores.directory_owners import DirectoryOwners
from pettui.settings.settings import Limits

given = json.loads(sys.argv[1])
dice = random.Random(given["seed"])

async def main():
    limits = Limits(deadline=3, connect=1, silence=1, tries=0)
    client = PetClient(given["base_url"], sys.stdin.readline().strip(), limits=limits)
    store = DirectoryOwners(Path(given["state"]), "shop", given["address"]).of("local").open()
    step = dice.choice((0.0, 0.0, 3600.0, -3600.0))
    outbox = Outbox(
        store, client, delay=0.0, look_every=0.2, clock=lambda: time.time() + step,
    )
    outbox.sending.backoff = Backoff(first=0.01, longest=0.3)
    outbox.start()
    await outbox.opened()
    with open(given["typed"], "a") as typed, open(given["kept"], "a") as kept:
        for name in given["names"]:
            print(name, file=typed, flush=True)
            await outbox.add(name, 3, None)
            print(name, file=kept, flush=True)
            await asyncio.sleep(dice.uniform(0, 0.004))
    on_the_way = (EntryState.WAITING, EntryState.SENDING)
    while any(entry.state in on_the_way for entry in outbox.entries):
        outbox.sending.service_responded()
        await asyncio.sleep(0.05)
    await outbox.close()
    await client.aclose()

asyncio.run(main())
"""


@dataclass
class Shop:
    """Windows in front of a proxy, and what is behind it."""

    home: Path
    random: Random
    proxy: ChaoticProxy
    kills: int = 0
    _numbers: int = 0

    @property
    def state(self) -> Path:
        return self.home / "state"

    def noted(self, file: str) -> list[str]:
        path = self.home / file
        return path.read_text().split() if path.exists() else []

    async def window(self, count: int) -> asyncio.subprocess.Process:
        """Open a window that types so many animals."""
        names = [f"animal-{self._numbers + n}" for n in range(count)]
        self._numbers += count
        given = {
            "seed": self.random.random(), "base_url": self.proxy.base_url, "names": names,
            "state": str(self.state), "address": ADDRESS,
            "typed": str(self.home / "typed"), "kept": str(self.home / "kept"),
        }  # fmt: skip
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", WINDOW, json.dumps(given)),
            stdin=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        assert process.stdin is not None
        process.stdin.write(f"{KEY}\n".encode())
        return process

    async def type(self, count: int, *, kills: int = 0) -> None:
        """Type animals in several windows at once, some of which are killed in the middle."""
        await asyncio.gather(*(self._one(count // WINDOWS, kills) for _ in range(WINDOWS)))

    async def _one(self, count: int, kills: int) -> None:
        for part in range(kills + 1):
            process = await self.window(count // (kills + 1))
            if part < kills:
                seconds = self.random.uniform(0.5, 1.5 + count / (kills + 1) / 100)
                killing = asyncio.get_running_loop().call_later(seconds, self._kill, process)
            else:
                killing = None
            _, errors = await process.communicate()
            if killing is not None:
                killing.cancel()
            assert process.returncode in (0, -signal.SIGKILL), errors.decode()

    def _kill(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:
            process.kill()
            self.kills += 1

    async def calm(self) -> None:
        """End the chaos, and let one window bring what is left to its end."""
        self.proxy.faults = CALM
        await self.proxy.forwarded_all()
        process = await self.window(0)
        _, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries, of the added ones the newest."""
        return entries_in(outbox_directory(self.state, "local", "shop", ADDRESS))


def stored(*databases: Path) -> Counter[str]:
    """Return how often each name is in the stores."""
    names: Counter[str] = Counter()
    for path in databases:
        with closing(sqlite3.connect(path)) as database:
            names.update(
                name for (name,) in database.execute("SELECT CAST(name AS TEXT) FROM pets")
            )
    return names


@asynccontextmanager
async def killed_again_and_again(
    directory: Path, random: Random, every: float
) -> AsyncIterator[Callable[[], list[tuple[str, int]]]]:
    """Run a service on one port that is killed, and starts again at once."""
    running: list[RunningService] = []

    def start(stack: ExitStack) -> None:
        running[:] = [stack.enter_context(running_service(directory, port=port))]

    async def kill() -> None:
        while True:
            await asyncio.sleep(random.uniform(0.5, 1.5) * every)
            running[0].process.kill()
            with ExitStack() as stack:
                await asyncio.to_thread(start, stack)
                stacks.push(stack.pop_all())

    with reserved_port() as port, ExitStack() as stacks:
        await asyncio.to_thread(start, stacks)
        killing = asyncio.create_task(kill())
        try:
            yield lambda: [("127.0.0.1", port)]
        finally:
            killing.cancel()
            await asyncio.gather(killing, return_exceptions=True)


def check_once(shop: Shop, names: Mapping[str, int]) -> None:
    """Check that what was kept is stored once, and that nothing is stored twice or unknown."""
    typed, kept = shop.noted("typed"), shop.noted("kept")
    assert len(kept) == len({*kept})
    assert [name for name in kept if names[name] != 1] == []
    assert {name: times for name, times in names.items() if times > 1} == {}
    assert {*names} <= {*typed}  # one that was killed before its note may be stored, once
    assert {entry.state for entry in shop.entries()} == {EntryState.ADDED}


def check_nothing_in_silence(shop: Shop, names: Mapping[str, int]) -> None:
    """Check that what is missing is unknown, and that what is there twice says so."""
    entries = {entry.name: entry for entry in shop.entries()}
    states = (EntryState.ADDED, EntryState.UNKNOWN)
    assert [entry for entry in entries.values() if entry.state not in states] == []
    unknown = {name for name, entry in entries.items() if entry.state is EntryState.UNKNOWN}
    assert {name for name in shop.noted("kept") if not names[name]} <= unknown
    with_remark = {name for name, entry in entries.items() if entry.refusal is not None}
    assert {name for name, times in names.items() if times > 1} <= with_remark


@pytest.mark.parametrize("seed", [1, 2, 3] if WHOLE else [1])
async def test_through_cuts_doubles_lies_and_kills_each_animal_is_added_once(
    tmp_path: Path, seed: int
) -> None:
    random = Random(seed)
    async with (
        killed_again_and_again(tmp_path, random, every=4.0) as services,
        ChaoticProxy(random, services) as proxy,
    ):
        shop = Shop(tmp_path, random, proxy)
        await shop.type(TYPED, kills=times(40))
        await shop.calm()
    assert shop.kills >= times(20)
    assert all(proxy.drawn[fault] for fault in FAULTS), proxy.drawn
    check_once(shop, stored(tmp_path / "pets.db"))


async def test_two_stores_behind_one_balancer_have_each_animal_once(tmp_path: Path) -> None:
    random = Random(1)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with running_service(tmp_path / "a") as one, running_service(tmp_path / "b") as other:
        async with ChaoticProxy(random, lambda: [one.address, other.address]) as proxy:
            shop = Shop(tmp_path, random, proxy)
            await shop.type(times(800))
            await shop.calm()
    check_once(shop, stored(tmp_path / "a" / "pets.db", tmp_path / "b" / "pets.db"))


@pytest.mark.parametrize("are_dropped", [(False, True, False), (True,)], ids=["at times", "always"])
async def test_through_a_proxy_that_drops_the_headers_nothing_is_lost_or_doubled_in_silence(
    tmp_path: Path, are_dropped: tuple[bool, ...]
) -> None:
    """As with an older service in between."""
    random = Random(1)
    with running_service(tmp_path) as service:
        async with ChaoticProxy(random, lambda: [service.address], CUTS) as proxy:
            shop = Shop(tmp_path, random, proxy)
            for proxy.drops_headers in are_dropped:
                await shop.type(times(400))
            await shop.calm()
    names = stored(tmp_path / "pets.db")
    check_nothing_in_silence(shop, names)
    if all(are_dropped):
        assert set(names.values()) == {1}  # nothing was sent again by itself
