"""What keys cost on the list, by how many rows are loaded: from the key to what it drew.

``python -m tests.benchmarks.bench_list [--sizes 100 10000] [--rounds N]``

All is CPU time, p50 and p99, with garbage collected as the program does. Each app runs in a process
of its own, and they take turns: other load on the machine affects all.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import median
from typing import TYPE_CHECKING

from pettui.system.idle_collection import IDLE, IdleCollection, collect_young_objects_alone
from tests.benchmarks.measuring import p99
from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import Response, ScriptedService, pet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from multiprocessing.connection import Connection

PAGE = 100
NAMES = ("Luna", "Rex", "Mimi", "Señor", "猫", "Strauß", "Ægir", "Bello")
STATUSES = ("available", "pending", "sold", None)


@dataclass(frozen=True)
class Step:
    """Keys that are pressed one after the other, each of them measured."""

    name: str
    keys: Sequence[str]
    first: Sequence[str] = ()  # before them, and not measured


STEPS = (
    Step("down and up", ["j", "k"] * 20),
    Step("a page down and up", ["pagedown", "pageup"] * 15),
    Step("the end and the top", ["G", "g"] * 15),
    Step("a letter in the line", ["l", "backspace"] * 15, ["slash"]),
    Step("a second letter", ["u", "backspace"] * 15, ["l"]),
    Step("down, found", ["j", "k"] * 15, ["enter"]),
    Step("sort by the next column", ["s"] * 20, ["escape"]),
    Step("the other direction, by name", ["S"] * 20, ["s", "s"]),
    Step("down, sorted", ["j", "k"] * 15),
)
TO_THE_FIRST_STEP = ("s", "s", "s", "g")  # the service's own order


def service_of(size: int) -> ScriptedService:
    """Return a service that lists this many animals, in pages of 100."""
    names = (f"{random.choice(NAMES)} {random.randint(1, 999)}" for _ in range(size))
    animals = [
        pet(size - number, name, random.randint(1, 12), status=random.choice(STATUSES))
        for number, name in enumerate(names)
    ]
    service = ScriptedService([])
    for start in range(0, size, PAGE):
        link = f'</v1/pets?limit={PAGE}&cursor={start}>; rel="next"'
        headers = (("link", link),) if start + PAGE < size else ()
        service.next("listPets", Response(body=animals[start : start + PAGE], headers=headers))
    return service


def measure_keys(sizes: Iterable[int], rounds: int) -> dict[int, dict[str, list[float]]]:
    """Return the milliseconds that a process worked for each key, by size and step."""
    took: dict[int, dict[str, list[float]]] = {}
    spawning = get_context("spawn")
    with ExitStack() as opened:
        apps: dict[int, Connection] = {}
        for size in sizes:
            here, there = spawning.Pipe()
            process = spawning.Process(target=_run, args=(size, there))
            process.start()
            there.close()
            opened.callback(process.join)
            opened.callback(here.send, False)
            apps[size] = here
            here.recv()  # all rows are loaded
            took[size] = defaultdict(list)
        for _ in range(rounds):
            for size, app in apps.items():
                app.send(True)
                for name, times in app.recv().items():
                    took[size][name] += times
    return took


def _run(size: int, turns: Connection) -> None:
    random.seed(1)
    asyncio.run(_take_turns(size, turns))


async def _take_turns(size: int, turns: Connection) -> None:
    async with open_app(service_of(size), limit=PAGE, size=(120, 50)) as driver:
        gc.collect()
        gc.freeze()  # as the program does once its first screen stands
        collect_young_objects_alone()
        collection = IdleCollection()
        if size > PAGE:
            await driver.press("M")
            await driver.until(lambda: len(driver.screen.table.rows) == size)
            await driver.settled()
        turns.send(None)
        while await asyncio.to_thread(turns.recv):
            turns.send(await _round(driver, collection))
            await asyncio.sleep(IDLE)
            collection.collect_if_time()


async def _round(driver: Driver, collection: IdleCollection) -> dict[str, list[float]]:
    took: dict[str, list[float]] = defaultdict(list)
    for step in STEPS:
        await driver.press(*step.first)
        for key in step.keys:
            collection.typed()
            started = time.process_time()  # other load on the machine is not in it
            await driver.press(key)
            took[step.name].append((time.process_time() - started) * 1000)
            collection.collect_if_time()
    await driver.press(*TO_THE_FIRST_STEP)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 10_000])
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    took = measure_keys(sorted(given.sizes), given.rounds)
    first, last = took[min(given.sizes)], took[max(given.sizes)]
    print(f"{'milliseconds, p50 and p99':36}" + "".join(f"{size:>16,}" for size in took))
    for name in first:
        times = [by_step[name] for by_step in took.values()]
        figures = "".join(f"{f'{median(each):.2f} {p99(each):.2f}':>16}" for each in times)
        ratios = (rank(last[name]) / rank(first[name]) for rank in (median, p99))
        print(f"{name:36}{figures}   {' '.join(f'{ratio:.2f}' for ratio in ratios)} times")


if __name__ == "__main__":
    main()
