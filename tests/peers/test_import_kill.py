"""An import under kill -9, by a service that drops, delays and doubles answers.

Run again until it is through, every line is in the store exactly once, or refused or unknown in the
result; corrected and run again, nothing is there twice.
"""

from __future__ import annotations

import asyncio
import csv
import os
import signal
from collections import Counter
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.conftest import PROGRAM
from tests.exhaustive import times
from tests.peers.faulty_service import FaultyService
from tests.service.running_service import KEY

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.exhaustive

KILLS = times(30)
LINES = 13  # that stand in the file more, before each kill
TWINS = 3  # lines of one name
REFUSED = frozenset({"refused-1", "refused-2", "refused-3"})  # whatever comes
NO = b'{"code": "invalid_value", "message": "name: no", "status": 400}'
ANSWERED = 300  # of about 350 requests


class AwaitedService(FaultyService):
    """Tells when so many animals more have arrived."""

    def __init__(self, random: Random) -> None:
        super().__init__(random, answered=ANSWERED)
        self._awaited = 0
        self._has_arrived = asyncio.Event()

    async def more_arrived(self, count: int) -> None:
        self._has_arrived.clear()
        self._awaited = self.arrived.total() + count
        await self._has_arrived.wait()

    async def _add(self, writer: asyncio.StreamWriter, fault: str, pet: dict[str, Any]) -> bool:
        if pet["name"] in REFUSED:
            return await self._send(writer, 400, NO)
        if self.arrived.total() + 1 >= self._awaited:
            self._has_arrived.set()
        return await super()._add(writer, fault, pet)


class Importer:
    """Runs the installed command on a file, again and again."""

    def __init__(self, service: AwaitedService, home: Path, random: Random) -> None:
        self.file = home / "animals.csv"
        self.kills = 0
        self.kills_while_sending = 0
        self._service = service
        self._random = random
        self._environment = {
            "HOME": str(home),
            "XDG_STATE_HOME": str(home / "state"),
            "PETTUI_BASE_URL": service.address,
            "PETTUI_API_KEY": KEY,
        }

    async def run(self, *options: str, is_killed: bool = False) -> int:
        process = await asyncio.create_subprocess_exec(
            *(PROGRAM, "import", str(self.file), "--quiet", *options),
            env=self._environment,
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
        if self._random.random() < 0.2:
            await asyncio.sleep(self._random.uniform(0, 1))
        else:
            await self._service.more_arrived(self._random.randint(1, 10))
            await asyncio.sleep(self._random.uniform(0, 0.03))
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


def check(service: FaultyService, results: list[tuple[str, str, str]]) -> Counter[str]:
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


def write(file: Path, names: list[str]) -> None:
    file.write_text("name,category\n" + "".join(f"{name},3\n" for name in names))


async def import_despite_kills(importer: Importer, names: list[str]) -> None:
    """Import ever more lines; each import is killed."""
    while importer.kills < KILLS:
        write(importer.file, names[: LINES * (importer.kills + 1)])
        await importer.run(is_killed=True)
    assert importer.kills_while_sending >= KILLS / 2


async def import_to_the_end(importer: Importer, names: list[str]) -> list[tuple[str, str, str]]:
    """Import all lines and those that are refused; return the result of each."""
    # Only now: what is refused is sent by each run, and would be lost by one of many.
    write(importer.file, [*names, *sorted(REFUSED)])
    while True:  # a service that does not answer at the start costs another run
        await importer.run()
        results = importer.results()
        if "not sent" not in {outcome for _, outcome, _ in results}:
            return results


def corrected(name: str, outcome: str) -> str:
    """Return a name that is not refused: the response of a refusal may have been lost, too."""
    return f"{name}-corrected" if outcome == "refused" or name in REFUSED else name


async def test_every_line_is_in_the_store_once_or_refused_or_unknown(tmp_path: Path) -> None:
    random = Random(5)
    service = AwaitedService(random)
    service.open()
    try:
        importer = Importer(service, tmp_path, random)
        names = [f"animal-{number}" for number in range(LINES * KILLS)] + ["twin"] * TWINS
        random.shuffle(names)
        await import_despite_kills(importer, names)
        results = await import_to_the_end(importer, names)
        outcomes = check(service, results)
        assert outcomes["refused"]
        print(f"\n{importer.kills} kills: {dict(outcomes)}")
        service.faulty = False

        # Corrected, in another order and by another name, with a line more; and run again.
        names = [corrected(name, outcome) for name, outcome, _ in results]
        new = [name for name in names if name.endswith("-corrected")] + ["animal-of-today"]
        names.append("animal-of-today")
        random.shuffle(names)
        importer.file = tmp_path / "corrected.csv"
        write(importer.file, names)
        before = service.arrived.copy()
        exit_code = await importer.run()
        assert (service.arrived - before) == Counter(new)
        outcomes = check(service, importer.results())
        assert exit_code == (3 if outcomes["unknown"] else 0)
    finally:
        await service.close()
