"""``pettui ssh`` in figures, beside two others: CPU, latency and memory of many people.

``python -m tests.benchmarks.bench_ssh`` prints the tables of ``docs/performance.md`` in about fifteen
minutes: 100, 300 and 1,000 people, and bursts of 50, of 50 on forty kinds of terminals, and of 300.
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
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.go_programs import built
from tests.benchmarks.ssh_load import build_load, why_no_load
from tests.benchmarks.ssh_measures import Burst, People, measure_burst, measure_people
from tests.benchmarks.ssh_servers import pettui, sshd, why_no_sshd, why_no_wish, wish
from tests.benchmarks.ssh_table import lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from tests.benchmarks.ssh_measures import Samples
    from tests.benchmarks.ssh_servers import Target
    from tests.benchmarks.ssh_table import Scenario

    Open = Callable[[Path], AbstractContextManager[Target]]

STANDARD = (
    People(100, 0.5), People(300, 2.0), People(1000, 2.0), Burst(50), Burst(50, 40), Burst(300),
)  # fmt: skip
QUICK = (People(100, 0.5), Burst(50))
SSHD_MAXIMUM = 100  # sessions: each is a Python process of 40 MB that starts for half a second
LATER = 60.0  # seconds from when the last left


def servers(scenario: Scenario, workers: int, *, quick: bool) -> list[Open]:
    """Return those that can be measured here, and say which cannot."""
    why = why_no_sshd() or ("it is slow" if quick else "")
    if scenario.count > SSHD_MAXIMUM:
        why = f"each of {scenario.count:,} is a process of 40 MB that starts for half a second"
    opens: list[Open] = []
    for name, why_not, open_it in (
        ("sshd", why, sshd),
        ("pettui", "", partial(pettui, workers=workers)),
        ("wish", why_no_wish(), wish),
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
                measure_people(target, home, scenario, found)
                left.append((time.monotonic(), target, found))
        for when, target, found in [] if quick else left:
            time.sleep(max(when + LATER - time.monotonic(), 0))
            found["later"].append(target.memory())


def measure(scenario: Scenario, home: Path, options: argparse.Namespace) -> None:
    columns: dict[str, Samples] = {}
    opens = servers(scenario, options.workers, quick=options.quick)
    for _ in range(options.rounds):
        measure_round(scenario, opens, home, columns, quick=options.quick)
    ordered = {name: columns[name] for name in ("pettui", "wish", "sshd") if name in columns}
    print("", *lines(scenario, ordered), sep="\n", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="100 people, 50 at once, no sshd")
    parser.add_argument("--sessions", type=int, metavar="N", help="people, instead of all tables")
    parser.add_argument("--every", type=float, default=2.0, metavar="T", help="seconds a key (2)")
    parser.add_argument("--burst", type=int, metavar="B", help="at once, instead of all tables")
    parser.add_argument("--kinds", type=int, default=1, metavar="K", help="of terminals (1)")
    parser.add_argument("--rounds", type=int, default=1, metavar="R", help="of each (1)")
    parser.add_argument(
        "--workers", type=int, default=len(os.sched_getaffinity(0)), help="of pettui (one a core)"
    )
    options = parser.parse_args()
    if why := why_no_load():
        print(f"the load cannot be built: {why}", file=sys.stderr)
        return 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    asked = [People(options.sessions, options.every, options.kinds)] if options.sessions else []
    asked += [Burst(options.burst, options.kinds)] if options.burst else []
    scenarios = asked or (QUICK if options.quick else STANDARD)
    with tempfile.TemporaryDirectory() as directory:
        build_load(Path(directory))
        if not why_no_wish():
            built("wish", Path(directory))
        for scenario in scenarios:
            measure(scenario, Path(directory), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
