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
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.service.running_service import KEY, running_service

PARALLEL = 4


def names(first: int, count: int, prefix: str) -> list[str]:
    return [f"{prefix} {number}" for number in range(first, first + count)]


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
    from pettui.models import NewPet
    from pettui.transfer.import_run import ImportOptions, ImportRun
    from pettui.transfer.journal import Journal, numbered_lines
    from pettui.transfer.lines import GoodLine, Position
    from pettui.transfer.results import OutcomeKind

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
    """Send the animals that each line of standard input names; print the seconds, wall and CPU."""
    for line in sys.stdin:
        first, count = json.loads(line)
        animals = names(first, count, arguments.what)
        begun, begun_cpu = time.perf_counter(), time.process_time()
        if arguments.what == "bare":
            asyncio.run(bare(arguments.base_url, arguments.parallel, animals))
        else:
            directory = Path(arguments.directory)
            asyncio.run(imported(arguments.base_url, arguments.parallel, animals, directory))
        took = time.perf_counter() - begun, time.process_time() - begun_cpu
        print(json.dumps(took), flush=True)


def sender(what: str, base_url: str, parallel: int, directory: Path) -> subprocess.Popen[str]:
    words = [what, "--base-url", base_url, "--parallel", str(parallel)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.bench_import", *words, "--directory", directory],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def took(process: subprocess.Popen[str], first: int, count: int) -> tuple[float, float]:
    process.stdin.write(json.dumps([first, count]) + "\n")
    process.stdin.flush()
    return tuple(json.loads(process.stdout.readline()))


def compare(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        with running_service(directory) as service:
            senders = {
                what: sender(what, service.base_url, arguments.parallel, directory / "imports")
                for what in ("bare", "import")
            }
            for process in senders.values():
                took(process, 0, 50)  # so that everything is imported
            rounds = [_round(senders, number, arguments) for number in range(arguments.rounds)]
            for process in senders.values():
                process.stdin.close()
                process.wait()
                process.stdout.close()
    ratios = [each["bare"][0] / each["import"][0] for each in rounds]
    cpu = [each["bare"][1] / each["import"][1] for each in rounds]
    print(
        f"ratio of the rates: {statistics.median(ratios):.2f} (of CPU: {statistics.median(cpu):.2f})"
    )


def _round(senders: dict[str, Any], number: int, arguments: argparse.Namespace) -> dict[str, Any]:
    count = arguments.lines // arguments.rounds
    order = list(senders) if number % 2 else list(reversed(senders))
    result = {what: took(senders[what], 1000 + number * count, count) for what in order}
    for what, (seconds, cpu) in sorted(result.items()):
        print(f"{what}: {count / seconds:.0f} a second, {cpu / count * 1000:.2f} ms CPU each")
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", default="compare", choices=["compare", "bare", "import"])
    parser.add_argument("--base-url")
    parser.add_argument("--directory")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parallel", type=int, default=PARALLEL)
    given = parser.parse_args()
    (compare if given.what == "compare" else send)(given)
