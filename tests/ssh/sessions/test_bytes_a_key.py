"""How many bytes a key costs: only the cells that changed are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.ssh.conftest import Serve


BYTES_MAXIMUM = 400


@pytest.mark.parametrize(
    ("options", "bar"),
    [
        ({"env": {"LANG": "C.UTF-8", "COLORTERM": "truecolor"}}, "▌"),
        ({"term_type": "linux", "env": {"LANG": "C.UTF-8"}}, ">"),
    ],
    ids=["true colour", "linux"],
)
async def test_moving_the_cursor_costs_few_bytes(
    serve: Serve, options: dict[str, Any], bar: str
) -> None:
    async with serve() as running, running.session(**options) as screen:
        rows = [59, 58, 57, 56, 55, 54, 55, 56]
        sent = []
        for key, row in zip("jjjjjjkk", rows, strict=True):
            before = len(screen.written)
            screen.press(key)
            await screen.wait_for(f"{bar}    {row}")
            sent.append(len(screen.written) - before)
        assert max(sent[2:]) < BYTES_MAXIMUM  # the scroll bar is drawn one frame after the rows
