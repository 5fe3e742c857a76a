"""Any bytes in any header, in the running app: it reports what came, and goes on.

``HYPOTHESIS_PROFILE=ci`` tries 40 apps, with four responses each.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.client.hostile.any_headers import HEADERS, response
from tests.client.hostile.bodies import REX
from tests.client.hostile.server import raw
from tests.tui.driving import QUICK_LIMITS
from tests.tui.hostile.running import open_stage

pytestmark = pytest.mark.exhaustive

EXAMPLES = 40 if os.environ.get("HYPOTHESIS_PROFILE") == "ci" else 8
# Longer waits that a service asks for have their own tests.
LIMITS = replace(QUICK_LIMITS, retry_after=0.01, deadline=5)
ANSWERS = st.tuples(
    st.sampled_from([200, 201, 302, 308, 404, 429, 503]) | st.integers(200, 999),
    HEADERS,
    st.sampled_from([b"", f"[{REX}]".encode(), REX.encode(), b'{"code":"a"}', b"\xff"]),
)
SETTLING = st.sampled_from([200, 201, 303, 400, 404, 500])  # of an add: it stays waiting after none


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink takes minutes of waiting
)
@given(answers=st.lists(ANSWERS, min_size=3, max_size=3), add=st.tuples(SETTLING, HEADERS))
async def test_no_header_stops_the_app_or_leaks_the_key(
    answers: list[tuple[int, list[tuple[bytes, bytes]], bytes]],
    add: tuple[int, list[tuple[bytes, bytes]]],
) -> None:
    async with open_stage(LIMITS) as stage:
        for answer in answers:
            await stage.request(raw(response(*answer)))
            await stage.recovers()
        await stage.driver.press("a", "tab", "3", "shift+tab")
        await stage.add(raw(response(*add, REX.encode())))
        assert stage.driver.app.failure is None
