"""What ``bench_ssh`` measures of a server: many people who type, and many who come at once."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.benchmarks.ssh_load import Load

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.ssh_servers import Target

ONE_BY_ONE = 9  # who come first, so that a connection is measured alone
AT_ONCE = 8  # who come at a time after them
SETTLED = 3.0  # seconds after a start, or after the last came in
IDLE = 40.0  # seconds in which nobody types; silent clients are asked for a reply after thirty
KEYS = 10  # of each person
INSIDE, INSIDE_EVERY = 50, 0.5  # who type while more than they come, and the seconds between keys
BEFORE = 5.0  # seconds in which only they are there

Samples = defaultdict[str, list[float]]


@dataclass(frozen=True)
class People:
    count: int
    every: float
    kinds: int = 1  # of their terminals

    @property
    def title(self) -> str:
        return f"{self.count:,} people{_on(self.kinds)}, a key each {self.every:g} s"


@dataclass(frozen=True)
class Burst:
    count: int
    kinds: int = 1  # of their terminals; those who are there before have the first of them

    @property
    def inside(self) -> int:
        return INSIDE if self.count > INSIDE else 0

    @property
    def title(self) -> str:
        beside = f", beside {self.inside} who type" if self.inside else ""
        return f"{self.count:,} people at once{_on(self.kinds)}{beside}"


def _on(kinds: int) -> str:
    return f" on {kinds} kinds of terminals" if kinds > 1 else ""


def measure_people(target: Target, home: Path, people: People, found: Samples) -> None:
    """Measure a server that was just started, until all have left again."""
    time.sleep(SETTLED)
    empty = target.memory()
    with Load(target, home) as load:
        load.ask(f"kinds {people.kinds}")
        alone = load.ask(f"open {min(ONE_BY_ONE, people.count)} 1")
        others = load.ask(f"open {max(people.count - ONE_BY_ONE, 0)} {AT_ONCE}")
        time.sleep(SETTLED)
        full = target.memory()
        began = target.processor()
        time.sleep(IDLE)
        found["idle"].append((target.processor() - began) / IDLE * 100)
        began = target.processor()
        load.say(f"type {people.every}")
        time.sleep(people.every * KEYS)
        typed = load.ask("")
        used = target.processor() - began
        load.ask("leave")
    keys = len(typed.latencies)
    found["first animals"] += alone.ready
    found["latencies"] += typed.latencies
    found["failed"].append(dropped(alone.failed + others.failed + typed.failed))
    found["processor"].append(used / keys * 1000)
    found["load"].append(typed.cpu / (typed.cpu + used) * 100)
    found["bytes"].append(typed.bytes / keys)
    found["empty"].append(empty)
    found["full"].append(full)
    found["memory a session"].append((full - empty) / people.count)


def measure_burst(target: Target, home: Path, burst: Burst, found: Samples) -> None:
    """Measure how a server that was just started, and had visitors, takes many at once."""
    time.sleep(SETTLED)
    with Load(target, home) as inside, Load(target, home) as outside:
        outside.ask(f"kinds {burst.kinds}")
        failed = inside.ask(f"open {burst.inside or ONE_BY_ONE} {AT_ONCE}").failed
        time.sleep(SETTLED)
        if not burst.inside:
            inside.ask("leave")
            time.sleep(SETTLED)
        inside.say(f"type {INSIDE_EVERY}")
        time.sleep(BEFORE if burst.inside else 0)
        before = inside.ask("")
        inside.say(f"type {INSIDE_EVERY}")
        began = target.processor()
        opened = outside.ask(f"burst {burst.count}")
        used = target.processor() - began
        during = inside.ask("")
    load = opened.cpu + during.cpu
    found["before"] += before.latencies
    found["during"] += during.latencies
    found["last ready"].append(max(opened.ready) / 1000)
    found["last answered"].append(max(opened.answered) / 1000)
    found["failed"].append(dropped(failed + before.failed + during.failed + opened.failed))
    found["load"].append(load / (load + used) * 100)
    if not burst.inside:
        found["processor"].append(used / burst.count * 1000)


def dropped(failed: list[str]) -> int:
    """Print why clients were refused or dropped, and return how many."""
    for reason in sorted(set(failed)):
        print(f"{failed.count(reason)} dropped: {reason}", file=sys.stderr)
    return len(failed)
