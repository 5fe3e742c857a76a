"""Lines a second of an import, beside a bare loop of httpx POSTs with the same parallelism.

``python -m tests.benchmarks.bench_import [--lines 10000] [--rounds 5] [--parallel 4]``

Both send the same animals to one ``pettui serve`` on loopback, in turn, a part of the lines in each
round, so that other load on the machine affects both; the ratio is the median of these rounds.
Each has a process of its own. The bare loop is an ``httpx.AsyncClient`` with its connections kept;
the import is everything that ``pettui import`` does once the file was read: the journal on a disk,
its syncs, the client with its checks, the progress; from opening the journal to closing it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from uuid import uuid4

from tests.service.running_service import KEY, running_service


async def bare(base_url: str, parallel: int, animals: list[str]) -> None:
    import httpx

    headers = {"Authorization": f"Bearer {KEY}"}
    limits = httpx.Limits(max_connections=parallel)
    remaining = iter(animals)
    async with httpx.AsyncClient(headers=headers, limits=limits, trust_env=False) as client:

        async def post() -> None:
            for name in remaining:
                body = {"name": name, "categoryId": 3}
                response = await client.post(f"{base_url}/pets", json=body)
                assert response.status_code == 201
                response.json()

        await asyncio.gather(*(post() for _ in range(parallel)))


async def imported(base_url: str, parallel: int, animals: list[str], directory: Path) -> None:
    from pettui.client import PetClient
    from pettui.models.pets import NewPet
    from pettui.transfer.import_run import ImportOptions, ImportRun
    from pettui.transfer.journal import Journal
    from pettui.transfer.lines import GoodLine, Position
    from pettui.transfer.results import OutcomeKind
    from pettui.transfer.runs import numbered_lines

    lines = numbered_lines(
        GoodLine(Position(number), NewPet(name=name, category_id=3))
        for number, name in enumerate(animals, start=2)
    )
    client = PetClient(base_url, KEY)
    journal = Journal.open(directory, base_url)
    try:
        options = ImportOptions(parallel=parallel)
        outcomes = await ImportRun(client, journal, lines, options, lambda _: None).run()
        assert {outcome.kind for outcome in outcomes} == {OutcomeKind.ADDED}
    finally:
        journal.close()
        await client.aclose()


def send(arguments: argparse.Namespace) -> None:
    """Send as many animals as each line of standard input says; print the seconds, wall and CPU."""
    for line in sys.stdin:
        animals = [f"{arguments.what} {uuid4()}" for _ in range(int(line))]
        begun, begun_cpu = time.perf_counter(), time.process_time()
        if arguments.what == "bare":
            asyncio.run(bare(arguments.base_url, arguments.parallel, animals))
        else:
            directory = Path(arguments.directory)
            asyncio.run(imported(arguments.base_url, arguments.parallel, animals, directory))
        took = time.perf_counter() - begun, time.process_time() - begun_cpu
        print(json.dumps(took), flush=True)


class Sender:
    """A process that sends, and how long it took for each animal."""

    def __init__(self, what: str, parallel: int, base_url: str, directory: Path) -> None:
        words = [what, f"--base-url={base_url}", f"--parallel={parallel}", "--directory", directory]
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.bench_import", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip

    def send(self, count: int) -> None:
        self.process.stdin.write(f"{count}\n")
        seconds, cpu = json.loads(self.process.stdout.readline())
        self.seconds.append(seconds / count)
        self.cpu.append(cpu / count)


def compare(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as running:
        service = running.enter_context(running_service(Path(temporary)))
        senders = [
            Sender(what, arguments.parallel, service.base_url, Path(temporary, "imports"))
            for what in ("bare", "import")
        ]
        for sender in senders:
            running.enter_context(sender.process)
            sender.send(50)  # so that everything is imported
        for number in range(arguments.rounds):
            for sender in senders if number % 2 else reversed(senders):
                sender.send(arguments.lines // arguments.rounds)
    loop, ours = senders
    ratio, by_cpu = (
        median(one / other for one, other in zip(*pair, strict=True))
        for pair in ((loop.seconds[1:], ours.seconds[1:]), (loop.cpu[1:], ours.cpu[1:]))
    )
    for name, sender in (("a bare loop", loop), ("an import", ours)):
        print(f"a line of {name}: {median(sender.cpu[1:]) * 1000:.2f} ms CPU")
    print(f"ratio of the rates: {ratio:.2f} (of CPU: {by_cpu:.2f})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", default="compare", choices=["compare", "bare", "import"])
    parser.add_argument("--base-url")
    parser.add_argument("--directory")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parallel", type=int, default=4)
    given = parser.parse_args()
    (compare if given.what == "compare" else send)(given)
