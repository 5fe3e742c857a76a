"""Any status, headers and bytes: a result, or an error of the tree.

``HYPOTHESIS_PROFILE=ci`` tries 4,000 answers, and 1,000 on the wire.
"""

from __future__ import annotations

import json
import os

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pettui.client import PetClient
from pettui.models import NewPet, PetStatus
from pettui.settings import Limits
from tests.client.hostile.any_headers import HEADERS, response
from tests.client.hostile.bodies import NO_JSON, NO_PETS, REX
from tests.client.hostile.checks import KEY, check_outcome
from tests.client.hostile.server import HostileServer, raw

EXAMPLES = 4_000 if os.environ.get("HYPOTHESIS_PROFILE") == "ci" else 200
many = settings(deadline=None, suppress_health_check=list(HealthCheck))
ONCE = Limits(tries=0, deadline=5)
TINY = NewPet(name="Tiny", category_id=3)
OPERATIONS = st.sampled_from(["listPets", "getPet", "createPet"])

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
PET_LIKE = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("id", "name", "categoryId", "status", "code", "message", "detail"), JSON
    ),
)
BODIES = st.one_of(
    st.binary(max_size=200),
    st.sampled_from([body for body, _ in {**NO_JSON, **NO_PETS}.values() if len(body) < 5000]),
    JSON.map(lambda value: json.dumps(value).encode()),
    PET_LIKE.map(lambda value: json.dumps(value).encode()),
    st.lists(PET_LIKE, max_size=3).map(lambda value: json.dumps(value).encode()),
    st.text().map(lambda text: f"[{REX},{text}]".encode("utf-8", "surrogatepass")),
    st.integers(0, len(REX)).map(lambda end: REX[:end].encode()),
)
STATUSES = st.sampled_from([200, 201, 301, 308, 401, 429, 503]) | st.integers(100, 999)


class Whatever(httpx.AsyncBaseTransport):
    """Sends the same response to every request."""

    def __init__(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        self._status = status
        self._headers = headers
        self._body = body

    async def handle_async_request(self, _: httpx.Request) -> httpx.Response:
        return httpx.Response(
            self._status, headers=self._headers, stream=httpx.ByteStream(self._body)
        )


async def check_operation(client: PetClient, operation: str) -> None:
    if operation == "createPet":
        await check_outcome(client.create_pet(TINY))
    elif operation == "getPet":
        await check_outcome(client.get_pet(7))
    else:
        page = await check_outcome(client.list_pets(status=PetStatus.SOLD))
        if page is not None and page.next_link is not None:
            await check_outcome(client.list_next_pets(page))


@settings(many, max_examples=EXAMPLES)
@given(
    operation=OPERATIONS,
    status=STATUSES,
    headers=HEADERS,
    body=BODIES,
)
async def test_any_response_is_the_interfaces_or_an_error_of_the_tree(
    operation: str, status: int, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    transport = Whatever(status, headers, body)
    client = PetClient("http://store.example/v1", KEY, transport=transport, limits=ONCE)
    await check_operation(client, operation)


@settings(many, max_examples=EXAMPLES // 4)
@given(
    operation=OPERATIONS,
    data=st.builds(response, STATUSES, HEADERS, BODIES)
    | st.binary(max_size=300)
    | st.tuples(
        st.sampled_from([b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 500 No\r\n", b"HTTP/1.1 1"]),
        st.lists(st.sampled_from([b"Content-Length: 9\r\n", b"Transfer-Encoding: chunked\r\n"])),
        st.binary(max_size=40),
        st.just(b"\r\n\r\n"),
        BODIES,
    ).map(lambda parts: parts[0] + b"".join(parts[1]) + b"".join(parts[2:])),
)
async def test_any_bytes_on_the_wire_are_a_response_or_an_error_of_the_tree(
    operation: str, data: bytes
) -> None:
    async with HostileServer(raw(data)) as server:
        client = PetClient(server.base_url, KEY, limits=ONCE)
        try:
            await check_operation(client, operation)
        finally:
            await client.aclose()
        assert server.adds <= 1
