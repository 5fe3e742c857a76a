"""Calls that hang, drip or flood: each is given up by its limit, and said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pettui.settings import Limits
from tests.client.hostile.server import endless, stall
from tests.client.hostile.wire import CUT, ENDLESS

if TYPE_CHECKING:
    from tests.tui.hostile.stage import Stage

LIMITS = Limits(tries=0, silence=0.15, deadline=0.3)
STAGE = {"size": (80, 24), "limits": LIMITS}
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.exhaustive]
HANGING = {
    **{name: stall(data) for name, data in CUT.items()},
    **{name: endless(*parts) for name, parts in ENDLESS.items()},
}
# Which of its two limits a silent call meets first, on a machine that is busy, is no matter.
GIVEN_UP = re.compile("nothing was received for 0.15 s|no complete response within 0.3 s")


@pytest.mark.parametrize("name", HANGING)
async def test_a_list_that_hangs_is_given_up_and_the_rows_stay(name: str, stage: Stage) -> None:
    await stage.request(HANGING[name])
    stage.shows("✖ No response", f"cannot read from 127.0.0.1:{stage.server.port}: ")
    assert GIVEN_UP.search(stage.driver.words)
    stage.keeps_rows()
    assert len(stage.server.seen) == 1
    await stage.recovers()
