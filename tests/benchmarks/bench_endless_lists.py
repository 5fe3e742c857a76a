"""Time and memory of commands that list every animal of a large store, over HTTP.

``python -m tests.benchmarks.bench_endless_lists [--size 1000000] [--directory DIRECTORY]``

A command's memory does not grow with the list, unless it sorts: then all animals have to be there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.bench_store import fill_sqlite
from tests.service.running_service import KEY, running_service

PROGRAM = Path(sys.executable).parent / "pettui"


def measure(words: list[str], environment: dict[str, str], written: Path) -> None:
    started = time.perf_counter()
    with written.open("wb") as file:
        process = subprocess.Popen([PROGRAM, *words], env=environment, stdout=file)
        _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    size = written.stat().st_size
    print(
        f"{' '.join(words[:3]):32}{seconds:7.1f} s, CPU {used.ru_utime + used.ru_stime:6.1f} s,"
        f" {used.ru_maxrss / 1024:6.1f} MB resident at most, exit code"
        f" {os.waitstatus_to_exitcode(status)}, {size / 1e6:.1f} MB printed",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--directory", type=Path, help="on the disk to be used")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.directory) as name:
        directory = Path(name)
        fill_sqlite(directory / "pets.db", given.size)
        with running_service(directory) as service:
            environment = {
                "PATH": os.environ["PATH"],
                "HOME": name,
                "PETTUI_BASE_URL": service.base_url,
                "PETTUI_API_KEY": KEY,
            }
            for words in (
                ["list", "--limit", "100", "--json"],
                ["list", "--all", "--json"],
                ["list", "--all", "--csv"],
                ["export", f"{name}/animals.csv"],
                ["export", f"{name}/animals.json"],
            ):
                measure([*words, "--quiet"], environment, directory / "printed")


if __name__ == "__main__":
    main()
