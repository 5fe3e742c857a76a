"""Cases of a table that ``make fast`` leaves out, because the others show the same behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _pytest.mark import ParameterSet


def exhaustive(*values: Any) -> list[ParameterSet]:
    """Return the cases of a table with one column."""
    return exhaustive_rows(*((value,) for value in values))


def exhaustive_rows(*rows: Sequence[Any]) -> list[ParameterSet]:
    """Return the cases of a table with several columns."""
    return [pytest.param(*row, marks=pytest.mark.exhaustive) for row in rows]
