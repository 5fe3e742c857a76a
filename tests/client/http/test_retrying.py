"""Trying again: reads a few times, an add only when nothing was sent."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from pettui.client import ErrorBodyError, NoAnswerError, NoErrorBodyError, PendingRetry, PetClient
from pettui.client.retrying import wait_before_retry
from pettui.models import NewPet
from pettui.settings import Limits
from tests.client.hostile.bodies import REX
from tests.client.hostile.checks import KEY, failure_of
from tests.client.hostile.server import drop, http, raw, reset

if TYPE_CHECKING:
    from tests.client.conftest import ClientOf, Serve

TINY = NewPet(name="Tiny", category_id=3)
PAGE = f"[{REX}]"
AT_ONCE = Limits(first_wait=0)
ERROR = '{"code": "later", "message": "Later", "status": 503}'


@pytest.mark.parametrize(
    ("status", "body"), [(429, ERROR), (502, "<html>"), (503, ERROR), (504, "<html>")]
)
async def test_a_read_is_tried_again_when_the_service_is_out_for_a_while(
    status: int, body: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(status, body), http(status, body), http(200, PAGE))
    assert (await client_of(server, AT_ONCE).list_pets()).pets
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    "step", [drop(), reset(), raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[")]
)
async def test_a_read_is_tried_again_after_a_dropped_connection(
    step: object, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(step, http(200, REX))
    assert (await client_of(server, AT_ONCE).get_pet(7)).pet
    assert len(server.seen) == 2


async def test_the_last_try_says_what_was_wrong(serve: Serve, client_of: ClientOf) -> None:
    server = await serve(*[http(502)] * 3, http(503, ERROR))
    error = await failure_of(client_of(server, AT_ONCE).list_pets())
    assert str(error) == "503 later: Later"
    assert len(server.seen) == 4


@pytest.mark.parametrize("status", [400, 408, 500, 501])
async def test_what_is_not_transient_is_tried_once(
    status: int, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(status, ERROR))
    await failure_of(client_of(server, AT_ONCE).list_pets())
    assert len(server.seen) == 1


@pytest.mark.parametrize("step", [drop(), reset(), http(429, ERROR), http(503, ERROR)])
async def test_an_add_that_may_have_been_sent_is_not_sent_again(
    step: object, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(step)
    await failure_of(client_of(server, AT_ONCE).create_pet(TINY))
    assert server.adds == 1


async def test_an_add_that_met_no_connection_is_tried_again(
    unused_tcp_port: int, client_of: ClientOf
) -> None:
    waits: list[PendingRetry] = []
    client = client_of(f"http://127.0.0.1:{unused_tcp_port}/v1", AT_ONCE)
    error = await failure_of(client.create_pet(TINY, on_wait=waits.append))
    assert not error.maybe_sent
    assert [(wait.attempt, wait.of, wait.seconds) for wait in waits] == [
        (2, 4, 0.0),
        (3, 4, 0.0),
        (4, 4, 0.0),
    ]
    assert waits[0].why == f"cannot connect to 127.0.0.1:{unused_tcp_port}: connection refused"


async def test_an_add_gets_through_when_the_service_comes_back(
    serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(201, REX))
    client = client_of(server, AT_ONCE)
    server.stop_listening()

    def come_back(_: PendingRetry) -> None:
        if not listening:
            listening.append(asyncio.create_task(server.listen_again()))

    listening: list[asyncio.Task[None]] = []
    assert (await client.create_pet(TINY, on_wait=come_back)).pet.id == 7
    assert server.adds == 1


async def test_a_wait_is_reported_with_what_was_wrong_and_ends_when_cancelled(
    serve: Serve, client_of: ClientOf
) -> None:
    told: asyncio.Future[PendingRetry] = asyncio.get_running_loop().create_future()
    server = await serve(http(503, ERROR, [("Retry-After", "30")]))
    task = asyncio.create_task(client_of(server, AT_ONCE).list_pets(on_wait=told.set_result))
    waiting = await told
    assert (waiting.attempt, waiting.of, waiting.seconds) == (2, 4, 30.0)
    assert waiting.why == "503 later: Later"
    assert isinstance(waiting.error, ErrorBodyError)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(server.seen) == 1


async def test_retry_after_is_honoured_as_seconds(serve: Serve, client_of: ClientOf) -> None:
    waits: list[PendingRetry] = []
    server = await serve(http(429, "", [("Retry-After", "0")]), http(200, PAGE))
    await client_of(server, Limits(first_wait=60)).list_pets(on_wait=waits.append)
    assert [wait.seconds for wait in waits] == [0.0]


async def test_retry_after_is_honoured_as_a_date_of_the_services_own_clock(
    serve: Serve, client_of: ClientOf
) -> None:
    headers = [
        ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Retry-After", "Sun, 06 Nov 1994 08:49:57 GMT"),
    ]
    told: asyncio.Future[PendingRetry] = asyncio.get_running_loop().create_future()
    server = await serve(http(503, "", headers))
    task = asyncio.create_task(client_of(server, AT_ONCE).list_pets(on_wait=told.set_result))
    assert (await told).seconds == 20.0
    task.cancel()


async def test_a_date_without_a_clock_is_measured_by_ours(
    serve: Serve, client_of: ClientOf
) -> None:
    past = (datetime.now(UTC) - timedelta(days=2)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    waits: list[PendingRetry] = []
    server = await serve(http(503, "", [("Retry-After", past)]), http(200, PAGE))
    await client_of(server, Limits(first_wait=60)).list_pets(on_wait=waits.append)
    assert [wait.seconds for wait in waits] == [0.0]


@pytest.mark.parametrize("value", ["31", "999999999", "Fri, 31 Dec 2999 23:59:59 GMT"])
async def test_a_wait_beyond_the_bound_is_not_waited_for(
    value: str, serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(503, "", [("Retry-After", value)]))
    error = await failure_of(client_of(server, Limits()).list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.retry_after is not None
    assert error.retry_after > 30
    assert len(server.seen) == 1


@pytest.mark.parametrize("value", ["", "soon", "-1", "1.5", "\u0663", "9" * 5000])
async def test_a_malformed_retry_after_is_passed_over(
    value: str, serve: Serve, client_of: ClientOf
) -> None:
    headers = [("Retry-After", value.encode().decode("latin-1"))]
    server = await serve(http(503, "", headers), http(200, PAGE))
    assert (await client_of(server, AT_ONCE).list_pets()).pets


def test_waits_are_anything_up_to_a_bound_that_doubles() -> None:
    failure = NoAnswerError("connect to", "x:1", "refused", transient=True)
    limits = Limits(tries=9, first_wait=1, longest_wait=4)
    for number, most in [(1, 1), (2, 2), (3, 4), (4, 4), (9, 4)]:
        waits = [
            wait_before_retry(failure, number, limits, is_add=False) or 0.0 for _ in range(300)
        ]
        assert all(0 <= seconds <= most for seconds in waits)
        assert max(waits) > most / 2
        assert min(waits) < most / 2
    assert wait_before_retry(failure, 10, limits, is_add=False) is None


async def test_a_response_that_is_not_the_interfaces_is_not_tried_again(
    serve: Serve, client_of: ClientOf
) -> None:
    server = await serve(http(200, "<html>"))
    await failure_of(client_of(server, AT_ONCE).list_pets())
    assert len(server.seen) == 1


async def test_an_error_of_a_closed_client_is_no_other(serve: Serve) -> None:
    server = await serve(http(200, PAGE))
    client = PetClient(server.base_url, KEY)
    await client.list_pets()
    await client.aclose()
    await client.list_pets()
    await client.aclose()
    await client.aclose()
    assert server.connections == 2
