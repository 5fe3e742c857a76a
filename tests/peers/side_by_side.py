"""The same app in a local terminal and served over SSH, cell by cell, after the same keys.

``python -m tests.peers.side_by_side DIRECTORY …`` compares the programs below directories, or
``module:Class`` of what is installed, and prints a line for each that differs.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections import Counter
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyte

from tests.peers.ssh_server import SshServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Target = Mapping[str, Any]

ROWS, COLUMNS = 24, 80
KEYS = ("\t", "\x1b[B", "a", "\r", "\t", " ", "\x1b[6~", "\x1b[C")
LONGEST = 20.0  # seconds until two screens are alike
QUIET = 0.3  # seconds without output
MOVING = 6.0  # seconds in which what moves by itself is seen to move
HERE = Path(__file__).parent
# What pyte would draw, or stumble over.
_UNKNOWN = re.compile(
    rb"\x1b\[[<>=][0-9;?]*[a-zA-Z]|\x1b\[\?[0-9;]*(?:\$p|[um])|\x1bP[^\x1b]*\x1b\\"
    rb"|\x1b\][0-9]+;[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9]* q"
)
_BEGUN = re.compile(rb"\x1b(?:\[[<>=?]?[0-9;]*|P[^\x1b]*|\][^\x07\x1b]*)?\x1b?\Z")
_STYLE = ("fg", "bg", "bold", "italics", "underscore", "strikethrough", "reverse")


class Verdict(Enum):
    """What became of comparing an app."""

    SAME = "the same"
    DIFFERENT = "different"
    MOVING = "the same but for what moves by itself"  # clocks, animations, random numbers
    ENDED = "ended before a key"  # here and served: there is no screen to compare


class Comparison(NamedTuple):
    """What became of comparing an app, and how it differs."""

    verdict: Verdict
    how: str = ""

    def __str__(self) -> str:
        return f"{self.verdict.value}{self.how and ': '}{self.how}"


class Difference(NamedTuple):
    """How two screens differ."""

    when: str
    cells: frozenset[tuple[int, int]]  # rows and columns
    kinds: str  # "3 data, 2 fg"
    example: str

    def __str__(self) -> str:
        return f"{self.when}: {len(self.cells)} cells ({self.kinds}), such as {self.example}"


class Window:
    """A terminal with an app in it."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.has_ended = False
        self.last = time.monotonic()  # when something was written
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self.screen)
        self._begun = b""

    def read(self) -> None:
        try:
            data = os.read(self.descriptor, 1 << 16)
        except OSError:
            data = b""
        if not data:
            self.has_ended = True
            return
        self.last = time.monotonic()
        if b"\x1b[c" in data:  # which attributes it has
            os.write(self.descriptor, b"\x1b[?62;c")
        data = self._begun + data
        begun = _BEGUN.search(data)
        complete = data[: begun.start()] if begun and len(begun[0]) < 10_000 else data
        self._begun = data[len(complete) :]
        self._stream.feed(_UNKNOWN.sub(b"", complete))

    def press(self, key: str) -> None:
        if not self.has_ended:
            os.write(self.descriptor, key.encode())

    @property
    def is_blank(self) -> bool:
        return not any(
            cell.data.strip() or cell.bg != "default"
            for row in self.screen.buffer.values()
            for cell in row.values()
        )

    def close(self) -> None:
        os.close(self.descriptor)


def differing(one: Window, other: Window, when: str) -> Difference | None:
    """Return how the cells of two windows differ; the colour of a blank is nothing that is seen."""
    kinds: Counter[str] = Counter()
    cells, example = set[tuple[int, int]](), ""
    for y in range(ROWS):
        for x in range(COLUMNS):
            a, b = one.screen.buffer[y][x], other.screen.buffer[y][x]
            if a == b:
                continue
            names = [name for name in ("data", *_STYLE) if getattr(a, name) != getattr(b, name)]
            is_blank = a.data == b.data == " " and not any(
                (each.underscore, each.strikethrough, each.reverse) != (False,) * 3
                for each in (a, b)
            )
            if names := [name for name in names if not is_blank or name == "bg"]:
                kinds.update(names)
                cells.add((y, x))
                shown = [f"{each.data!r} {each.fg} on {each.bg}" for each in (a, b)]
                example = example or f"row {y} column {x}: {' and '.join(shown)}"
    listed = ", ".join(f"{count} {name}" for name, count in kinds.most_common())
    return Difference(when, frozenset(cells), listed, example) if cells else None


class SideBySide:
    """A server of targets, which run in terminals here, too."""

    def __init__(
        self, targets: Sequence[Target], home: Path, environment: Mapping[str, str]
    ) -> None:
        """Start the server of apps, by which ``compare`` names them, and which have this home."""
        self._environment = {
            **environment, "TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": str(home),
        }  # fmt: skip
        listed = home / "targets.json"
        listed.write_text(json.dumps([*targets]))
        self._program = [sys.executable, str(HERE / "side_by_side_targets.py"), str(listed)]
        self.server = SshServer(home, self._environment, program=self._program)

    def compare(self, number: int) -> Comparison:
        """Return how an app differs over SSH.

        It may differ once: a key that comes before a slow start is over. What differs in cells that
        differ in two runs here, too, is what moves by itself.
        """
        for _ in range(2):
            found = self._compared(number)
            if isinstance(found, Verdict):
                return Comparison(found)
        moving: set[tuple[int, int]] = set()
        for _ in range(3):
            moving |= self._moving(number)
            if isinstance(found, Difference) and found.cells <= moving:
                return Comparison(Verdict.MOVING, str(found))
        return Comparison(Verdict.DIFFERENT, str(found))

    def _compared(self, number: int) -> Difference | Verdict | str:
        with ExitStack() as stack:
            windows = [self._local_window(number, stack), self._served_window(number, stack)]
            difference = alike(windows, "at its start")
            if difference is not None:
                return difference
            if any(window.has_ended for window in windows):
                return Verdict.ENDED
            _press_all(windows)
            return alike(windows, "after keys") or Verdict.SAME

    def _moving(self, number: int) -> set[tuple[int, int]]:
        """Return the cells that are not alike at some time in two runs here."""
        found: set[tuple[int, int]] = set()
        with ExitStack() as stack:
            windows = [self._local_window(number, stack) for _ in range(2)]
            alike(windows, "at its start")
            found |= _unlike(windows)
            _press_all(windows)
            alike(windows, "after keys")
            return found | _unlike(windows)

    def _local_window(self, number: int, stack: ExitStack) -> Window:
        return self._window([*self._program, str(number)], stack)

    def _served_window(self, number: int, stack: ExitStack) -> Window:
        words = self.server.words("-t", "-o", "SendEnv=COLORTERM", user=f"t{number}")
        return self._window(words, stack)

    def _window(self, words: Sequence[str], stack: ExitStack) -> Window:
        ours, its = os.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        program = subprocess.Popen(
            words, stdin=its, stdout=its, stderr=its, start_new_session=True, env=self._environment
        )
        os.close(its)
        stack.callback(program.wait)
        stack.callback(program.kill)
        window = Window(ours)
        stack.callback(window.close)
        return window


def _read(windows: Sequence[Window], seconds: float) -> None:
    open_windows = {window.descriptor: window for window in windows if not window.has_ended}
    readable, _, _ = select.select([*open_windows], [], [], seconds)
    for descriptor in readable:
        open_windows[descriptor].read()


def _read_until_alike(windows: Sequence[Window]) -> None:
    """Read what a key did in both; go on after a while where they stay different."""
    began = time.monotonic()
    while (now := time.monotonic()) < began + 1.5 and any(not w.has_ended for w in windows):
        is_quiet = now > max(began, *(window.last for window in windows)) + QUIET / 2
        if is_quiet and differing(windows[0], windows[1], "") is None:
            return
        _read(windows, 0.05)


def _press_all(windows: Sequence[Window]) -> None:
    for key in KEYS:
        for window in windows:
            window.press(key)
        _read_until_alike(windows)


def _unlike(windows: Sequence[Window]) -> set[tuple[int, int]]:
    """Return the cells in which two windows differ at some time in the next seconds."""
    found: set[tuple[int, int]] = set()
    until = time.monotonic() + MOVING
    while time.monotonic() < until and not any(window.has_ended for window in windows):
        _read(windows, 0.05)
        if (difference := differing(windows[0], windows[1], "")) is not None:
            found |= difference.cells
    return found


def alike(windows: Sequence[Window], when: str) -> Difference | str | None:
    """Wait until two windows are alike and quiet, and return how they differ if that never comes."""
    began = time.monotonic()
    difference: Difference | None = None
    while (now := time.monotonic()) < began + LONGEST:
        _read(windows, 0.05)
        ended = [window.has_ended for window in windows]
        if any(ended):
            if all(ended):
                return None  # what is left is no screen
            if now > began + LONGEST / 2:
                return f"{when}: {'the local one' if ended[0] else 'the served one'} has ended"
            continue
        if any(window.is_blank for window in windows):
            continue
        if now < max(began, *(window.last for window in windows)) + QUIET and now < began + 6:
            continue
        if (difference := differing(windows[0], windows[1], when)) is None:
            return None
    if any(window.is_blank for window in windows):  # a slow machine, or an app that never draws
        return f"{when}: nothing is drawn"
    return difference or differing(windows[0], windows[1], when)


def programs(directory: Path) -> list[Target]:
    """Return the programs below a directory that run an app."""
    found = sorted(directory.rglob("*.py"))
    return [
        {"path": str(path.resolve()), "name": path.relative_to(directory).as_posix()}
        for path in found
        if re.search(r"^class \w+\(.*App\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        and ".run(" in path.read_text(encoding="utf-8")
    ]


def _given(words: Sequence[str]) -> Iterator[Target]:
    for word in words:
        if ":" in word:
            yield {"class": word, "name": word, "arguments": ""}
        elif Path(word).is_file():
            yield {"path": str(Path(word).resolve()), "name": word}
        else:
            yield from programs(Path(word))


def main() -> None:
    """Compare what the command line names."""
    targets = [*_given(sys.argv[1:])]
    with tempfile.TemporaryDirectory() as home:
        both = SideBySide(targets, Path(home), os.environ)
        try:
            for number, target in enumerate(targets):
                print(f"{target['name']}: {both.compare(number)}", flush=True)
        finally:
            both.server.stop()


if __name__ == "__main__":
    main()
