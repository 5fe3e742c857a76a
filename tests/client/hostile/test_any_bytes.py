"""Any status, headers and bytes: a result, or an error of the tree; and the key is nowhere in it.

``HYPOTHESIS_PROFILE=ci`` tries 4,000 answers, and 1,000 on the wire.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pettui.client import PetClient, PetClientError
from pettui.models.pets import PetStatus
from pettui.settings.settings import Limits
from tests.client.hostile.checks import KEY, TINY, check_is_reportable, failure_of
from tests.client.hostile.server import REX, HostileServer, Step, http, raw

if TYPE_CHECKING:
    from tests.client.conftest import Answered

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
            result: object = await client.create_pet(TINY)
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


# ── a service that sends the key back, plain or escaped ──────────────────────────────────────────

ESCAPED = "".join(f"\\u{ord(character):04x}" for character in KEY)
KEYS = pytest.mark.parametrize("key", [KEY, ESCAPED], ids=["plain", "escaped"])
ERROR = '{"code": "KEY", "message": "Bearer KEY is bad", "status": 400, "request": {"key": "KEY"}}'
PAGE = '[{"id": 1, "name": "KEY", "categoryId": 3, "note": "KEY", "KEY": ["KEY"]}, {"id": "KEY"}]'
PET = '{"id": 1, "name": "KEY", "categoryId": 3, "status": "KEY", "note": "KEY"}'


# What an error of each holds is checked by failure_of.
ECHOES: dict[str, Step] = {
    "a content type": http(500, "no", content_type=KEY),
    "what is no HTTP": raw(f"{KEY} Bearer {KEY}\r\n\r\n".encode()),
    "half an answer": raw(f"HTTP/1.1 500 {KEY}\r\nContent-Length: 99\r\n\r\n{KEY}".encode()),
    "broken JSON": http(200, f'{{"broken": "{KEY}" no'),
    "a web page": http(502, f"<p>{KEY}</p>"),
    "a redirect": http(302, "", [("Location", f"http://evil.example/?key={KEY}")]),
    "an encoding": http(400, "{}", [("Content-Encoding", KEY.upper())]),
}


@pytest.mark.parametrize("name", ECHOES)
async def test_a_response_that_is_none_is_reported_without_the_key(
    name: str, answered: Answered
) -> None:
    await failure_of(answered(ECHOES[name]).list_pets())


@KEYS
async def test_an_error_body_that_holds_the_key_is_reported_without_it(
    key: str, answered: Answered
) -> None:
    error = await failure_of(answered(http(400, ERROR.replace("KEY", key))).list_pets())
    assert str(error) == "400 ***: Bearer *** is bad"
    assert ESCAPED not in repr(vars(error))


@KEYS
async def test_animals_that_hold_the_key_are_shown_without_it(key: str, answered: Answered) -> None:
    client = answered(http(200, PAGE.replace("KEY", key)), http(200, PET.replace("KEY", key)))
    page = await client.list_pets()
    answer = await client.get_pet(1)
    assert len(page.rows) == 2
    shown = repr((page, answer, page.pets[0].to_json(), page.pets[0].others))
    assert KEY not in shown
    assert ESCAPED[2:] not in shown


@pytest.mark.parametrize("before", range(60, 130, 8))
async def test_what_is_cut_of_malformed_http_holds_no_part_of_the_key(
    before: int, answered: Answered
) -> None:
    """Wherever in the key the cut is."""
    with pytest.raises(PetClientError, match="does not send HTTP") as caught:
        await answered(
            raw(b"HTTP/1.1 200 OK\r\n" + b"x" * before + f" {KEY}\r\n\r\n".encode())
        ).list_pets()
    assert KEY[:4] not in str(caught.value)
