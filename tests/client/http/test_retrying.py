"""Trying again: reads a few times, an add only when nothing was sent."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from pettui.client import ErrorBodyError, NoAnswerError, NoErrorBodyError, PendingRetry
from pettui.client.retrying import wait_before_retry
from pettui.models import NewPet
from pettui.settings import Limits
from tests.client.hostile.checks import failure_of
from tests.client.hostile.server import PAGE, REX, drop, http, raw, reset

if TYPE_CHECKING:
    from pettui.client import PetClient
    from tests.client.conftest import Answered, ClientOf
    from tests.client.hostile.server import HostileServer, Step

TINY = NewPet(name="Tiny", category_id=3)
AT_ONCE = Limits(first_wait=0)
ERROR = '{"code": "later", "message": "Later", "status": 503}'


@pytest.fixture
def client(server: HostileServer, client_of: ClientOf) -> PetClient:
    """Return a client of ``server`` that tries again at once."""
    return client_of(server, AT_ONCE)


@pytest.mark.parametrize(
    "step",
    [
        *(http(status, ERROR) for status in (429, 502, 503, 504)),
        drop(),
        reset(),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n["),
    ],
    ids=["429", "502", "503", "504", "dropped", "reset", "cut"],
)
async def test_a_read_is_tried_again_when_the_service_is_out_for_a_while(
    step: Step, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(step, step, http(200, PAGE))
    assert (await client.list_pets()).pets
    assert len(server.seen) == 3


async def test_the_last_try_says_what_was_wrong(server: HostileServer, client: PetClient) -> None:
    server.turn_to(*[http(502)] * 3, http(503, ERROR))
    assert str(await failure_of(client.list_pets())) == "503 later: Later"
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    "step", [http(200, "<html>"), *(http(status, ERROR) for status in (400, 408, 500, 501))]
)
async def test_what_is_not_transient_is_tried_once(
    step: Step, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(step)
    await failure_of(client.list_pets())
    assert len(server.seen) == 1


@pytest.mark.parametrize("step", [drop(), reset(), http(429, ERROR), http(503, ERROR)])
async def test_an_add_that_may_have_been_sent_is_not_sent_again(
    step: Step, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(step)
    await failure_of(client.create_pet(TINY))
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
    refused = f"cannot connect to 127.0.0.1:{unused_tcp_port}: connection refused"
    assert waits[0].why == str(error) == refused


async def test_an_add_gets_through_when_the_service_comes_back(
    server: HostileServer, client: PetClient
) -> None:
    def come_back(_: PendingRetry) -> None:
        if not listening:
            listening.append(asyncio.create_task(server.listen_again()))

    listening: list[asyncio.Task[None]] = []
    server.turn_to(http(201, REX))
    server.stop_listening()
    assert (await client.create_pet(TINY, on_wait=come_back)).pet.id == 7
    assert server.adds == 1


async def test_a_wait_is_reported_with_what_was_wrong_and_ends_when_cancelled(
    server: HostileServer, client: PetClient
) -> None:
    told: asyncio.Future[PendingRetry] = asyncio.get_running_loop().create_future()
    server.turn_to(http(503, ERROR, [("Retry-After", "30")]))
    task = asyncio.create_task(client.list_pets(on_wait=told.set_result))
    waiting = await told
    assert (waiting.attempt, waiting.of, waiting.seconds) == (2, 4, 30.0)
    assert waiting.why == "503 later: Later"
    assert isinstance(waiting.error, ErrorBodyError)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(server.seen) == 1


async def test_retry_after_is_honoured_as_a_date_of_the_services_own_clock(
    server: HostileServer, client: PetClient
) -> None:
    date, later = "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:57 GMT"
    told: asyncio.Future[PendingRetry] = asyncio.get_running_loop().create_future()
    server.turn_to(http(503, "", [("Date", date), ("Retry-After", later)]))
    task = asyncio.create_task(client.list_pets(on_wait=told.set_result))
    assert (await told).seconds == 20.0
    task.cancel()


PAST = (datetime.now(UTC) - timedelta(days=2)).strftime("%a, %d %b %Y %H:%M:%S GMT")


@pytest.mark.parametrize("value", ["0", PAST], ids=["seconds", "a date by our own clock"])
async def test_a_service_may_ask_for_no_wait(value: str, answered: Answered) -> None:
    waits: list[PendingRetry] = []
    await answered(
        http(429, "", [("Retry-After", value)]), http(200, PAGE), limits=Limits(first_wait=60)
    ).list_pets(on_wait=waits.append)
    assert [wait.seconds for wait in waits] == [0.0]


@pytest.mark.parametrize("value", ["31", "999999999", "Fri, 31 Dec 2999 23:59:59 GMT"])
async def test_a_wait_beyond_the_bound_is_not_waited_for(
    value: str, server: HostileServer, client: PetClient
) -> None:
    server.turn_to(http(503, "", [("Retry-After", value)]))
    error = await failure_of(client.list_pets())
    assert isinstance(error, NoErrorBodyError)
    assert error.retry_after is not None
    assert error.retry_after > 30
    assert len(server.seen) == 1


@pytest.mark.parametrize("value", ["", "soon", "-1", "1.5", "\u0663", "9" * 5000])
async def test_a_malformed_retry_after_is_passed_over(
    value: str, server: HostileServer, client: PetClient
) -> None:
    headers = [("Retry-After", value.encode().decode("latin-1"))]
    server.turn_to(http(503, "", headers), http(200, PAGE))
    assert (await client.list_pets()).pets


@pytest.mark.parametrize(("attempt", "most"), [(1, 1), (2, 2), (3, 4), (9, 4)])
def test_a_wait_is_anything_up_to_a_bound_that_doubles(attempt: int, most: float) -> None:
    failure = NoAnswerError("connect to", "x:1", "refused", transient=True)
    limits = Limits(tries=9, first_wait=1, longest_wait=4)
    waits = [wait_before_retry(failure, attempt, limits, is_add=False) or 0 for _ in range(300)]
    assert most / 2 < max(waits) <= most
