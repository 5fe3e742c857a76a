"""``pettui ssh`` in figures, beside two others: CPU, latency and memory of many people.

``python -m tests.benchmarks.bench_ssh`` prints the tables of ``docs/performance.md`` in about fifteen
minutes: 100, 300 and 1,000 people, and bursts of 50, of 50 on a size never seen before and on forty
kinds of terminals, and of 300.
``--quick`` takes less than two. The others are OpenSSH's sshd with ``pettui --demo`` as its
ForceCommand, and an app in Go (wish, Bubble Tea) that draws the same, each where what it needs is
installed.

Every session is a real connection with a handshake and a PTY, of 100 by 30 in true colour if there
is one kind, of clients in another process (``load/main.go``), whose own share of the CPU is in the
tables. In each round all servers are measured one after the other, each just started.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import p99
from tests.benchmarks.ssh_servers import Load, built, pettui, sshd, why_no_sshd, why_not_built, wish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from tests.benchmarks.ssh_servers import Target

    Open = Callable[[Path], AbstractContextManager[Target]]
    Figures = tuple[float, ...]

Samples = defaultdict[str, list[float]]

ONE_BY_ONE = 9  # who come first, so that a connection is measured alone
AT_ONCE = 8  # who come at a time after them
SETTLED = 3.0  # seconds after a start, or after the last came in
IDLE = 40.0  # seconds in which nobody types; silent clients are asked for a reply after thirty
KEYS = 10  # of each person
LATER = 60.0  # seconds from when the last left
INSIDE, INSIDE_EVERY = 50, 0.5  # who type while more than they come, and the seconds between keys
BEFORE = 5.0  # seconds in which only they are there
SSHD_MAXIMUM = 100  # sessions: each is a Python process of 40 MB that starts for half a second


@dataclass(frozen=True)
class Users:
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
    is_new: bool = False  # nobody was there before who had a terminal like theirs

    @property
    def inside(self) -> int:
        return INSIDE if self.count > INSIDE else 0

    @property
    def title(self) -> str:
        beside = f", beside {self.inside} who type" if self.inside else ""
        kinds = ", on terminals of a size never seen before" if self.is_new else _on(self.kinds)
        return f"{self.count:,} people at once{kinds}{beside}"


def _on(kinds: int) -> str:
    return f" on {kinds} kinds of terminals" if kinds > 1 else ""


Scenario = Users | Burst
STANDARD = (
    Users(100, 0.5), Users(300, 2.0), Users(1000, 2.0),
    Burst(50), Burst(50, is_new=True), Burst(50, 40), Burst(300),
)  # fmt: skip
QUICK = (Users(100, 0.5), Burst(50), Burst(50, is_new=True))


CPU, LATENCY, KEY_BYTES = "CPU seconds for 1,000 keys", "key to frame, p50 / p99 ms", "bytes a key"
FIRST, EACH, ALL = "connect to the first animals, median ms", "MB (PSS) a session", "MB in all"
EMPTY, LEFT = "MB before anybody came", "MB a minute after all have left"
REST, FAILED, LOAD = "CPU at rest, %", "dropped", "the load's own share of the CPU, %"
READY = "the last one has its first frame, s"
ANSWERED = "the last one's first key is answered, s"
COMING = "CPU milliseconds for each who comes"
ALONE = f"those inside, a key each {INSIDE_EVERY:g} s, before: p99 ms"
DURING = "those inside, meanwhile: p99 ms"
ROWS = {  # how the samples of each become figures, and their digits
    CPU: ([median], 2), LATENCY: ([median, p99], 0), KEY_BYTES: ([median], 0), FIRST: ([median], 0),
    EACH: ([median], 2), ALL: ([median], 0), EMPTY: ([median], 0), LEFT: ([median], 0),
    REST: ([median], 1), READY: ([median], 2), ANSWERED: ([median], 2), COMING: ([median], 0),
    ALONE: ([p99], 0), DURING: ([p99], 0), FAILED: ([sum], 0), LOAD: ([median], 0),
}  # fmt: skip


def measure_users(target: Target, home: Path, users: Users, found: Samples) -> None:
    """Measure a server that was just started, until all have left again."""
    time.sleep(SETTLED)
    empty = target.memory()
    with Load(target, home) as load:
        load.ask(f"kinds {users.kinds}")
        alone = load.ask(f"open {min(ONE_BY_ONE, users.count)} 1")
        others = load.ask(f"open {max(users.count - ONE_BY_ONE, 0)} {AT_ONCE}")
        time.sleep(SETTLED)
        full = target.memory()
        began = target.processor()
        time.sleep(IDLE)
        found[REST].append((target.processor() - began) / IDLE * 100)
        began = target.processor()
        load.say(f"type {users.every}")
        time.sleep(users.every * KEYS)
        typed = load.ask("")
        used = target.processor() - began
        load.ask("leave")
    keys = len(typed.latencies)
    found[FIRST] += alone.ready
    found[LATENCY] += typed.latencies
    found[FAILED].append(dropped(alone.failed + others.failed + typed.failed))
    found[CPU].append(used / keys * 1000)
    found[LOAD].append(typed.cpu / (typed.cpu + used) * 100)
    found[KEY_BYTES].append(typed.bytes / keys)
    found[EMPTY].append(empty)
    found[ALL].append(full)
    found[EACH].append((full - empty) / users.count)


def measure_burst(target: Target, home: Path, burst: Burst, found: Samples) -> None:
    """Measure how a server that was just started, and had visitors, takes many at once."""
    time.sleep(SETTLED)
    with Load(target, home) as inside, Load(target, home) as outside:
        outside.ask(f"kinds {burst.kinds}")
        before_them = 0 if burst.is_new else burst.inside or ONE_BY_ONE
        failed = inside.ask(f"open {before_them} {AT_ONCE}").failed
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
    found[ALONE] += before.latencies
    found[DURING] += during.latencies
    found[READY].append(max(opened.ready) / 1000)
    found[ANSWERED].append(max(opened.answered) / 1000)
    found[FAILED].append(dropped(failed + before.failed + during.failed + opened.failed))
    found[LOAD].append(load / (load + used) * 100)
    if not burst.inside:
        found[COMING].append(used / burst.count * 1000)


def dropped(failed: list[str]) -> int:
    """Print why clients were refused or dropped, and return how many."""
    for reason in sorted(set(failed)):
        print(f"{failed.count(reason)} dropped: {reason}", file=sys.stderr)
    return len(failed)


def aims(scenario: Scenario, found: Samples) -> dict[str, Figures]:
    """Return what our figures may be at most; some are relative to others of ours."""
    if isinstance(scenario, Burst):
        ready, answered = {50: (0.5, 1.0), 300: (4.0, 4.0)}.get(scenario.count, (None, None))
        ready, answered = (0.6, None) if scenario.is_new else (ready, answered)
        ready = ready if scenario.kinds == 1 else None
        if ready is None:
            return {}
        wanted: dict[str, Figures] = {READY: (ready,), FAILED: (0,)}
        if answered is not None:
            wanted[ANSWERED] = (answered,)
        if scenario.inside:
            wanted[DURING] = (2 * p99(found[ALONE]),)
        return wanted
    later = (1.3 * median(found[EMPTY]),)
    return {
        Users(100, 0.5): {
            CPU: (1.5,), LATENCY: (12, 24), KEY_BYTES: (400,), FIRST: (30,), EACH: (1.5,),
            ALL: (200,), REST: (0.5,), LEFT: later,
        },
        Users(300, 2.0): {CPU: (1.6,), EACH: (0.7,), LEFT: later},
        Users(1000, 2.0): {LATENCY: (15, 60), ALL: (900,), REST: (1.0,), LEFT: later},
    }.get(scenario, {})  # fmt: skip


def lines(scenario: Scenario, columns: dict[str, Samples]) -> Iterator[str]:
    """Yield the lines of a table in Markdown; a missed aim makes our figure bold."""
    yield f"| {scenario.title} | {' | '.join(columns)} | aim |"
    yield "|---" * (len(columns) + 2) + "|"
    wanted = aims(scenario, columns["pettui"])
    for words, (figures, digits) in ROWS.items():
        if not any(found[words] for found in columns.values()):
            continue
        aim = wanted.get(words, ())
        shown = [[each(found[words]) for each in figures] for found in columns.values()]
        cells = [_text(each, digits) for each in shown]
        if any(round(ours, digits) > most for ours, most in zip(shown[0], aim, strict=False)):
            cells[0] = f"**{cells[0]}**"
        yield f"| {words} | {' | '.join(cells)} | {_text(aim, digits)} |"


def _text(figures: Sequence[float], digits: int) -> str:
    return " / ".join(f"{figure:,.{digits}f}" for figure in figures)


def servers(scenario: Scenario, *, quick: bool) -> list[Open]:
    """Return those that can be measured here, and say which cannot."""
    why = why_no_sshd() or ("it is slow" if quick else "")
    if scenario.count > SSHD_MAXIMUM:
        why = f"each of {scenario.count:,} is a process of 40 MB that starts for half a second"
    opens: list[Open] = []
    for name, why_not, open_it in (
        ("sshd", why, sshd),
        ("pettui", "", pettui),
        ("wish", why_not_built("wish"), wish),
    ):
        if why_not:
            print(f"{name} is left out of {scenario.title}: {why_not}", file=sys.stderr)
        else:
            opens.append(open_it)
    return opens


def measure_round(
    scenario: Scenario, opens: list[Open], home: Path, columns: dict[str, Samples], *, quick: bool
) -> None:
    """Measure all servers once; each runs on until a minute after its last one left."""
    left = []
    with ExitStack() as running:
        for open_it in opens:
            target = running.enter_context(open_it(home))
            found = columns.setdefault(target.name, defaultdict(list))
            load = " ".join(f"{each:.1f}" for each in os.getloadavg())
            print(f"{scenario.title}: {target.name}, load average {load}", file=sys.stderr)
            if isinstance(scenario, Burst):
                measure_burst(target, home, scenario, found)
            else:
                measure_users(target, home, scenario, found)
                left.append((time.monotonic(), target, found))
        for when, target, found in [] if quick else left:
            time.sleep(max(when + LATER - time.monotonic(), 0))
            found[LEFT].append(target.memory())


def measure(scenario: Scenario, home: Path, options: argparse.Namespace) -> None:
    columns: dict[str, Samples] = {}
    opens = servers(scenario, quick=options.quick)
    for _ in range(options.rounds):
        measure_round(scenario, opens, home, columns, quick=options.quick)
    ordered = {name: columns[name] for name in ("pettui", "wish", "sshd") if name in columns}
    print("", *lines(scenario, ordered), sep="\n", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="100 people, 50 at once twice, no sshd"
    )
    parser.add_argument("--sessions", type=int, metavar="N", help="people, instead of all tables")
    parser.add_argument("--every", type=float, default=2.0, metavar="T", help="seconds a key (2)")
    parser.add_argument("--burst", type=int, metavar="B", help="at once, instead of all tables")
    parser.add_argument("--kinds", type=int, default=1, metavar="K", help="of terminals (1)")
    parser.add_argument("--new", action="store_true", help="of a kind that nobody had before")
    parser.add_argument("--rounds", type=int, default=1, metavar="R", help="of each (1)")
    options = parser.parse_args()
    if why := why_not_built("load"):
        print(f"the load cannot be built: {why}", file=sys.stderr)
        return 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    asked = [Users(options.sessions, options.every, options.kinds)] if options.sessions else []
    asked += [Burst(options.burst, options.kinds, options.new)] if options.burst else []
    scenarios = asked or (QUICK if options.quick else STANDARD)
    with tempfile.TemporaryDirectory() as directory:
        built("load", Path(directory))
        if not why_not_built("wish"):
            built("wish", Path(directory))
        for scenario in scenarios:
            measure(scenario, Path(directory), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
