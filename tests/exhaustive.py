"""What `make test` leaves out: cases of a table that show what others show, and long runs.

`make check` runs them too, with a tenth of the kills and clients of a long run; `make exhaustive` runs
those whole.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _pytest.mark import ParameterSet


WHOLE = bool(os.environ.get("PETTUI_WHOLE_RUNS"))


def times(whole: int) -> int:
    """Return how often a long run does something: a tenth of it, unless runs are whole."""
    return whole if WHOLE else whole // 10


def only_whole(*values: Any) -> list[ParameterSet]:
    """Return the cases of a table with one column that only `make exhaustive` has time for."""
    return exhaustive(*values) if WHOLE else []


def product(*tables: Sequence[Any]) -> list[ParameterSet]:
    """Return the cases of a product of tables; without the exhaustive ones, each value is in one."""
    some = {tuple(n % len(table) for table in tables) for n in range(max(map(len, tables)))}
    return [
        pytest.param(
            *(table[n] for table, n in zip(tables, numbers, strict=True)),
            marks=[] if numbers in some else pytest.mark.exhaustive,
        )
        for numbers in itertools.product(*(range(len(table)) for table in tables))
    ]


def exhaustive(*values: Any) -> list[ParameterSet]:
    """Return the cases of a table with one column."""
    return exhaustive_rows(*((value,) for value in values))


def further(*cases: ParameterSet) -> list[ParameterSet]:
    """Return cases of a table that show what one case of it shows."""
    return [each._replace(marks=[pytest.mark.exhaustive]) for each in cases]


def first(*cases: ParameterSet) -> list[ParameterSet]:
    """Return the cases of a table of which the first one shows what all show."""
    return [*cases[:1], *further(*cases[1:])]


def exhaustive_rows(*rows: Sequence[Any]) -> list[ParameterSet]:
    """Return the cases of a table with several columns."""
    return [pytest.param(*row, marks=pytest.mark.exhaustive) for row in rows]
