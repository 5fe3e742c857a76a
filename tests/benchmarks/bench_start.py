"""How long a start takes: to the first animals on the screen, and of ``pettui --version``.

``python -m tests.benchmarks.bench_start [--runs N]``

Both are measured beside what they are built on, a bare Textual app with a table of a hundred rows and
``python -c pass``, and ``pettui list --demo`` beside the app's own start: in one run, in turns, as
medians. Everything is installed from a wheel with its bytecode compiled, once with the base alone,
and once with all extras and import-linter, which brings click.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Program, environment_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Taken = tuple[float, float]  # seconds, and seconds of CPU

ROOT = Path(__file__).parents[2]
EXTRAS = "[serve,ssh,postgres]"
FIRST_ANIMAL = b"Mitzi"


def build_wheel(directory: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", str(directory), str(ROOT)], check=True)
    return next(directory.glob("pettui-*.whl"))


def installed(directory: Path, *requirements: str) -> Path:
    subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
    programs = directory / "bin"
    python = str(programs / "python")
    subprocess.run([python, "-m", "pip", "--quiet", "install", *requirements], check=True)
    packages = next(directory.glob("lib/python3.*/site-packages"))
    shutil.copy(Path(__file__).with_name("bare_app.py"), packages)
    subprocess.run([python, "-m", "compileall", "-q", str(packages)], check=False)
    return programs


def until_shown(words: Sequence[str], marker: bytes, environment: Mapping[str, str]) -> Taken:
    """Run a program in a terminal until a text appears."""
    begin = time.perf_counter()
    program = Program(words, environment)
    program.until(marker)
    return time.perf_counter() - begin, program.end()


def until_bare(programs: Path, environment: Mapping[str, str]) -> Taken:
    """Run the bare app until its first row appears."""
    return until_shown([str(programs / "python"), "-m", "bare_app"], b"Barebone", environment)


def until_ended(words: Sequence[str], environment: Mapping[str, str]) -> Taken:
    """Run a program until it ends."""
    begin = time.perf_counter()
    actions = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    process = os.posix_spawn(words[0], [*words], dict(environment), file_actions=actions)
    usage = os.wait4(process, 0)[2]
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def in_turns(measures: Mapping[str, Callable[[], Taken]], runs: int) -> None:
    """Measure each in turns, the first time for warming up; print medians, beside the first."""
    samples: dict[str, list[Taken]] = defaultdict(list)
    for _ in range(runs + 1):
        for name, measure in measures.items():
            samples[name].append(measure())
    beside: list[float] = []
    for name, taken in samples.items():
        medians = [median(column) * 1000 for column in zip(*taken[1:], strict=True)]
        beside = beside or medians
        times = ", ".join(f"{m / other:.2f}" for m, other in zip(medians, beside, strict=True))
        print(f"  {name:<42}{medians[0]:7.0f} ms  {medians[1]:6.0f} ms CPU  {times} times")


def report(title: str, programs: Path, home: Path, runs: int) -> None:
    environment = environment_of(home) | {"COLORTERM": "truecolor"}
    pettui, python = str(programs / "pettui"), str(programs / "python")

    def demo() -> Taken:
        return until_shown([pettui, "--demo"], FIRST_ANIMAL, environment)

    first = Program([pettui], environment)
    first.until(FIRST_ANIMAL)
    first.leave()  # one that is killed may have kept no last list
    print(f"\n{title}")
    in_turns(
        {
            "bare Textual app, DataTable of 100 rows": lambda: until_bare(programs, environment),
            "pettui --demo, to the first animals": demo,
            "pettui, its store on disk": lambda: until_shown([pettui], FIRST_ANIMAL, environment),
        },
        runs,
    )
    in_turns(
        {
            "pettui --demo": demo,
            "pettui list --demo": lambda: until_ended([pettui, "list", "--demo"], environment),
        },
        runs,
    )
    in_turns(
        {
            "python -c pass": lambda: until_ended([python, "-c", "pass"], environment),
            "pettui --version": lambda: until_ended([pettui, "--version"], environment),
        },
        runs * 3,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a start takes.")
    parser.add_argument("--runs", type=int, default=15, help="of each app (%(default)s)")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        wheel = build_wheel(directory)
        base = installed(directory / "base", str(wheel))
        full = installed(directory / "full", f"{wheel}{EXTRAS}", "import-linter")
        print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, medians of {runs} runs")
        report("With the base alone", base, directory, runs)
        report("With every extra, and click", full, directory, runs)


if __name__ == "__main__":
    main()
