"""The largest responses, drawn by the running app: at most 32 MB above the usual."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_asyncio

from tests.client.hostile.checks import MOST_MEMORY, weighed
from tests.client.hostile.heavy import HEAVY
from tests.tui.hostile import weighing

pytestmark = pytest.mark.exhaustive

# Those that concern other parts of the app than the client.
DRAWN = (
    "a bomb of gzip",
    "a body without end",
    "names, in one element",
    "names and a long text beyond ASCII",
    "a long name of escapes",
    "a long status",
    "a long other field",
    "an other field of many values",
    "as many animals as may be",
    "rows that are none",
    "an Error body",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def taken() -> dict[str, tuple[int, str]]:
    """Show one after the other, each in a process of its own."""
    return await weighed(Path(weighing.__file__), {name: HEAVY[name] for name in DRAWN})


@pytest.mark.parametrize("name", DRAWN)
def test_a_response_takes_at_most_32_mb_with_all_that_is_drawn(
    name: str, taken: dict[str, tuple[int, str]]
) -> None:
    size, end = taken[name]
    assert size <= MOST_MEMORY, end
