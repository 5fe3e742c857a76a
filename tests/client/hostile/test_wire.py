"""What goes wrong below the body: connections, HTTP itself, TLS, and compression."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError, UnreadableAnswerError
from pettui.models import NewPet
from pettui.settings import Limits
from tests.client.hostile.bodies import REX
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import drop, endless, http, raw, reset, stall
from tests.client.hostile.wire import (
    CUT,
    ENDLESS,
    LIST,
    NO_HTTP,
    NOT_UNPACKED,
    PACKED,
    RETRYING,
    SHORT_DEADLINE,
    SHORT_SILENCE,
    TWICE,
    UNUSUAL,
    WITHOUT_END,
)
from tests.exhaustive import product

if TYPE_CHECKING:
    from tests.client.conftest import ClientOf, Serve

TINY = NewPet(name="Tiny", category_id=3)
BRIEF = Limits(tries=0, connect=0.5)


@pytest.mark.parametrize("name", NO_HTTP)
async def test_what_is_no_http_is_reported(name: str, serve: Serve, client_of: ClientOf) -> None:
    data, said = NO_HTTP[name]
    server = await serve(raw(data))
    error = await failure_of(client_of(server, RETRYING).create_pet(TINY))
    assert said in str(error)
    assert len(str(error)) < 400
    assert error.maybe_sent
    assert server.adds == 1


@pytest.mark.parametrize(("end", "name"), product([raw, reset], [*CUT]))
async def test_a_connection_that_is_dropped_gave_no_response(
    end: object, name: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(end(CUT[name]))
    error = await failure_of(client_of(server, RETRYING).create_pet(TINY))
    assert isinstance(error, NoAnswerError)
    assert error.step == "read from"
    assert error.address == f"127.0.0.1:{server.port}"
    assert "connection" in error.reason
    assert error.maybe_sent
    assert error.transient
    assert server.adds == 1


@pytest.mark.parametrize("name", ["nothing", "headers alone", "half a chunk"])
async def test_silence_ends_by_its_limit(name: str, serve: Serve, client_of: ClientOf) -> None:
    error = await failure_of(
        client_of(await serve(stall(CUT[name])), SHORT_SILENCE).create_pet(TINY)
    )
    assert isinstance(error, NoAnswerError)
    assert error.reason == "nothing was received for 0.2 s"
    assert error.maybe_sent


@pytest.mark.parametrize("name", ENDLESS)
async def test_what_never_ends_ends_by_the_deadline(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(endless(*ENDLESS[name]))
    error = await failure_of(client_of(server, SHORT_DEADLINE).list_pets())
    assert isinstance(error, NoAnswerError)
    assert str(error) == (
        f"cannot read from 127.0.0.1:{server.port}: no complete response within 0.5 s"
    )
    assert not error.transient


async def test_the_loop_goes_on_while_a_flood_comes_in(serve: Serve, client_of: ClientOf) -> None:
    turns = 0

    async def work() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    server = await serve(endless(*ENDLESS["floods chunks"]))
    worker = asyncio.create_task(work())
    await failure_of(client_of(server, SHORT_DEADLINE).list_pets())
    worker.cancel()
    assert turns > 20


@pytest.mark.parametrize("name", WITHOUT_END)
async def test_a_body_without_an_end_is_left_at_its_limit(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(endless(WITHOUT_END[name], b" " * 65_536))
    error = await failure_of(client_of(server).list_pets())
    assert isinstance(error, UnreadableAnswerError)
    assert "got application/json, more than 2.0 MB" in error.reason


@pytest.mark.parametrize("name", UNUSUAL)
async def test_unusual_http_is_still_http(name: str, serve: Serve, client_of: ClientOf) -> None:
    assert len((await client_of(await serve(raw(UNUSUAL[name]))).list_pets()).pets) == 1


async def test_cookies_are_not_sent_back(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(http(200, LIST, [("Set-Cookie", "a=b; Path=/")]))
    client = client_of(server)
    await client.list_pets()
    await client.list_pets()
    assert server.seen[1].header("cookie") == []


async def test_reads_share_a_connection_and_an_add_has_one_of_its_own(
    serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, LIST), http(200, LIST), http(201, REX), http(200, REX))
    client = client_of(server)
    await client.list_pets()
    await client.list_pets()
    await client.create_pet(TINY)
    await client.get_pet(7)
    assert [request.connection for request in server.seen] == [0, 0, 1, 0]


@pytest.mark.parametrize("name", TWICE)
async def test_a_response_that_comes_twice_is_not_taken_for_that_to_the_next_request(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(raw(TWICE[name], close=False), http(200, "[]"), http(200, LIST))
    client = client_of(server)
    counts = [len((await client.list_pets()).pets) for _ in range(3)]
    assert counts == [1, 0, 1]
    assert [request.connection for request in server.seen] == [0, 1, 1]


@pytest.mark.parametrize("encoding", PACKED)
async def test_a_body_that_is_compressed_unasked_is_decompressed(
    encoding: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, PACKED[encoding], [("Content-Encoding", encoding)]))
    assert len((await client_of(server).list_pets()).pets) == 1
    assert server.seen[0].header("accept-encoding") == ["identity"]


@pytest.mark.parametrize("name", NOT_UNPACKED)
async def test_a_compression_that_cannot_be_undone_within_bounds_is_reported(
    name: str, serve: Serve, client_of: ClientOf
) -> None:
    encoding, body, said = NOT_UNPACKED[name]
    server = await serve(http(200, body, [("Content-Encoding", encoding)]))
    error = await failure_of(client_of(server).list_pets())
    assert isinstance(error, UnreadableAnswerError)
    assert said in error.reason
    assert len(error.reason) < 200


async def test_a_refused_connection_sent_nothing(unused_tcp_port: int, client_of: ClientOf) -> None:
    address = f"127.0.0.1:{unused_tcp_port}"
    error = await failure_of(client_of(f"http://{address}/v1").create_pet(TINY))
    assert str(error) == f"cannot connect to {address}: connection refused"
    assert not error.maybe_sent


async def test_https_to_a_plain_http_server_is_reported(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(drop())
    error = await failure_of(
        client_of(f"https://127.0.0.1:{server.port}/v1", BRIEF).create_pet(TINY)
    )
    assert isinstance(error, NoAnswerError)
    assert error.step == "agree on TLS with"
    assert not error.maybe_sent
    assert server.seen == []
