"""Memory: at most 32 MB above the usual, whatever comes."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_asyncio

from tests.client.hostile import weighing
from tests.client.hostile.checks import MOST_MEMORY, weighed
from tests.client.hostile.heavy import HEAVY


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def taken() -> dict[str, tuple[int, str]]:
    """Request one after the other, each in a process of its own."""
    return await weighed(Path(weighing.__file__), HEAVY)


@pytest.mark.parametrize("name", HEAVY)
def test_a_response_takes_32_mb_at_most(name: str, taken: dict[str, tuple[int, str]]) -> None:
    size, end = taken[name]
    assert size <= MOST_MEMORY, end
