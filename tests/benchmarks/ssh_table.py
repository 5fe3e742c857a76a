"""The tables that ``bench_ssh`` prints, with an aim beside each figure of ours that has one."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING

from tests.benchmarks.ssh_measures import INSIDE_EVERY, Burst, People

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.benchmarks.ssh_measures import Samples

    Figures = tuple[float, ...]
    Scenario = People | Burst

OURS = "pettui"
LEFT_OUT = "–"


@dataclass(frozen=True)
class Row:
    words: str
    figures: Callable[[Samples], Figures]
    digits: int = 0

    def text(self, figures: Figures) -> str:
        return " / ".join(f"{figure:,.{self.digits}f}" for figure in figures)


def middle(name: str) -> Callable[[Samples], Figures]:
    return lambda found: (median(found[name]),)


def p50_p99(name: str) -> Callable[[Samples], Figures]:
    return lambda found: (median(found[name]), quantiles(found[name], n=100)[98])


def p99(name: str) -> Callable[[Samples], Figures]:
    return lambda found: (quantiles(found[name], n=100)[98],)


def total(name: str) -> Callable[[Samples], Figures]:
    return lambda found: (sum(found[name]),)


CPU, LATENCY, KEY_BYTES = "CPU seconds for 1,000 keys", "key to frame, p50 / p99 ms", "bytes a key"
FIRST, EACH, ALL = "connect to the first animals, median ms", "MB (PSS) a session", "MB in all"
IDLE, LATER, FAILED = "CPU at rest, %", "MB a minute after all have left", "dropped"
READY = "the last one has its first frame, s"
ANSWERED = "the last one's first key is answered, s"
LOAD = "the load's own share of the CPU, %"
BEFORE = f"those inside, a key each {INSIDE_EVERY:g} s, before: p99 ms"
DURING = "those inside, meanwhile: p99 ms"

PEOPLE_ROWS = (
    Row(CPU, middle("processor"), 2),
    Row(LATENCY, p50_p99("latencies")),
    Row(KEY_BYTES, middle("bytes")),
    Row(FIRST, middle("first animals")),
    Row(EACH, middle("memory a session"), 2),
    Row(ALL, middle("full")),
    Row("MB before anybody came", middle("empty")),
    Row(LATER, middle("later")),
    Row(IDLE, middle("idle"), 1),
    Row(FAILED, total("failed")),
    Row(LOAD, middle("load")),
)
BURST_ROWS = (
    Row(READY, middle("last ready"), 2),
    Row(ANSWERED, middle("last answered"), 2),
    Row("CPU milliseconds for each who comes", middle("processor")),
    Row(BEFORE, p99("before")),
    Row(DURING, p99("during")),
    Row(FAILED, total("failed")),
    Row(LOAD, middle("load")),
)


def aims(scenario: Scenario, found: Samples) -> dict[str, Figures]:
    """Return what our figures may be at most; some are relative to others of ours."""
    if isinstance(scenario, Burst):
        ready, answered = {50: (0.5, 1.0), 300: (4.0, 4.0)}.get(scenario.count, (None, None))
        ready = ready if scenario.kinds == 1 else None
        if ready is None:
            return {}
        wanted: dict[str, Figures] = {READY: (ready,), ANSWERED: (answered,), FAILED: (0,)}
        if scenario.inside:
            wanted[DURING] = (2 * p99("before")(found)[0],)
        return wanted
    later = (1.3 * median(found["empty"]),)
    return {
        People(100, 0.5): {
            CPU: (1.5,), LATENCY: (12, 24), KEY_BYTES: (400,), FIRST: (30,), EACH: (1.5,),
            ALL: (200,), IDLE: (0.5,), LATER: later,
        },
        People(300, 2.0): {CPU: (1.6,), EACH: (0.7,), LATER: later},
        People(1000, 2.0): {LATENCY: (15, 60), ALL: (900,), IDLE: (1.0,), LATER: later},
    }.get(scenario, {})  # fmt: skip


def lines(scenario: Scenario, columns: dict[str, Samples]) -> Iterator[str]:
    """Yield the lines of a table in Markdown; a missed aim makes our figure bold."""
    yield f"| {scenario.title} | {' | '.join(columns)} | aim |"
    yield "|---" * (len(columns) + 2) + "|"
    wanted = aims(scenario, columns[OURS])
    for row in BURST_ROWS if isinstance(scenario, Burst) else PEOPLE_ROWS:
        aim = wanted.get(row.words, ())
        cells = [_cell(row, name, found, aim) for name, found in columns.items()]
        if cells != [LEFT_OUT] * len(cells):
            yield f"| {row.words} | {' | '.join(cells)} | {row.text(aim)} |"


def _cell(row: Row, name: str, found: Samples, aim: Figures) -> str:
    try:
        figures = row.figures(found)
    except ValueError:  # there are no samples: it was left out
        return LEFT_OUT
    missed = name == OURS and any(
        round(figure, row.digits) > most for figure, most in zip(figures, aim, strict=False)
    )
    return f"**{row.text(figures)}**" if missed else row.text(figures)
