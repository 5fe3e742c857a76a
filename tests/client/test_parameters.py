"""What a program may set: further headers, the time of a call; and what is said of a cancelled add."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pettui.client import NoAnswerError, PendingRetry, PetClient, maybe_sent
from pettui.settings.settings import Limits
from tests.client.hostile.checks import KEY, TINY, check_is_reportable, failure_of
from tests.client.hostile.server import PAGE, REX, HostileServer, http, stall
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.client.conftest import Answered, ClientOf

BASE = "http://127.0.0.1:8080/v1"
SECRET = "secret-of-the-gateway"


# ── headers ───────────────────────────────────────────────────────────────────────────────────────


async def test_further_headers_go_with_every_request_and_their_values_not_into_the_log(
    server: HostileServer, client_of: ClientOf
) -> None:
    server.turn_to(http(200, PAGE), http(201, REX), http(200, REX))
    headers = {"X-Gateway-Token": SECRET, "user-agent": "stock/2.0"}
    client = client_of(server, headers=headers)
    headers["X-Gateway-Token"] = "changed"
    await client.list_pets()
    await client.create_pet(TINY)
    await client.get_pet(7)
    for request in server.seen:
        assert request.header("x-gateway-token") == [SECRET]
        assert request.header("user-agent") == ["stock/2.0"]
        assert request.header("authorization") == [f"Bearer {KEY}"]
    for logged in client.log.newest_first:
        assert ("X-Gateway-Token", "***") in logged.sent_headers
        assert SECRET not in repr(logged)
        assert SECRET not in logged.as_curl("KEY")


async def test_further_headers_go_to_no_other_origin(serve: Any, client_of: ClientOf) -> None:
    other = await serve(http(200, PAGE))
    server = await serve(http(307, "", [("Location", f"{other.base_url}/pets")]))
    await failure_of(client_of(server, headers={"X-Gateway-Token": SECRET}).list_pets())
    assert len(server.seen) == 1
    assert other.seen == []


# ── the time of a call ────────────────────────────────────────────────────────────────────────────

CALLS: dict[str, Callable[[PetClient, float | None], Awaitable[object]]] = {
    "listPets": lambda client, timeout: client.list_pets(timeout=timeout),
    "createPet": lambda client, timeout: client.create_pet(TINY, timeout=timeout),
    "getPet": lambda client, timeout: client.get_pet(7, timeout=timeout),
    "all pages": lambda client, timeout: anext(client.all_pages(timeout=timeout)),
    "all pets": lambda client, timeout: anext(client.all_pets(timeout=timeout)),
}


@pytest.mark.parametrize("call", CALLS)
async def test_a_call_ends_with_an_error_of_the_tree_when_its_time_is_up(
    server: HostileServer, client_of: ClientOf, call: str
) -> None:
    server.turn_to(http(200, PAGE), stall())
    client = client_of(server, timeout=0.5 if call == "getPet" else 60)
    await client.list_pets(timeout=60)  # httpx is imported
    error = await failure_of(CALLS[call](client, None if call == "getPet" else 0.5))
    assert isinstance(error, NoAnswerError)
    assert error.reason == "no complete response within 0.5 s"
    assert error.maybe_sent is (call == "createPet")
    check_is_reportable(error)


async def test_the_time_of_a_call_counts_all_its_attempts_and_waits(
    server: HostileServer, client_of: ClientOf
) -> None:
    """A call that would still wait when its time is up ends at once, with what it met last."""
    server.turn_to(http(503, "away", [("Retry-After", "20")]))
    waits: list[PendingRetry] = []
    client = client_of(server, Limits(tries=3))
    error = await failure_of(client.list_pets(timeout=10, on_wait=waits.append))
    assert (error.status, error.retry_after) == (503, 20)
    assert waits == []
    assert len(server.seen) == 1


async def test_opening_is_within_the_time_of_a_call_and_goes_on_for_the_next() -> None:
    opened = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow() -> httpx.AsyncBaseTransport:
        asyncio.run_coroutine_threadsafe(opened.wait(), loop).result()
        return httpx.MockTransport(lambda _: httpx.Response(200, text=PAGE))

    client = PetClient(BASE, KEY, transport=slow)
    error = await failure_of(client.create_pet(TINY, timeout=0.05))
    assert str(error) == "cannot connect to 127.0.0.1:8080: no complete response within 0.05 s"
    assert not error.maybe_sent
    opened.set()
    assert (await client.list_pets()).pets
    await client.aclose()


# ── what a cancelled call may have done ───────────────────────────────────────────────────────────


async def cancelled(server: HostileServer, call: Awaitable[object]) -> asyncio.CancelledError:
    task = asyncio.ensure_future(call)
    await until(lambda: server.seen)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as raised:
        await task
    return raised.value


async def test_a_cancelled_read_says_that_nothing_was_sent(
    server: HostileServer, client: PetClient
) -> None:
    server.turn_to(stall())
    assert not maybe_sent(await cancelled(server, client.list_pets()))


@pytest.mark.parametrize("how", ["timeout", "wait_for"])
async def test_a_time_out_around_an_add_says_that_it_may_have_been_sent(
    server: HostileServer, client: PetClient, how: str
) -> None:
    server.turn_to(http(200, PAGE), stall())
    await client.list_pets()  # httpx is imported

    async def call() -> None:
        if how == "wait_for":
            await asyncio.wait_for(client.create_pet(TINY), 0.5)
        async with asyncio.timeout(0.5):
            await client.create_pet(TINY)

    with pytest.raises(TimeoutError) as raised:
        await call()
    assert len(server.seen) == 2
    assert maybe_sent(raised.value)


async def test_an_error_of_the_tree_says_the_same(answered: Answered) -> None:
    assert maybe_sent(await failure_of(answered(http(502, "gone")).create_pet(TINY)))
    assert not maybe_sent(await failure_of(answered(http(400, "no")).create_pet(TINY)))
    assert not maybe_sent(ValueError())
