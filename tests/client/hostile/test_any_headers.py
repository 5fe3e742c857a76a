"""Any bytes in any header of any response, on the wire: a result, or an error of the tree.

``HYPOTHESIS_PROFILE=ci`` tries 2,000 of them.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pettui.client import PetClient
from pettui.models import NewPet
from pettui.settings import Limits
from tests.client.hostile.any_headers import HEADERS, response
from tests.client.hostile.bodies import REX
from tests.client.hostile.checks import KEY, check_outcome
from tests.client.hostile.server import HostileServer, raw

EXAMPLES = 2_000 if os.environ.get("HYPOTHESIS_PROFILE") == "ci" else 60
ONCE = Limits(tries=0, deadline=5)
BODIES = st.sampled_from([b"", b"[" + REX.encode() + b"]", REX.encode(), b'{"code":"a"}', b"\xff"])
STATUSES = st.sampled_from([200, 201, 301, 303, 308, 401, 429, 503]) | st.integers(100, 999)


async def check_every_call(client: PetClient) -> None:
    page = await check_outcome(client.list_pets())
    if page is not None and page.next_link is not None:
        await check_outcome(client.list_next_pets(page))
    await check_outcome(client.get_pet(7))
    await check_outcome(client.create_pet(NewPet(name="Tiny", category_id=3)))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(status=STATUSES, headers=HEADERS, body=BODIES)
async def test_any_header_is_a_responses_or_an_error_of_the_tree(
    status: int, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    async with HostileServer(raw(response(status, headers, body))) as server:
        client = PetClient(server.base_url, KEY, limits=ONCE)
        try:
            await check_every_call(client)
        finally:
            await client.aclose()
        assert server.adds <= 1
