"""How long a start takes on a service 300 ms away: to the first animals, with and without a last list.

``python -m tests.benchmarks.bench_last_list [--runs N]``

Both are measured beside a bare Textual app with a table of a hundred rows: in one run, in turns, as
medians. The service is ``pettui serve``; a proxy on loopback delays every byte by 150 ms each way.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.bench_start import (
    EXTRAS,
    build_wheel,
    in_turns,
    installed,
    until_bare,
    until_shown,
)
from tests.benchmarks.measuring import environment_of
from tests.benchmarks.slow_link import slow_link
from tests.service.running_service import KEY, RunningService, running_service

ONE_WAY = 0.15  # seconds
ANIMALS = 100
NEWEST = "Bartholomew"  # which appears nowhere else on the screen
LISTS = ".local/state/pettui/lists/*.json"


def fill(service: RunningService) -> None:
    with service.client() as client:
        for name in [*(f"Animal {number}" for number in range(1, ANIMALS)), NEWEST]:
            body = {"name": name, "categoryId": 3, "status": "available"}
            client.post("/pets", json=body).raise_for_status()


def report(programs: Path, directory: Path, far: str, runs: int) -> None:
    words = [str(programs / "pettui"), "--limit", str(ANIMALS)]
    with_list = environment_of(directory / "with", far) | {"PETTUI_API_KEY": KEY}
    without = {**with_list, **environment_of(directory / "without", far, "keep_list = false\n")}
    marker = NEWEST.encode()
    while not [*Path(with_list["HOME"]).glob(LISTS)]:  # it is killed once it is drawn
        until_shown(words, marker, with_list)
    in_turns(
        {
            "bare Textual app, DataTable of 100 rows": lambda: until_bare(programs, with_list),
            "300 ms away, with its last list": lambda: until_shown(words, marker, with_list),
            "300 ms away, without": lambda: until_shown(words, marker, without),
        },
        runs,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a start on a far service takes.")
    parser.add_argument("--runs", type=int, default=15, help="of each app (%(default)s)")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        programs = installed(directory / "full", f"{build_wheel(directory)}{EXTRAS}")
        print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {runs} runs")
        with running_service(directory) as service:
            fill(service)
            with slow_link("{}:{}".format(*service.address), ONE_WAY) as port:
                report(programs, directory, f"http://127.0.0.1:{port}/v1", runs)


if __name__ == "__main__":
    main()
