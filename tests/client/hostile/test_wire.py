"""What goes wrong below the body: connections, HTTP itself, TLS, and packing."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError, NoErrorBodyError, UnreadableAnswerError
from pettui.models import NewPet
from pettui.settings import Limits
from tests.client.hostile.bodies import REX
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import drop, endless, http, raw, reset, stall

if TYPE_CHECKING:
    from tests.client.conftest import Ask, Serve

TINY = NewPet(name="Tiny", category_id=3)
LIST = f"[{REX}]".encode()
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
HURRIED = Limits(tries=0, silence=0.2, connect=0.2, deadline=0.5)

# name → (the bytes of an answer, what is said about it)
NO_HTTP: dict[str, tuple[bytes, str]] = {
    "a mail server": (b"220 mail.example ESMTP\r\n\r\n", "what it sends is no HTTP"),
    "SSH": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "what it sends is no HTTP"),
    "TLS": (b"\x15\x03\x01\x00\x02\x02\x16\r\n\r\n", "what it sends is no HTTP"),
    "HTTP/2": (b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\r\n\r\n", "what it sends is no HTTP"),
    "HTTP/0.9": (b"<html>hello</html>\r\n\r\n", "what it sends is no HTTP"),
    "JSON alone": (REX.encode() + b"\r\n\r\n", "what it sends is no HTTP"),
    "a status in words": (b"HTTP/1.1 OK OK\r\n\r\n", "what it sends is no HTTP"),
    "a status of two digits": (b"HTTP/1.1 20 OK\r\n\r\n", "what it sends is no HTTP"),
    "a status of four digits": (b"HTTP/1.1 2000 OK\r\n\r\n", "what it sends is no HTTP"),
    "a status of 0": (b"HTTP/1.1 000 OK\r\n\r\n", "what it sends is no HTTP"),
    "escapes for a status": (b"\x1b]52;c;AAAA\x07\r\n\r\n", "what it sends is no HTTP"),
    "a header without a name": (OK + b": x\r\n\r\n", "what it sends is no HTTP"),
    "a header without a colon": (OK + b"nonsense\r\n\r\n", "what it sends is no HTTP"),
    "a header with a blank": (OK + b"Con tent: x\r\n\r\n", "what it sends is no HTTP"),
    "a header with a zero": (OK + b"X: a\0b\r\n\r\n", "what it sends is no HTTP"),
    "a length in words": (OK + b"Content-Length: ten\r\n\r\n", "what it sends is no HTTP"),
    "a length below nothing": (OK + b"Content-Length: -1\r\n\r\n", "what it sends is no HTTP"),
    "a length of many digits": (
        OK + b"Content-Length: " + b"9" * 50 + b"\r\n\r\n",
        "what it sends is no HTTP",
    ),
    "two lengths": (
        OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]",
        "what it sends is no HTTP",
    ),
    "an unknown transfer": (OK + b"Transfer-Encoding: gzip\r\n\r\n", "what it sends is no HTTP"),
    "a chunk of no size": (
        OK + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "what it sends is no HTTP",
    ),
    "a chunk below nothing": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\n[]",
        "what it sends is no HTTP",
    ),
    "a chunk that is longer than it says": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]]\r\n0\r\n\r\n",
        "what it sends is no HTTP",
    ),
    "a chunk with an endless size": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 200_000,
        "more than 100 kB",
    ),
    "headers without an end": (OK + b"X: " + b"x" * 300_000, "more than 100 kB"),
    "headers without number": (OK + b"X: y\r\n" * 50_000, "more than 100 kB"),
    "a status line without an end": (b"HTTP/1.1 200 " + b"O" * 300_000, "more than 100 kB"),
    "an ending without an end": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 50_000,
        "more than 100 kB",
    ),
    "a switch of protocols": (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "what it sends is no HTTP",
    ),
}

CUT: dict[str, bytes] = {
    "nothing": b"",
    "half a status line": b"HTTP/1.1 20",
    "half a header": OK + b"Content-Le",
    "headers alone": OK + b"Content-Length: 50\r\n\r\n",
    "half a body": OK + b"Content-Length: 50\r\n\r\n[",
    "half a chunk": OK + b"Transfer-Encoding: chunked\r\n\r\n50\r\n[",
    "no last chunk": OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n",
    "after 100 Continue": b"HTTP/1.1 100 Continue\r\n\r\n",
}


@pytest.mark.parametrize("name", NO_HTTP)
async def test_what_is_no_http_is_told_so(name: str, serve: Serve, client_of: Ask) -> None:
    data, said = NO_HTTP[name]
    server = await serve(raw(data))
    error = await failure_of(client_of(server).create_pet(TINY))
    assert said in str(error)
    assert len(str(error)) < 400
    assert error.maybe_sent
    assert server.adds == 1


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("end", [raw, reset])
async def test_a_connection_that_is_dropped_gave_no_answer(
    name: str, end: object, serve: Serve, client_of: Ask
) -> None:
    server = await serve(end(CUT[name]))
    error = await failure_of(client_of(server).create_pet(TINY))
    assert isinstance(error, NoAnswerError)
    assert error.step == "read from"
    assert error.address == f"127.0.0.1:{server.port}"
    assert "connection" in error.reason
    assert error.maybe_sent
    assert error.passing
    assert server.adds == 1


@pytest.mark.parametrize("name", CUT)
async def test_silence_ends_by_its_limit(name: str, serve: Serve, client_of: Ask) -> None:
    error = await failure_of(client_of(await serve(stall(CUT[name])), HURRIED).create_pet(TINY))
    assert isinstance(error, NoAnswerError)
    assert error.reason == "nothing was sent for 0.2 s"
    assert error.maybe_sent


@pytest.mark.parametrize(
    ("start", "again", "pause"),
    [
        (OK + b"Content-Length: 1000000\r\n\r\n", b" ", 0.01),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.01),
        (OK, b"X: y\r\n", 0.01),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.0),
        (b"", b"HTTP/1.1 102 Processing\r\nX: y\r\n\r\n", 0.01),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 10_000, 0.0),
    ],
    ids=["drips", "drips in chunks", "drips headers", "floods 100", "drips 102", "floods chunks"],
)
async def test_what_never_ends_ends_by_the_deadline(
    start: bytes, again: bytes, pause: float, serve: Serve, client_of: Ask
) -> None:
    server = await serve(endless(start, again, pause))
    error = await failure_of(client_of(server, HURRIED).list_pets())
    assert isinstance(error, NoAnswerError)
    assert str(error) == (f"cannot read from 127.0.0.1:{server.port}: no whole answer within 0.5 s")
    assert not error.passing


async def test_the_loop_goes_on_while_a_flood_comes_in(serve: Serve, client_of: Ask) -> None:
    turns = 0

    async def work() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    start = OK + b"Transfer-Encoding: chunked\r\n\r\n"
    server = await serve(endless(start, b"1\r\n \r\n" * 10_000))
    worker = asyncio.create_task(work())
    await failure_of(client_of(server, HURRIED).list_pets())
    worker.cancel()
    assert turns > 20


@pytest.mark.parametrize("start", [OK + b"\r\n", OK + b"Content-Length: 99999999999\r\n\r\n"])
async def test_a_body_without_an_end_is_left_at_its_limit(
    start: bytes, serve: Serve, client_of: Ask
) -> None:
    error = await failure_of(client_of(await serve(endless(start, b" " * 65_536))).list_pets())
    assert isinstance(error, UnreadableAnswerError)
    assert "application/json, more than 2.0 MB came" in error.reason


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.0 200 OK\r\n\r\n" + LIST,
        b"HTTP/1.1 200\r\n\r\n" + LIST,
        OK
        + b"Transfer-Encoding: chunked\r\n\r\n%x;a=b\r\n%b\r\n0\r\nX: y\r\n\r\n"
        % (len(LIST), LIST),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + OK + b"\r\n" + LIST,
        OK + b"X: \xff\xfe\x80\r\nX:\r\n\r\n" + LIST,
        OK + b"Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (len(LIST), len(LIST)) + LIST,
        OK + b"Content-Length: %d\r\n\r\n" % len(LIST) + LIST + b"HTTP/1.1 500 No\r\n\r\n",
        OK + b"Set-Cookie: a=b\r\nSet-Cookie: \x80=;;;=\r\n\r\n" + LIST,
    ],
    ids=[
        "1.0",
        "no phrase",
        "chunks",
        "1xx before",
        "bytes in headers",
        "length twice",
        "more",
        "cookies",
    ],
)
async def test_unusual_http_is_still_http(data: bytes, serve: Serve, client_of: Ask) -> None:
    assert len((await client_of(await serve(raw(data))).list_pets()).pets) == 1


async def test_cookies_are_not_sent_back(serve: Serve, client_of: Ask) -> None:
    server = await serve(http(200, LIST, [("Set-Cookie", "a=b; Path=/")]))
    client = client_of(server)
    await client.list_pets()
    await client.list_pets()
    assert server.seen[1].header("cookie") == []


async def test_reads_share_a_connection_and_an_add_has_one_of_its_own(
    serve: Serve, client_of: Ask
) -> None:
    server = await serve(http(200, LIST), http(200, LIST), http(201, REX), http(200, REX))
    client = client_of(server)
    await client.list_pets()
    await client.list_pets()
    await client.create_pet(TINY)
    await client.get_pet(7)
    assert [request.connection for request in server.seen] == [0, 0, 1, 0]


async def test_an_answer_that_comes_twice_is_not_taken_for_that_of_the_next_add(
    serve: Serve, client_of: Ask
) -> None:
    once = b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n" % len(REX) + REX.encode()
    server = await serve(raw(once * 2, close=False), http(400, "no"))
    client = client_of(server)
    await client.create_pet(TINY)
    error = await failure_of(client.create_pet(TINY))
    assert isinstance(error, NoErrorBodyError)
    assert error.status == 400


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "GZIP ", "identity"])
async def test_a_body_that_is_packed_unasked_is_unpacked(
    encoding: str, serve: Serve, client_of: Ask
) -> None:
    pack = {"deflate": zlib.compress, "identity": bytes}.get(encoding, gzip.compress)
    server = await serve(http(200, pack(LIST), [("Content-Encoding", encoding)]))
    assert len((await client_of(server).list_pets()).pets) == 1
    assert server.seen[0].header("accept-encoding") == ["identity"]


@pytest.mark.parametrize(
    ("encoding", "body", "said"),
    [
        ("gzip", gzip.compress(b" " * 60_000_000), "more than 2.0 MB"),
        ("deflate", zlib.compress(b"[" * 60_000_000), "more than 2.0 MB"),
        ("gzip", gzip.compress(LIST)[:20], "cut off in its packing"),
        ("gzip", LIST, "damaged in its packing"),
        ("gzip", gzip.compress(LIST)[:-8] + b"\0" * 8, "damaged in its packing"),
        ("gzip", gzip.compress(gzip.compress(LIST)), "not UTF-8"),
        ("br", LIST, "packed as br, which was not asked for"),
        ("zstd", LIST, "packed as zstd, which was not asked for"),
        ("gzip, gzip", LIST, "packed as gzip, gzip, which was not asked for"),
        ("x" * 5000, LIST, "packed as xxxx"),
    ],
    ids=["bomb", "deflate bomb", "cut", "plain", "wrong sum", "twice", "br", "zstd", "two", "long"],
)
async def test_a_packing_that_cannot_be_undone_within_bounds_is_told(
    encoding: str, body: bytes, said: str, serve: Serve, client_of: Ask
) -> None:
    server = await serve(http(200, body, [("Content-Encoding", encoding)]))
    error = await failure_of(client_of(server).list_pets())
    assert isinstance(error, UnreadableAnswerError)
    assert said in error.reason
    assert len(error.reason) < 200


async def test_a_refused_connection_sent_nothing(unused_tcp_port: int, client_of: Ask) -> None:
    address = f"127.0.0.1:{unused_tcp_port}"
    error = await failure_of(client_of(f"http://{address}/v1").create_pet(TINY))
    assert str(error) == f"cannot connect to {address}: connection refused"
    assert not error.maybe_sent


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 70 + ".example", "a..b"])
async def test_a_name_that_leads_nowhere_is_told(host: str, client_of: Ask) -> None:
    try:
        client = client_of(f"http://{host}:8080/v1")
    except ValueError:  # the base address may be refused at once
        return
    error = await failure_of(client.create_pet(TINY))
    assert isinstance(error, NoAnswerError)
    assert error.step == "look up"
    assert not error.maybe_sent


async def test_https_asked_of_plain_http_is_told(serve: Serve, client_of: Ask) -> None:
    server = await serve(drop())
    error = await failure_of(
        client_of(f"https://127.0.0.1:{server.port}/v1", HURRIED).create_pet(TINY)
    )
    assert isinstance(error, NoAnswerError)
    assert error.step == "agree on TLS with"
    assert not error.maybe_sent
    assert server.seen == []
