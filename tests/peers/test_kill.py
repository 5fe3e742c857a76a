"""kill -9 at random moments: of the service, of imports, and of the app into which animals are typed.

Imports and the app have a proxy before them that drops, delays and doubles what it forwards.
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
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.outbox.entries import Draft, Entry, EntryState
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.exhaustive import WHOLE, times
from tests.outbox.on_disk import entries_in, outbox_directory
from tests.peers.chaotic_proxy import CALM, CUTS, FAULTS, ChaoticProxy
from tests.peers.terminal import ENTER, PROGRAM, Terminal
from tests.peers.test_chaos import killed_again_and_again
from tests.service.running_service import KEY, RunningService, running_service

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


pytestmark = pytest.mark.exhaustive

WRITERS = 16
SERVICE_KILLS = 4
ACKNOWLEDGED_BEFORE_A_KILL = 150


def stored(database: Path) -> dict[int, str]:
    """Return the animals of a store by their ids."""
    with closing(sqlite3.connect(database)) as connection:
        return dict(connection.execute("SELECT id, CAST(name AS TEXT) FROM pets"))


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
    assert known.items() <= stored(tmp_path / "pets.db").items()


IMPORT_KILLS = times(60)
LINES = times(840)
TWINS = 3  # of them, of one name


@dataclass
class Importer:
    """Runs the installed command on a file, again and again."""

    proxy: ChaoticProxy
    environment: Mapping[str, str]
    file: Path
    random: Random
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
            await self.proxy.more_arrived(self.random.randint(1, LINES // 12))
            await asyncio.sleep(self.random.uniform(0, 0.03))
            self.kills_while_sending += 1
        with suppress(ProcessLookupError):
            # Not process.kill(): of an importer that has just ended it takes the exit code, and
            # asyncio then says 255 in its place.
            os.kill(process.pid, signal.SIGKILL)
        self.kills += 1

    def results(self) -> list[tuple[str, str, str]]:
        """Return name, outcome and id of each line."""
        file = self.file.with_name(f"{self.file.stem}.result.csv")
        if not file.exists():  # the service never answered at a start
            return [("", "not sent", "")]
        text = file.read_text()
        return [(r["name"], r["outcome"], r["id"]) for r in csv.DictReader(text.splitlines())]


@pytest.mark.parametrize("drops_headers", [False, True])
async def test_every_line_is_in_the_store_once_or_unknown_where_nothing_is_promised(
    environment: Mapping[str, str], home: Path, tmp_path: Path, drops_headers: bool
) -> None:
    """Behind all that goes wrong, to a service that is killed, too."""
    random = Random(5)
    names = [f"animal-{number}" for number in range(LINES - TWINS)] + ["twin"] * TWINS
    random.shuffle(names)
    faults = CUTS if drops_headers else FAULTS
    async with (
        killed_again_and_again(tmp_path, random, every=4.0) as services,
        ChaoticProxy(random, services, faults, drops_headers=drops_headers) as proxy,
    ):
        its = {**environment, "PETTUI_BASE_URL": proxy.base_url, "PETTUI_API_KEY": KEY}
        importer = Importer(proxy, its, home / "animals.csv", random)
        importer.write(names)
        code = -9
        while code == -9 or "not sent" in {outcome for _, outcome, _ in importer.results()}:
            code = await importer.run(is_killed=importer.kills < IMPORT_KILLS)
            assert proxy.arrived < 10 * LINES
    assert importer.kills_while_sending >= importer.kills / 2
    in_store = stored(tmp_path / "pets.db")
    check_import(importer.results(), in_store)
    if not drops_headers:
        assert Counter(in_store.values()) == Counter(names)
    print(f"\n{importer.kills} kills, {proxy.arrived} requests for {len(names)} lines")


def check_import(results: list[tuple[str, str, str]], in_store: dict[int, str]) -> None:
    count = Counter(in_store.values())
    surely = Counter(name for name, outcome, _ in results if outcome.startswith("added"))
    perhaps = Counter(name for name, outcome, _ in results if outcome == "unknown")
    assert surely.total() + perhaps.total() == LINES
    for name in {*surely, *perhaps, *count}:
        assert surely[name] <= count[name] <= surely[name] + perhaps[name], name
    given = [(int(pet_id), name) for name, _, pet_id in results if pet_id]
    assert len(dict(given)) == len(given)
    assert dict(given).items() <= in_store.items()


ANIMALS, A_LIFE, SECONDS, KILLS = (500, 150, 8.0, 5) if WHOLE else (50, 40, 4.0, 2)
END, F3, F5 = "\x1b[F", "\x1bOR", "\x1b[15~"


@dataclass
class Clerk:
    """Types animal after animal, and restarts the app whenever it was killed."""

    database: Path
    environment: Mapping[str, str]
    random: Random
    outbox: Path
    kills: int = 0
    drafts: int = 0  # that were cut off in the middle and came back

    def type_all(self) -> None:
        while (typed := self.typed()) < ANIMALS:
            self.type_until_killed(typed + 1)
            self.kills += 1

    def wait_for_the_rest(self) -> None:
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
        terminal.open_form()
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
        names = {entry.name for entry in self.entries()} | {*stored(self.database).values()}
        assert names == {f"animal-{number}" for number in range(1, len(names) + 1)}
        return len(names)

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of the outbox while no app runs."""
        return entries_in(self.outbox)

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


async def test_what_was_typed_is_in_the_store_once(
    environment: dict[str, str], home: Path, tmp_path: Path
) -> None:
    random = Random(5)
    (tmp_path / "config.toml").write_text("delay = 0.05\n")
    environment["PETTUI_API_KEY"] = KEY
    environment["PETTUI_CONFIG"] = str(tmp_path / "config.toml")
    with running_service(tmp_path) as service:
        async with ChaoticProxy(random, lambda: [service.address]) as proxy:
            environment["PETTUI_BASE_URL"] = proxy.base_url
            state = home / ".local/state/pettui"
            outbox = outbox_directory(state, "local", "service", proxy.base_url)
            clerk = Clerk(tmp_path / "pets.db", environment, random, outbox)
            await asyncio.to_thread(clerk.type_all)
            proxy.faults = CALM
            await asyncio.to_thread(clerk.wait_for_the_rest)
    names = Counter(stored(clerk.database).values())
    assert names == Counter(f"animal-{number}" for number in range(1, ANIMALS + 1))
    assert {entry.state for entry in clerk.entries()} == {EntryState.ADDED}
    assert clerk.kills >= KILLS
    print(f"\n{clerk.kills} kills, {clerk.drafts} drafts in the middle")
