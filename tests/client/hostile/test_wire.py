"""What goes wrong below the body: connections, HTTP itself, and compression."""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError, PetClient, UnreadableAnswerError
from pettui.settings.settings import Limits
from tests.client.hostile.checks import TINY, failure_of
from tests.client.hostile.heavy import OK
from tests.client.hostile.server import PAGE, REX, HostileServer, endless, http, raw, reset, stall
from tests.exhaustive import product

if TYPE_CHECKING:
    from tests.client.conftest import Answered

LIST = PAGE.encode()
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
RETRYING = Limits(first_wait=0.002, longest_wait=0.01)
# One limit is short, so that it ends a call however busy the machine is.
SHORT_SILENCE = Limits(tries=0, silence=0.2, deadline=60)
SHORT_DEADLINE = Limits(tries=0, silence=60, deadline=0.5)
NONE = "it does not send HTTP"

# name → (the bytes of an answer, what is said about it)
NO_HTTP: dict[str, tuple[bytes, str]] = {
    "SSH": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", f"{NONE} (illegal status line: SSH-2.0-OpenSSH_9.6)"),
    "escapes for a status": (b"\x1b]52;c;AAAA\x07\r\n\r\n", NONE),
    "two lengths": (OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]", NONE),
    "a switch of protocols": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", NONE),
    "a chunk with an endless size": (CHUNKED + b"0" * 200_000, "more than 100 kB"),
    "headers without an end": (OK + b"X: " + b"x" * 300_000, "more than 100 kB"),
    "an ending without an end": (CHUNKED + b"0\r\n" + b"X: y\r\n" * 50_000, "more than 100 kB"),
}

# name → what came before the connection was dropped, or before nothing more came
CUT: dict[str, bytes] = {
    "nothing": b"",
    "half a header": OK + b"Content-Le",
    "headers alone": OK + b"Content-Length: 50\r\n\r\n",
    "half a chunk": CHUNKED + b"50\r\n[",
    "after 100 Continue": b"HTTP/1.1 100 Continue\r\n\r\n",
}

# name → (how it begins, what comes again and again, the seconds between)
ENDLESS: dict[str, tuple[bytes, bytes, float]] = {
    "drips in chunks": (CHUNKED, b"1\r\n \r\n", 0.01),
    "drips headers": (OK, b"X: y\r\n", 0.01),
    "floods 100": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.0),
    "floods chunks": (CHUNKED, b"1\r\n \r\n" * 10_000, 0.0),
}

# name → an answer that leaves something on its connection, for the next request to find
ONCE = OK + b"Content-Length: %d\r\n\r\n" % len(LIST) + LIST
TWICE: dict[str, bytes] = {
    "the same again": ONCE * 2,
    "chunks, again": (CHUNKED + b"%x\r\n%b\r\n0\r\n\r\n" % (len(LIST), LIST)) * 2,
    "half of it again": ONCE + ONCE[:30],
}


@pytest.mark.parametrize(("data", "said"), NO_HTTP.values(), ids=NO_HTTP)
async def test_what_is_no_http_is_reported(
    data: bytes, said: str, server: HostileServer, answered: Answered
) -> None:
    error = await failure_of(answered(raw(data), limits=RETRYING).create_pet(TINY))
    assert said in str(error)
    assert len(str(error)) < 400
    assert error.maybe_sent
    assert server.adds == 1


@pytest.mark.parametrize(("end", "name"), product([raw, reset], [*CUT]))
async def test_a_connection_that_is_dropped_gave_no_response(
    end: object, name: str, server: HostileServer, answered: Answered
) -> None:
    error = await failure_of(answered(end(CUT[name]), limits=RETRYING).create_pet(TINY))
    assert isinstance(error, NoAnswerError)
    assert (error.step, error.address) == ("read from", f"127.0.0.1:{server.port}")
    assert "connection" in error.reason
    assert error.maybe_sent
    assert error.transient
    assert server.adds == 1


@pytest.mark.parametrize("name", ["nothing", "headers alone", "half a chunk"])
async def test_silence_ends_by_its_limit(name: str, answered: Answered) -> None:
    error = await failure_of(answered(stall(CUT[name]), limits=SHORT_SILENCE).create_pet(TINY))
    assert isinstance(error, NoAnswerError)
    assert error.reason == "nothing was received for 0.2 s"
    assert error.maybe_sent


@pytest.mark.parametrize("name", ENDLESS)
async def test_what_never_ends_ends_by_the_deadline(name: str, answered: Answered) -> None:
    flood = endless(*ENDLESS[name])
    error = await failure_of(answered(flood, limits=SHORT_DEADLINE).list_pets())
    assert str(error).endswith(": no complete response within 0.5 s")
    assert not error.transient


async def test_the_loop_goes_on_while_a_flood_comes_in(answered: Answered) -> None:
    turns = 0

    async def work() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    worker = asyncio.create_task(work())
    flood = endless(*ENDLESS["floods chunks"])
    await failure_of(answered(flood, limits=SHORT_DEADLINE).list_pets())
    worker.cancel()
    assert turns > 20


@pytest.mark.parametrize("head", [b"\r\n", b"Content-Length: 99999999999\r\n\r\n"])
async def test_a_body_without_an_end_is_left_at_its_limit(head: bytes, answered: Answered) -> None:
    error = await failure_of(answered(endless(OK + head, b" " * 65_536)).list_pets())
    assert isinstance(error, UnreadableAnswerError)
    assert "got application/json, more than 2.0 MB" in error.reason


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200 OK\r\n\r\n" + LIST,
        b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK + b"\r\n" + LIST,
        OK + b"X: \xff\xfe\x80\r\nX:\r\n\r\n" + LIST,
    ],
)
async def test_unusual_http_is_still_http(answer: bytes, answered: Answered) -> None:
    assert len((await answered(raw(answer)).list_pets()).pets) == 1


async def test_cookies_are_not_sent_back(server: HostileServer, client: PetClient) -> None:
    server.turn_to(http(200, LIST, [("Set-Cookie", "a=b; Path=/")]))
    await client.list_pets()
    await client.list_pets()
    assert server.seen[1].header("cookie") == []


async def test_reads_share_a_connection_and_each_add_has_one_of_its_own(
    server: HostileServer, client: PetClient
) -> None:
    server.turn_to(http(200, LIST), *[http(201, REX)] * 2, http(200, REX))
    await client.list_pets()
    await client.create_pet(TINY)
    await client.create_pet(TINY)
    await client.get_pet(7)
    assert [request.connection for request in server.seen] == [0, 1, 2, 0]


@pytest.mark.parametrize("answer", TWICE.values(), ids=TWICE)
async def test_a_response_that_comes_twice_is_not_taken_for_that_to_the_next_request(
    answer: bytes, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(raw(answer, close=False), http(200, "[]"), http(200, LIST))
    counts = [len((await client.list_pets()).pets) for _ in range(3)]
    assert counts == [1, 0, 1]
    assert [request.connection for request in server.seen] == [0, 1, 1]


@pytest.mark.parametrize("encoding", ["gzip", "GZIP ", "gzip, gzip", "x" * 5000])
async def test_a_body_that_is_compressed_unasked_is_reported_and_not_unpacked(
    encoding: str, server: HostileServer, client: PetClient
) -> None:
    headers = [("Content-Encoding", encoding)]
    server.turn_to(http(200, gzip.compress(LIST), headers))
    error = await failure_of(client.list_pets())
    assert isinstance(error, UnreadableAnswerError)
    assert f"compressed as {encoding.strip().lower()[:40]}, which was not asked for" in error.reason
    assert server.seen[0].header("accept-encoding") == ["identity"]


async def test_a_body_that_says_that_it_is_not_compressed_is_read(answered: Answered) -> None:
    page = await answered(http(200, LIST, [("Content-Encoding", "Identity")])).list_pets()
    assert len(page.pets) == 1
