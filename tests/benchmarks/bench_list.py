"""What a find, a sort, a page and a refresh cost on the list, by how many rows are loaded.

::

    .venv/bin/python -m tests.benchmarks.bench_list [--sizes 100 1000 10000] [--rounds N]

First the plain part, without a screen: milliseconds in the event loop for each thing that a key or
a response does with the rows. Then what keys cost in the running app, until what they changed is
drawn. All is CPU time, p50 and p99, with garbage collected as the program does; the sizes take turns,
so that noise affects all. A third of the names is beyond ASCII, and one row in a hundred
could not be read.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
import tracemalloc
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from pettui.client import UnreadablePet
from pettui.columns import COLUMNS, NAME
from pettui.finding import found_spans
from pettui.idle_collection import collect_young_objects_alone
from pettui.models import Pet
from pettui.rows import Direction, RowView, ShownRows, shown_rows
from pettui.tui.lists.rows import cursor_at, merged_rows, moved_cursor
from tests.benchmarks.list_keys import measure_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pettui.rows import Element

PAGE = 100
SCREEN = 50  # rows that are drawn at once
FIRST = (
    "Luna",
    "Rex",
    "Mimi",
    "Tiny",
    "Bello",
    "Cleo",
    "Señor",
    "Ægir",
    "Рекс",
    "猫",
    "한글",
    "🐹",
)
LAST = ("Orejas", "of the north", "II", "the brave", "Strauß", "Nguyễn", "von Hohenstein", "")
STATUSES = ("available", "pending", "sold", None, "lost")
BOUNDS = {"the first letter": 30.0, "sort by name": 100.0}  # milliseconds, at 10,000 rows


def category_name(category: int) -> str:
    """Return the shop's own name."""
    return {1: "Cats", 3: "Dogs", 7: "Birds"}.get(category, "")


def loaded_rows(size: int) -> tuple[Element, ...]:
    """Return rows, newest first."""
    return tuple(
        UnreadablePet(number % PAGE, "name: is missing", "{}")
        if number % 100 == 57
        else Pet(
            id=number,
            name=f"{random.choice(FIRST)} {random.choice(LAST)} {random.randint(1, 999)}",
            category_id=random.randint(1, 12),
            status=random.choice(STATUSES),
        )
        for number in range(size, 0, -1)
    )


@dataclass(frozen=True)
class Listed:
    """What is on the list when the clerk does the next thing."""

    rows: tuple[Element, ...]
    plain: ShownRows
    found: ShownRows  # by one letter
    by_name: ShownRows
    without_last_page: ShownRows  # sorted and found

    @classmethod
    def of(cls, size: int) -> Listed:
        """Return a list of this many rows."""
        rows = loaded_rows(size)
        plain = shown_rows(rows, RowView(), category_name)
        return cls(
            rows,
            plain,
            shown_rows(rows, RowView("l"), category_name, plain),
            shown_rows(rows, RowView("", NAME), category_name, plain),
            shown_rows(rows[: -min(PAGE, size // 2)], RowView("l", NAME), category_name),
        )

    def steps(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Return what is measured: each with what it does."""

        def shows(view: RowView, before: ShownRows | None) -> Callable[[], object]:
            def show() -> tuple[Element, ...]:
                return shown_rows(self.rows, view, category_name, before).elements

            return show

        yield "the first letter", shows(RowView("l"), self.plain)
        yield "the second letter", shows(RowView("lu"), self.found)
        yield "a letter taken back", shows(RowView(""), self.found)
        yield "three words pasted", shows(RowView("luna strauss 9"), self.plain)
        yield "a word that is not there", shows(RowView("xyzzy"), self.plain)
        for column in COLUMNS:
            yield f"sort by {column.name}", shows(RowView("", column), self.plain)
        down = RowView("", NAME, Direction.DESCENDING)
        yield "the other direction", shows(down, self.by_name)
        yield "a letter, sorted by name", shows(RowView("l", NAME), self.by_name)
        yield (
            "a page comes in, found and sorted",
            shows(RowView("l", NAME), self.without_last_page),
        )
        yield "the first page is merged", self._merge
        yield "the cursor after a letter", self._move
        yield f"the highlights of {SCREEN} rows", self._highlight

    def _merge(self) -> object:
        newest = Pet(id=len(self.rows) + 1, name="Luna", category_id=3, status="available")
        page = (newest, *self.rows[: PAGE - 1])
        merged = merged_rows(self.rows, page, is_whole=False, went_on=True)
        return shown_rows(merged.loaded, RowView("l"), category_name, self.found)

    def _move(self) -> object:
        middle = cursor_at(len(self.rows) // 2, self.rows)
        return moved_cursor(middle, self.rows, self.found.elements)

    def _highlight(self) -> object:
        shown = self.found.elements[:SCREEN]
        return [
            [
                found_spans(text, self.found.words)
                for column in COLUMNS
                for text in column.texts(column.value(row), category_name)
            ]
            for row in shown
            if not isinstance(row, UnreadablePet)
        ]


def measure(lists: dict[int, Listed], rounds: int) -> dict[str, dict[int, list[float]]]:
    """Return milliseconds by step and size."""
    took: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(rounds):
        for size, listed in lists.items():
            for name, step in listed.steps():
                started = time.process_time()
                step()
                took[name][size].append((time.process_time() - started) * 1000)
    return took


def report(took: dict[str, dict[int, list[float]]]) -> None:
    """Print p50 and p99 by step and size."""
    sizes = sorted(next(iter(took.values())))
    print(f"{'milliseconds, p50 and p99':36}" + "".join(f"{size:>16,}" for size in sizes))
    for name, by_size in took.items():
        figures = "".join(f"{figure(by_size[size]):>16}" for size in sizes)
        bound = f"   at most {BOUNDS[name]:g}" if name in BOUNDS else ""
        print(f"{name:36}{figures}{bound}")


def figure(times: list[float]) -> str:
    """Return p50 and p99."""
    return f"{median(times):.2f} {p99(times):.2f}"


def p99(times: list[float]) -> float:
    """Return the 99th percentile."""
    return sorted(times)[int(len(times) * 0.99)]


def report_folding(size: int) -> None:
    """Print what it costs to prepare rows for finding, page by page, in time and memory."""
    rows = loaded_rows(size)
    tracemalloc.start()
    shown = shown_rows((), RowView(), category_name)
    for end in range(PAGE, size + 1, PAGE):
        shown = shown_rows(rows[:end], RowView(), category_name, shown)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    times = []
    for start in range(0, size, PAGE):
        started = time.process_time()
        shown_rows(rows[start : start + PAGE], RowView(), category_name)
        times.append((time.process_time() - started) * 1000)
    print(f"a page of {PAGE} is folded in {figure(times)} ms", end="; ")
    print(f"{size:,} rows keep {kept / 1e6:.1f} MB ({kept / size:,.0f} bytes each) beside them")


def report_keys(sizes: Sequence[int], rounds: int) -> None:
    """Print what keys cost in the running app, and how much more than at the smallest size."""
    took = measure_keys(sorted(sizes), rounds)
    first, last = took[min(sizes)], took[max(sizes)]
    print(f"{'keys in the app: CPU, p50 and p99':36}" + "".join(f"{size:>16,}" for size in took))
    for name in first:
        figures = "".join(f"{figure(by_step[name]):>16}" for by_step in took.values())
        ratios = (rank(last[name]) / rank(first[name]) for rank in (median, p99))
        print(f"{name:36}{figures}   {' '.join(f'{ratio:.2f}' for ratio in ratios)} times")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--key-rounds", type=int, default=10, help="in the app")
    given = parser.parse_args()
    random.seed(1)
    gc.collect()
    gc.freeze()
    collect_young_objects_alone()
    lists = {size: Listed.of(size) for size in given.sizes}
    report(measure(lists, given.rounds))
    report_folding(max(given.sizes))
    report_keys(given.sizes, given.key_rounds)


if __name__ == "__main__":
    main()
