"""How long a start takes: to the first animals on the screen, and of ``pettui --version``.

::

    .venv/bin/python tests/benchmarks/bench_start.py [--runs N]

Both are measured beside what they are built on, a bare Textual app with a table of a hundred rows and
``python -c pass``, and ``pettui list --demo`` beside the app's own start: in one run, in turns, as
medians. Everything is installed from a wheel with its bytecode compiled, once with the base alone,
and once with all extras and import-linter, which brings click.
"""

from __future__ import annotations

import argparse
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).parents[2]
BARE_APP = Path(__file__).with_name("bare_app.py")
EXTRAS = "[serve,ssh,postgres]"
FIRST_ANIMAL = b"Mitzi"
FIRST_ROW = b"Barebone"
ROWS, COLUMNS = 30, 120
PATIENCE = 30.0  # seconds


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
    shutil.copy(BARE_APP, packages)
    subprocess.run([python, "-m", "compileall", "-q", str(packages)], check=False)
    return programs


def until_shown(
    words: Sequence[str], marker: bytes, environment: Mapping[str, str]
) -> tuple[float, float]:
    """Run a program in a terminal until a text appears; return the seconds until then, and of CPU."""
    begin = time.perf_counter()
    process, terminal = pty.fork()
    if process == 0:
        os.execve(words[0], [*words], dict(environment))
    set_size(terminal)
    written = b""
    while marker not in written:
        ready, _, _ = select.select([terminal], [], [], PATIENCE)
        assert ready, f"{words} never showed {marker!r}"
        written += os.read(terminal, 65536)
    seconds = time.perf_counter() - begin
    os.kill(process, signal.SIGKILL)
    os.close(terminal)
    usage = os.wait4(process, 0)[2]
    return seconds, usage.ru_utime + usage.ru_stime


def until_ended(words: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Run a program until it ends; return the seconds until then, and of CPU."""
    begin = time.perf_counter()
    actions = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    process = os.posix_spawn(words[0], [*words], dict(environment), file_actions=actions)
    usage = os.wait4(process, 0)[2]
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def in_turns(
    measures: Mapping[str, Callable[[], tuple[float, float]]], runs: int
) -> dict[str, tuple[float, float]]:
    """Measure each in turns, the first time for warming up; return medians in milliseconds."""
    samples: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for _ in range(runs + 1):
        for name, measure in measures.items():
            samples[name].append(measure())
    return {
        name: tuple(median(column) * 1000 for column in zip(*taken[1:], strict=True))
        for name, taken in samples.items()
    }


def environment_of(home: Path) -> dict[str, str]:
    return {
        "PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }  # fmt: skip


def report(title: str, programs: Path, home: Path, runs: int) -> None:
    environment = environment_of(home)
    pettui, python = str(programs / "pettui"), str(programs / "python")
    starts = in_turns(
        {
            "bare": lambda: until_shown([python, "-m", "bare_app"], FIRST_ROW, environment),
            "demo": lambda: until_shown([pettui, "--demo"], FIRST_ANIMAL, environment),
            "store": lambda: until_shown([pettui], FIRST_ANIMAL, environment),
            "list": lambda: until_ended([pettui, "list", "--demo"], environment),
        },
        runs,
    )
    versions = in_turns(
        {
            "pass": lambda: until_ended([python, "-c", "pass"], environment),
            "version": lambda: until_ended([pettui, "--version"], environment),
        },
        runs * 3,
    )
    print(f"\n{title}")
    print_line("bare Textual app, DataTable of 100 rows", starts["bare"], starts["bare"])
    print_line("pettui --demo, to the first animals", starts["demo"], starts["bare"])
    print_line("pettui, its store on disk", starts["store"], starts["bare"])
    print_line("pettui list --demo, beside pettui --demo", starts["list"], starts["demo"])
    print_line("python -c pass", versions["pass"], versions["pass"])
    print_line("pettui --version", versions["version"], versions["pass"])


def print_line(name: str, taken: tuple[float, float], beside: tuple[float, float]) -> None:
    ratios = (mine / other for mine, other in zip(taken, beside, strict=True))
    times = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"  {name:<42}{taken[0]:7.0f} ms  {taken[1]:6.0f} ms CPU  {times} times")


def set_size(terminal: int) -> None:
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))


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
