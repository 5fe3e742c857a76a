"""The largest responses, drawn by the running app: at most 32 MB above the usual.

Each is drawn in a process of its own, which runs this file, as ``tests/client/hostile/test_memory.py``: the
first response is that of the start, F5 requests the second, and what comes is drawn.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_asyncio

from pettui.client import PetClient
from tests.client.hostile.heavy import HEAVY
from tests.client.hostile.test_memory import LIMITS, MOST_MEMORY, in_processes, weigh, weighed
from tests.tui.driving import KEY, open_app

pytestmark = pytest.mark.exhaustive

# Those that concern other parts of the app than the client.
DRAWN = (
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
    return await weighed(Path(__file__), {name: HEAVY[name] for name in DRAWN})


@pytest.mark.parametrize("name", DRAWN)
def test_a_response_takes_at_most_32_mb_with_all_that_is_drawn(
    name: str, taken: dict[str, tuple[int, str]]
) -> None:
    size, end = taken[name]
    assert size <= MOST_MEMORY, end


async def weigh_app(base_url: str) -> None:
    async with open_app(client=PetClient(base_url, KEY, limits=LIMITS)) as driver:
        screen = driver.screen
        keys = iter(["j", "f5"])

        async def ask() -> str:
            before = screen.listing
            key = next(keys)
            await driver.press(key)
            if key == "f5":
                await driver.until(
                    lambda: screen.listing is not before or screen.error_banner.failure is not None
                )
                await driver.settled()
            assert driver.text
            failure = screen.error_banner.failure
            return failure.message if failure else driver.bottom

        await weigh(ask)


if __name__ == "__main__":
    in_processes(weigh_app)
