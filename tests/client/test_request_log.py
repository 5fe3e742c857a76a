"""The log of requests: what went out and what came back, bounded, and never with the key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.client import LoggedRequest, RequestLog
from pettui.client.request_log import BODY_KEPT, BYTES_KEPT, REQUESTS_KEPT
from pettui.models import NewPet
from pettui.settings import Limits
from tests.client.hostile.checks import KEY, failure_of, stop
from tests.client.hostile.server import PAGE, REX, drop, http

if TYPE_CHECKING:
    from pettui.client import PetClient
    from tests.client.conftest import Answered
    from tests.client.hostile.server import HostileServer

ONE = LoggedRequest(0.0, "GET", "http://store.example/v1/pets", (), b"", 0.1, 200)


async def test_a_request_is_logged_with_what_went_out_and_what_came_back(
    answered: Answered,
) -> None:
    client = answered(http(201, REX))
    await client.create_pet(NewPet(name="Rex", category_id=3))
    (logged,) = client.log.newest_first
    assert (logged.method, logged.status, logged.failure) == ("POST", 201, "")
    assert logged.address.endswith("/v1/pets")
    assert logged.sent_body == b'{"name": "Rex", "categoryId": 3}'
    assert (logged.body, logged.size) == (REX.encode(), len(REX))
    assert ("content-length", str(len(REX))) in logged.headers


async def test_the_key_is_masked_wherever_the_service_sends_it_back(answered: Answered) -> None:
    client = answered(http(400, f"[{KEY}]", [("X-Echo", KEY)]))
    await failure_of(client.list_pets())
    (logged,) = client.log.newest_first
    assert ("Authorization", "Bearer ***") in logged.sent_headers
    assert ("x-echo", "***") in logged.headers
    assert logged.body == b"[***]"
    assert KEY not in f"{logged!r}{logged.as_curl}"


async def test_each_attempt_is_a_request_of_its_own(answered: Answered) -> None:
    client = answered(drop(), http(503), http(200, PAGE), limits=Limits(first_wait=0))
    await client.list_pets()
    assert [each.status for each in client.log.newest_first] == [200, 503, None]
    assert "closed" in client.log.newest_first[-1].failure


async def test_a_request_that_was_stopped_is_logged(
    server: HostileServer, client: PetClient
) -> None:
    await stop(server, client.list_pets())
    (logged,) = client.log.newest_first
    assert (logged.status, logged.failure) == (None, "stopped before there was a response")


async def test_of_a_long_body_the_beginning_is_kept(answered: Answered) -> None:
    client = answered(http(400, "x" * 10_000))
    await failure_of(client.list_pets())
    (logged,) = client.log.newest_first
    assert (len(logged.body), logged.size) == (BODY_KEPT, 10_000)


def test_the_newest_200_requests_are_kept() -> None:
    log = RequestLog()
    for number in range(REQUESTS_KEPT + 3):
        log.add(replace(ONE, at=number))
    assert [each.at for each in log.newest_first] == [*range(REQUESTS_KEPT + 2, 2, -1)]
    assert log.count == REQUESTS_KEPT + 3


def test_large_requests_are_fewer() -> None:
    log = RequestLog()
    for _ in range(3):
        log.add(replace(ONE, sent_body=b"x" * (BYTES_KEPT // 2)))
    assert len(log.newest_first) == 1


def test_a_read_as_curl_takes_the_key_from_the_environment() -> None:
    request = replace(
        ONE,
        address="http://store.example/v1/pets?limit=20&status=sold",
        sent_headers=(("Accept", "application/json"), ("Authorization", "Bearer ***")),
    )
    assert request.as_curl == (
        "curl --globoff 'http://store.example/v1/pets?limit=20&status=sold'"
        ' --header "Authorization: Bearer $PETTUI_API_KEY"'
        " --header 'Accept: application/json'"
    )


def test_an_add_as_curl_quotes_what_was_typed() -> None:
    request = replace(ONE, method="POST", sent_body=b"""{"name": "O'Neill $HOME `id`"}""")
    assert "curl --globoff --request POST http://store.example/v1/pets" in request.as_curl
    assert """--data-raw '{"name": "O'"'"'Neill $HOME `id`"}'""" in request.as_curl
