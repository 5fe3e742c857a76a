"""Any status, headers and bytes: a result, or an error of the tree.

``HYPOTHESIS_PROFILE=ci`` tries 4,000 answers, and 1,000 on the wire.
"""

from __future__ import annotations

import json
import os

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pettui.client import PetClient, PetClientError
from pettui.models import NewPet, PetStatus
from pettui.settings import Limits
from tests.client.hostile.checks import KEY, check_is_reportable
from tests.client.hostile.server import REX, HostileServer, raw

EXAMPLES = 4_000 if os.environ.get("HYPOTHESIS_PROFILE") == "ci" else 200
many = settings(deadline=None, suppress_health_check=list(HealthCheck))
ONCE = Limits(tries=0, deadline=5)
OPERATIONS = st.sampled_from(["listPets", "getPet", "createPet"])
STATUSES = st.sampled_from([200, 201, 301, 308, 401, 429, 503]) | st.integers(100, 999)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
FIELDS = ("id", "name", "categoryId", "status", "code", "message", "detail")
PET_LIKE = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON))
BODIES = st.one_of(
    st.binary(max_size=200),
    (JSON | PET_LIKE | st.lists(PET_LIKE, max_size=3)).map(json.dumps).map(str.encode),
    st.text().map(lambda text: f"[{REX},{text}]".encode("utf-8", "surrogatepass")),
    st.integers(0, len(REX)).map(lambda end: REX[:end].encode()),
)

NAMES = (
    "Location", "Link", "Retry-After", "Sunset", "Deprecation", "Date", "Content-Length",
    "Content-Encoding", "Content-Type", "Transfer-Encoding", "Connection", "Upgrade", "Set-Cookie",
)  # fmt: skip
ADDRESSES = st.builds(
    "{}{}{}".format,
    st.sampled_from(("", "http://", "https://", "//", "HTTP:", "http:/", "\\\\", "mailto:")),
    st.sampled_from(("xn--a", "[::1", "[v1.a]", "127.0.0.1", "0x7f.1", "a..b", "%41", "@", "\xdf")),
    st.sampled_from(("", ":", ":0", ":99999", ":x", "/", "/v1/pets", "?a", "#b", "/%zz", "/\xff")),
)
RELATIONS = st.sampled_from(("next", "successor-version", "deprecation", '"next last"', ""))
KNOWN = st.sampled_from(
    (
        "-1", "1e400", "9" * 2_500, "\u0661", "gzip", "gzip, gzip", "json;;;", "chunked", "close",
        "h2c", "@1", "@99999999999999", "true", "Thu, 05 Dec 9999 23:59:60 GMT",
    )
)  # fmt: skip
VALUES = (
    ADDRESSES
    | st.builds("<{}>; rel={}".format, ADDRESSES, RELATIONS)
    | KNOWN
    | st.text(max_size=40)
    | st.binary(max_size=40).map(lambda value: value.decode("latin-1"))
).map(lambda text: text.encode("utf-8", "surrogatepass").replace(b"\r", b"").replace(b"\n", b""))
HEADERS = st.lists(st.tuples(st.sampled_from(NAMES).map(str.encode), VALUES), max_size=5)


def response(status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> bytes:
    """Return an HTTP response that ends with its connection."""
    lines = [b"HTTP/1.1 %d Whatever" % status, *(b"%b: %b" % pair for pair in headers)]
    return b"\r\n".join([*lines, b"", b""]) + body


async def check_operation(client: PetClient, operation: str) -> None:
    """Check that a call returns what holds no key, or raises an error of the tree."""
    try:
        if operation == "createPet":
            result: object = await client.create_pet(NewPet(name="Tiny", category_id=3))
        elif operation == "getPet":
            result = await client.get_pet(7)
        else:
            result = page = await client.list_pets(status=PetStatus.SOLD)
            if page.next_link is not None:
                result = await client.list_next_pets(page)
    except PetClientError as error:
        check_is_reportable(error)
    else:
        assert KEY not in repr(result)


@settings(many, max_examples=EXAMPLES)
@given(operation=OPERATIONS, status=STATUSES, headers=HEADERS, body=BODIES)
async def test_any_response_is_the_interfaces_or_an_error_of_the_tree(
    operation: str, status: int, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    transport = httpx.MockTransport(
        lambda _: httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))
    )
    client = PetClient("http://store.example/v1", KEY, transport=transport, limits=ONCE)
    await check_operation(client, operation)


@settings(many, max_examples=EXAMPLES // 4)
@given(
    operation=OPERATIONS,
    data=st.builds(response, STATUSES, HEADERS, BODIES)
    | st.binary(max_size=300)
    | st.tuples(
        st.sampled_from([b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 500 No\r\n", b"HTTP/1.1 1"]),
        st.sampled_from([b"Content-Length: 9\r\n", b"Transfer-Encoding: chunked\r\n"]),
        st.binary(max_size=40),
        st.just(b"\r\n\r\n"),
        BODIES,
    ).map(b"".join),
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
