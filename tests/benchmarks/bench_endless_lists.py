"""Time and memory of a command that lists every animal of a large store, over HTTP.

``python -m tests.benchmarks.bench_endless_lists [--size 1000000]``; TMPDIR decides the disk.

Its memory does not grow with the list.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

from tests.benchmarks.bench_store import fill_sqlite
from tests.benchmarks.measuring import PROGRAM, environment_of
from tests.service.running_service import KEY, running_service


def measure(environment: dict[str, str], *options: str) -> None:
    words = [PROGRAM, "list", *options, "--json", "--quiet"]
    started = time.perf_counter()
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    print(
        f"list {' '.join(options):12}{seconds:7.1f} s, {used.ru_maxrss / 1024:6.1f} MB resident at"
        f" most, exit code {os.waitstatus_to_exitcode(status)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    size = parser.parse_args().size
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        fill_sqlite(directory / "pets.db", size)
        with running_service(directory) as service:
            environment = environment_of(directory, service.base_url) | {"PETTUI_API_KEY": KEY}
            measure(environment, "--limit", "100")
            measure(environment, "--all")


if __name__ == "__main__":
    main()
