"""How many bytes a key costs: only the cells that changed are sent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ssh.conftest import Screen

BYTES_MAXIMUM = 400
TRUE = {"env": {"LANG": "C.UTF-8", "COLORTERM": "truecolor"}}


def bar(screen: Screen) -> str:
    """Return the name under the cursor."""
    found = re.search(r"^[▌>].. +(\d+)", screen.text, re.MULTILINE)
    return found[1] if found else ""


async def press(screen: Screen, key: str) -> int:
    """Press a key that moves the cursor; return the number of bytes received."""
    before, sent = bar(screen), len(screen.written)
    screen.press(key)
    # The old and the new row are sent in either order.
    await screen.wait_until(lambda: bar(screen) not in ("", before) and is_one_bar(screen))
    return len(screen.written) - sent


def is_one_bar(screen: Screen) -> bool:
    """Whether exactly one row has the cursor's sign."""
    return sum(line.startswith(("▌", ">")) for line in screen.text.splitlines()) == 1


@pytest.mark.parametrize(
    "options",
    [TRUE, {"term_type": "linux", "env": {"LANG": "C.UTF-8"}}],
    ids=["true colour", "linux"],
)
async def test_moving_the_cursor_costs_few_bytes(
    serve: Callable[..., Any], options: dict[str, Any]
) -> None:
    async with serve() as running, running.session(**options) as screen:
        for key in "jj":  # the scroll bar is drawn one frame after the rows
            await press(screen, key)
        counts = [await press(screen, key) for key in "jjjjkkkjj"]
        assert max(counts) < BYTES_MAXIMUM
        screen.press("q")
