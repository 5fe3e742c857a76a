"""Runs: each is one import of a file, and has the states of that file's lines.

A run goes on, however often it was stopped, where a file is the same for a fact:

- its bytes are those that the run read, under any name, or those of a result that it wrote;
- or it is at the same path, as a file or as a result, and every line that the run added is still in
  it. Standard input is no place to keep a file: there this holds while the run is unfinished.

To any other file a line that a run added is what a listed animal is: possibly the same animal. What
is alike is not the same: a shelter has two dogs of one name.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, NewType, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pettui.transfer.lines import GoodLine, Position

LineId = NewType("LineId", str)
"""32 hexadecimal digits of its content, and ":2" behind them for the second of equal lines."""
STANDARD_INPUT: Final = "-"  # in place of a path
_CONTENT: Final = 32  # digits


# Lines


@dataclass(frozen=True, slots=True)
class AddedLine:
    """A line that was added: the service returned an id."""

    pet_id: int
    again: int = 0  # how often ``--again`` had been given when it was sent


class Promise(NamedTuple):
    """To whom a line was sent that adds it once, and what its idempotency key follows from."""

    store_id: str
    planned_at: int  # when it was planned the first time, in milliseconds
    again: int  # how often ``--again`` had been given then


@dataclass(frozen=True, slots=True)
class UnknownLine:
    """A line that was sent, and got no response that says whether it was added."""

    since: int  # when its import started, in wall-clock seconds
    reason: str  # raw text
    promise: Promise | None = None  # then it is sent again to that store, and added once


LineState: TypeAlias = AddedLine | UnknownLine  # None for one that was not sent, or was refused


def numbered_lines(lines: Iterable[GoodLine]) -> list[tuple[LineId, GoodLine]]:
    """Return the lines of a whole file, each with its id.

    An id says what name, category and status are, and which number a line has among equal ones. So
    it stays the same when other lines are changed, added or removed; two equal lines are
    interchangeable.
    """
    numbers: Counter[str] = Counter()
    numbered = []
    for line in lines:
        content = _hashed(1, line)
        numbers[content] += 1
        number = numbers[content]
        numbered.append((LineId(content if number == 1 else f"{content}:{number}"), line))
    return numbered


def content_of(line_id: LineId) -> str:
    """Return what equal lines have in common, in any file."""
    return line_id[:_CONTENT]


def _hashed(number: int, line: GoodLine) -> str:
    """Return what the earlier versions called a line, by its number among equal ones."""
    pet = line.new_pet
    content = json.dumps([pet.name, pet.category_id, pet.status], ensure_ascii=False)
    return hashlib.blake2b(f"{number} {content}".encode(), digest_size=16).hexdigest()


# Files and their runs


class SourceFile(NamedTuple):
    """What is imported: a file, or standard input, as it was read."""

    path: str  # absolute, STANDARD_INPUT, or "" for standard output
    digest: str  # of its bytes
    reading: str = ""  # the digest of its lines' ids; "" of a result, whose lines are the file's

    @classmethod
    def of(cls, path: Path | None, digest: str, line_ids: Iterable[LineId]) -> SourceFile:
        """Return a file, or standard input where there is no path."""
        reading = hashlib.blake2b(" ".join(line_ids).encode(), digest_size=16).hexdigest()
        return cls(STANDARD_INPUT if path is None else str(path.resolve()), digest, reading)


@dataclass(slots=True, eq=False)
class Run:
    """One import of a file, as far as it is recorded."""

    began: int = 0  # in wall-clock seconds; 0: not known
    paths: list[str] = field(default_factory=list)  # of the file, and then of results
    readings: dict[str, str] = field(default_factory=dict)  # by the digest of what was read
    is_finished: bool = False  # whether each line was answered when it last ended
    again_count: int = 0  # how often ``--again`` was given
    is_again: bool = False  # whether such an import is unfinished
    states: dict[LineId, LineState] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Of which file it is, and when it began: "week-1.csv, 2026-11-28 17:20"; raw."""
        if not self.paths:
            return "an earlier import"
        began = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.began))
        path = self.paths[0]
        return f"{'standard input' if path == STANDARD_INPUT else Path(path).name}, {began}"

    def read(self, source: SourceFile) -> None:
        """Note what was read for it, or what was written as its result."""
        if source.path and source.path not in self.paths:
            self.paths.append(source.path)
        self.readings[source.digest] = source.reading or self.readings.get(source.digest, "")

    @property
    def added_ids(self) -> Iterator[LineId]:
        """The lines that it added."""
        return (each for each, state in self.states.items() if isinstance(state, AddedLine))

    def lost(self, source: SourceFile, line_ids: AbstractSet[LineId]) -> int:
        """Return how many lines that it added are none of the same bytes, read in another way.

        The columns, the encoding or the numbers of categories may be other ones now.
        """
        reading = self.readings.get(source.digest, "")
        is_other = reading not in ("", source.reading)
        return sum(line_id not in line_ids for line_id in self.added_ids) if is_other else 0

    def goes_on_with(self, source: SourceFile, line_ids: AbstractSet[LineId]) -> bool:
        """Whether another file at its path, with these lines, is still its file."""
        is_there = source.path in self.paths
        if source.path == STANDARD_INPUT and self.is_finished:
            return False
        return is_there and all(line_id in line_ids for line_id in self.added_ids)


def run_of(source: SourceFile, line_ids: AbstractSet[LineId], runs: Sequence[Run]) -> Run | None:
    """Return the newest run that goes on with a file; None: the file begins one."""
    same = (run for run in reversed(runs) if source.digest in run.readings)
    changed = (run for run in reversed(runs) if run.goes_on_with(source, line_ids))
    return next(same, None) or next(changed, None)


def earlier_lines(
    numbered: Sequence[tuple[LineId, GoodLine]], runs: Iterable[Run]
) -> Mapping[Position, str]:
    """Return the lines of a file whose equals these runs added, or may have.

    Each with the animal and its run, the newest one: "id 7 of week-1.csv, 2026-11-28 17:20"; raw.
    """
    positions: dict[str, list[Position]] = {}
    repeated: dict[LineId, str] = {}  # as earlier versions called a line, and its content
    for line_id, line in numbered:
        content = content_of(line_id)
        positions.setdefault(content, []).append(line.position)
        if content != line_id:
            repeated[LineId(_hashed(len(positions[content]), line))] = content
    found = {}
    for run in runs:
        label = run.label
        for line_id, state in run.states.items():
            content = repeated.get(line_id) or content_of(line_id)
            is_unknown = isinstance(state, UnknownLine)
            # The file's own line, where it is unknown in an older journal.
            if content not in positions or (is_unknown and content == line_id and not run.paths):
                continue
            if isinstance(state, AddedLine):
                name = f"id {state.pet_id} of {label}"
            else:
                name = f"what may have been added by {label}"
            found.update(dict.fromkeys(positions[content], name))
    return found
