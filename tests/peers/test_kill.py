"""kill -9 at random moments: of the service, of imports, and of the app into which animals are typed.

Imports and the app have a service that drops, delays and doubles its responses.
"""

from __future__ import annotations

import asyncio
import csv
import os
import signal
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from random import Random
from threading import Event
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pettui.outbox import Draft, Entry, EntryState
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.exhaustive import WHOLE, times
from tests.outbox.on_disk import outbox_directory
from tests.peers.chaotic_proxy import ChaoticProxy
from tests.peers.faulty_service import FaultyService
from tests.peers.terminal import ENTER, PROGRAM, Terminal
from tests.peers.test_chaos import killed_again_and_again
from tests.service.running_service import KEY, running_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.peers.chaotic_proxy import Address
    from tests.service.running_service import RunningService

pytestmark = pytest.mark.exhaustive

WRITERS = 16
SERVICE_KILLS = 4
ACKNOWLEDGED_BEFORE_A_KILL = 150


def load(
    service: RunningService, numbers: Iterator[int], acknowledged: dict[int, str], enough: Event
) -> None:
    """Add animals over one connection until the service is gone; note each that is acknowledged."""
    with service.client() as client:
        try:
            for number in numbers:
                body = {"name": f"pet {number}", "categoryId": number}
                response = client.post("/pets", json=body)
                assert response.status_code == 201
                acknowledged[response.json()["id"]] = body["name"]
                if len(acknowledged) >= ACKNOWLEDGED_BEFORE_A_KILL:
                    enough.set()
        except httpx.TransportError:
            return  # it was killed; what was not acknowledged may be there or not


def test_kill_9_in_the_middle_of_a_load_loses_no_acknowledged_animal(tmp_path: Path) -> None:
    numbers, known = count(1), {}
    for _ in range(SERVICE_KILLS):
        acknowledged, enough = {}, Event()
        with running_service(tmp_path) as service, ThreadPoolExecutor(WRITERS) as pool:
            for _ in range(WRITERS):
                pool.submit(load, service, numbers, acknowledged, enough)
            assert enough.wait(60)
            service.process.kill()
        assert not acknowledged.keys() & known.keys()
        known |= acknowledged
    assert len(known) >= SERVICE_KILLS * ACKNOWLEDGED_BEFORE_A_KILL
    with running_service(tmp_path) as service:
        assert service.stop() == 0
    with closing(sqlite3.connect(tmp_path / "pets.db")) as database:
        found = dict(database.execute("SELECT id, CAST(name AS TEXT) FROM pets"))
    assert known.items() <= found.items()


IMPORT_KILLS = times(30)
LINES = 13  # that stand in the file more, before each kill
TWINS = 3  # lines of one name
REFUSED = ("refused-1", "refused-2", "refused-3")  # whatever comes
NO = b'{"code": "invalid_value", "message": "name: no", "status": 400}'
ANSWERED = 300  # of about 350 requests


class Arrivals:
    """Counts the adds that arrive, and tells when there are so many more."""

    def __init__(self) -> None:
        self.count = 0
        self._awaited = 0
        self._has_arrived = asyncio.Event()

    async def more(self, count: int) -> None:
        self._has_arrived.clear()
        self._awaited = self.count + count
        await self._has_arrived.wait()

    def note(self) -> None:
        self.count += 1
        if self.count >= self._awaited:
            self._has_arrived.set()


class AwaitedService(FaultyService):
    """Tells when adds arrive."""

    def __init__(self, random: Random) -> None:
        super().__init__(random, answered=ANSWERED)
        self.arrivals = Arrivals()

    async def _add(self, writer: asyncio.StreamWriter, fault: str, pet: dict[str, Any]) -> bool:
        if pet["name"] in REFUSED:
            return await self._send(writer, 400, NO)
        self.arrivals.note()
        return await super()._add(writer, fault, pet)


class AwaitedProxy(ChaoticProxy):
    """Tells when adds arrive on their way to a real service."""

    def __init__(self, random: Random, services: Callable[[], Sequence[Address]]) -> None:
        super().__init__(random, services)
        self.arrivals = Arrivals()

    def _fault(self) -> str:
        self.arrivals.note()
        return super()._fault()


@dataclass
class Importer:
    """Runs the installed command on a file, again and again."""

    arrivals: Arrivals
    environment: Mapping[str, str]
    file: Path
    random: Random
    most_arrived: int = 10  # before a kill
    kills: int = 0
    kills_while_sending: int = 0

    def write(self, names: list[str]) -> None:
        self.file.write_text("name,category\n" + "".join(f"{name},3\n" for name in names))

    async def run(self, *, is_killed: bool = False) -> int:
        process = await asyncio.create_subprocess_exec(
            *(PROGRAM, "import", str(self.file), "--quiet"),
            env=self.environment,
            stderr=asyncio.subprocess.PIPE,
        )
        killing = asyncio.create_task(self._kill(process)) if is_killed else None
        _, errors = await process.communicate()
        if killing is not None:
            killing.cancel()
            with suppress(asyncio.CancelledError):
                await killing
        assert process.returncode in (0, 3, 4, -9), errors.decode()
        return process.returncode

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        """Kill at any moment: before anything is sent, too, and while something is on its way."""
        if self.random.random() < 0.2:
            await asyncio.sleep(self.random.uniform(0, 1))
        else:
            await self.arrivals.more(self.random.randint(1, self.most_arrived))
            await asyncio.sleep(self.random.uniform(0, 0.03))
            self.kills_while_sending += 1
        with suppress(ProcessLookupError):
            # Not process.kill(): of an importer that has just ended it takes the exit code, and
            # asyncio then says 255 in its place.
            os.kill(process.pid, signal.SIGKILL)
        self.kills += 1

    def results(self) -> list[tuple[str, str, str]]:
        """Return name, outcome and id of each line."""
        text = self.file.with_name(f"{self.file.stem}.result.csv").read_text()
        return [(r["name"], r["outcome"], r["id"]) for r in csv.DictReader(text.splitlines())]


def check_import(service: FaultyService, results: list[tuple[str, str, str]]) -> Counter[str]:
    """Check the store beside a result; return how often each outcome came."""
    ids = {str(pet["id"]): pet["name"] for pet in service.pets}
    in_store = Counter(ids.values())
    surely = Counter(name for name, outcome, _ in results if outcome.startswith("added"))
    perhaps = Counter(name for name, outcome, _ in results if outcome == "unknown")
    for name, outcome, pet_id in results:
        assert outcome in ("added", "added earlier", "refused", "unknown")
        assert surely[name] <= in_store[name] <= surely[name] + perhaps[name], name
        assert (ids[pet_id] == name) if pet_id else outcome in ("refused", "unknown")
    given = [pet_id for *_, pet_id in results if pet_id]
    assert len(set(given)) == len(given)
    assert set(in_store) <= {name for name, *_ in results}
    return Counter(outcome for _, outcome, _ in results)


async def test_every_line_is_in_the_store_once_or_refused_or_unknown(
    environment: Mapping[str, str], home: Path
) -> None:
    random = Random(5)
    async with AwaitedService(random) as service:
        its = {**environment, "PETTUI_BASE_URL": service.address, "PETTUI_API_KEY": KEY}
        importer = Importer(service.arrivals, its, home / "animals.csv", random)
        names = [f"animal-{number}" for number in range(LINES * IMPORT_KILLS)] + ["twin"] * TWINS
        random.shuffle(names)
        while importer.kills < IMPORT_KILLS or importer.kills_while_sending < IMPORT_KILLS / 2:
            importer.write(names[: LINES * (importer.kills + 1)])
            await importer.run(is_killed=True)

        # Only now: what is refused is sent by each run, and would be lost by one of many.
        importer.write([*names, *REFUSED])
        await importer.run()
        while "not sent" in {outcome for _, outcome, _ in importer.results()}:
            await importer.run()  # the service did not answer at the start
        outcomes = check_import(service, importer.results())
        assert outcomes["refused"]
        print(f"\n{importer.kills} kills: {dict(outcomes)}")


PROMISED_LINES = times(840)


async def test_every_line_is_in_a_store_that_promises_it_once_and_none_is_unknown(
    environment: Mapping[str, str], home: Path, tmp_path: Path
) -> None:
    """Behind all that goes wrong, to a service that is killed, too."""
    random = Random(5)
    names = [f"animal-{number}" for number in range(PROMISED_LINES - TWINS)] + ["twin"] * TWINS
    random.shuffle(names)
    async with (
        killed_again_and_again(tmp_path, random, every=4.0) as services,
        AwaitedProxy(random, services) as proxy,
    ):
        its = {**environment, "PETTUI_BASE_URL": proxy.base_url, "PETTUI_API_KEY": KEY}
        arrivals = proxy.arrivals
        most = PROMISED_LINES // 12
        importer = Importer(arrivals, its, home / "animals.csv", random, most)
        importer.write(names)
        while arrivals.count < PROMISED_LINES:
            await importer.run(is_killed=True)
        while await importer.run() != 0:
            assert arrivals.count < 10 * PROMISED_LINES
    assert importer.kills >= 5
    assert importer.kills_while_sending >= importer.kills / 2
    with closing(sqlite3.connect(tmp_path / "pets.db")) as database:
        stored = dict(database.execute("SELECT id, CAST(name AS TEXT) FROM pets"))
    assert Counter(stored.values()) == Counter(names)
    outcomes = importer.results()
    assert {outcome for _, outcome, _ in outcomes} <= {"added", "added earlier"}
    assert {int(pet_id): name for name, _, pet_id in outcomes} == stored
    print(f"\n{importer.kills} kills, {arrivals.count} requests for {len(names)} lines")


ANIMALS, A_LIFE, SECONDS, KILLS = (500, 150, 8.0, 5) if WHOLE else (50, 40, 4.0, 2)
END, F3, F5 = "\x1b[F", "\x1bOR", "\x1b[15~"


@dataclass
class Clerk:
    """Types animal after animal, and restarts the app whenever it was killed."""

    service: FaultyService
    environment: Mapping[str, str]
    random: Random
    outbox: Path
    kills: int = 0
    drafts: int = 0  # that were cut off in the middle and came back

    def type_all(self) -> None:
        while (typed := self.typed()) < ANIMALS:
            self.type_until_killed(typed + 1)
            self.kills += 1
        terminal = self.open()
        while waiting := len(self.on_the_way()):
            terminal.press(F5)  # after each response that never came the backoff is longer
            terminal.wait_until(
                lambda waiting=waiting: len(self.on_the_way()) < waiting, "fewer are waiting"
            )
        terminal.quit()
        terminal.close()

    def open(self) -> Terminal:
        terminal = Terminal([PROGRAM], self.environment)
        terminal.wait_for("SERVICE", "127.0.0.1")
        terminal.press("a")
        terminal.wait_for("Add an animal")
        return terminal

    def type_until_killed(self, number: int) -> None:
        draft = self.draft()
        terminal = self.open()
        if draft.is_typed:
            terminal.wait_for("half typed")
            terminal.press(F3)
            terminal.wait_for("draft of", draft.name)
        self.drafts += bool(draft.name)
        name = f"animal-{number}"
        assert name.startswith(draft.name), f"{draft} was put aside, before {name}"
        first = (END, name.removeprefix(draft.name), *(() if draft.category else ("\t", "3")))
        others = [f"animal-{other}" for other in range(number + 1, ANIMALS + 1)]
        terminal.press("".join(first), ENTER)
        terminal.press(*(f"{other}{ENTER}" for other in others[: self.random.randint(1, A_LIFE)]))
        kill_at = time.monotonic() + self.random.uniform(0, SECONDS)
        terminal.wait_until(lambda: time.monotonic() >= kill_at, "the moment to kill it")
        terminal.kill(signal.SIGKILL)
        terminal.process.wait()
        terminal.close()

    def typed(self) -> int:
        """Check that what was accepted so far has no gap, and return how many that is."""
        names = {entry.name for entry in self.entries()}
        names |= {pet["name"] for pet in self.service.pets}
        assert names == {f"animal-{number}" for number in range(1, len(names) + 1)}
        return len(names)

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of the outbox while no app runs."""
        store = DirectoryEntryStore(self.outbox)
        entries = store.load().entries
        store.close()
        return entries

    def draft(self) -> Draft:
        """Return what the next app will find as its only draft, and leave it there."""
        store = DirectoryEntryStore(self.outbox)
        store.take_over_drafts()
        typed = [draft for draft in store.drafts.values() if draft.is_typed]
        left = [draft for draft in store.drafts.values() if draft.is_kept]
        store.close()
        assert len(typed) <= 1
        return (typed or left or [Draft()])[0]

    def on_the_way(self) -> list[Path]:
        return [*self.outbox.glob("*.waiting.json"), *self.outbox.glob("*.sending.json")]


async def test_what_was_typed_is_in_the_store_once_or_unknown_in_the_outbox(
    environment: dict[str, str], home: Path, tmp_path: Path
) -> None:
    random = Random(5)
    (tmp_path / "config.toml").write_text("delay = 0.05\n")
    environment["PETTUI_API_KEY"] = "a-key"
    environment["PETTUI_CONFIG"] = str(tmp_path / "config.toml")
    async with FaultyService(random) as service:
        environment["PETTUI_BASE_URL"] = service.address
        outbox = outbox_directory(home / ".local/state/pettui", "local", "service", service.address)
        clerk = Clerk(service, environment, random, outbox)
        await asyncio.to_thread(clerk.type_all)
    check_clerk(clerk)


def check_clerk(clerk: Clerk) -> None:
    stands = {entry.name: entry.state for entry in clerk.entries()}
    added = Counter(pet["name"] for pet in clerk.service.pets)
    ends: Counter[str] = Counter()
    for number in range(1, ANIMALS + 1):
        name = f"animal-{number}"
        state = stands.get(name, EntryState.ADDED)  # of the added ones only the newest stay
        # F5 in the form sends one again that the service refused.
        sent = clerk.service.arrived[name] - clerk.service.refused[name]
        assert sent <= 1, f"{name} was sent twice"
        decided_later = (EntryState.REFUSED, EntryState.UNKNOWN)
        assert state in (EntryState.ADDED, *decided_later)
        assert added[name] == 1 or state in decided_later, f"{name} is lost"
        ends[f"{state.value}, there" if added[name] else state.value] += 1
    print(f"\n{clerk.kills} kills, {clerk.drafts} drafts in the middle, {dict(ends)}")
    assert clerk.kills >= KILLS
    assert sum(ends.values()) == ANIMALS
