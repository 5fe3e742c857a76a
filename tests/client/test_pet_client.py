"""PetClient: what it takes, what it sends and logs, when it opens, and that the key stays hidden."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui import __version__
from pettui.client import IncompleteListError, LoggedRequest, NoAnswerError, PetClient, RequestLog
from pettui.client.pet_client import BARREN_PAGES_MAXIMUM
from pettui.client.request_log import REQUESTS_KEPT
from pettui.models.pets import PetStatus
from pettui.settings.settings import ApiKey, Limits
from tests.animals import a_new_pet
from tests.cli.conftest import needs
from tests.client.hostile.checks import KEY, failure_of, stop
from tests.client.hostile.server import PAGE, REX, HostileServer, Step, drop, http
from tests.conftest import unmeasured
from tests.test_imports import modules_after
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import Receive, Scope, Send

    from tests.client.conftest import Answered, ClientOf

BASE = "http://127.0.0.1:8080/v1"
TINY = a_new_pet("Tiny \u00e9\U0001f439", status=PetStatus.SOLD)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond to every request with one animal."""
    body = REX if scope["method"] == "POST" or scope["path"].count("/") > 2 else PAGE
    status = 201 if scope["method"] == "POST" else 200
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body.encode()})


async def test_list_pets_asks_as_the_interface_states(
    server: HostileServer, client: PetClient
) -> None:
    server.turn_to(http(200, PAGE))
    page = await client.list_pets(50, PetStatus.PENDING)
    (request,) = server.seen
    assert (request.method, request.target) == ("GET", "/v1/pets?limit=50&status=pending")
    assert request.header("authorization") == [f"Bearer {KEY}"]
    assert request.header("accept") == ["application/json"]
    assert request.header("user-agent") == [f"pettui/{__version__}"]
    assert page.pets[0].name == "Rex"
    assert page.elapsed > 0


def linked(*ids: int, then: str = "") -> Step:
    """A page of animals, which links to another one."""
    pets = [{"id": pet_id, "name": "Rex", "categoryId": 3} for pet_id in ids]
    return http(200, json.dumps(pets), [("Link", f'<{then}>; rel="next"')] if then else [])


async def test_all_pets_come_once_from_a_list_of_any_length(
    server: HostileServer, answered: Answered
) -> None:
    few = Limits(tries=0, rows=1, pages=1)
    client = answered(linked(9, 8, then="?b"), linked(8, 7, then="?c"), linked(6), limits=few)
    assert [pet.id async for pet in client.all_pets(PetStatus.SOLD)] == [9, 8, 7, 6]
    assert server.targets == ["/v1/pets?limit=100&status=sold", "/v1/pets?b", "/v1/pets?c"]


async def test_pages_are_loaded_as_they_are_asked_for(
    server: HostileServer, answered: Answered
) -> None:
    async for pet in answered(linked(9, 8, then="?b"), linked(7)).all_pets():
        if pet.id == 8:
            break
    assert len(server.seen) == 1


async def test_a_list_that_cannot_be_followed_to_its_end_raises_behind_its_animals(
    answered: Answered,
) -> None:
    pets = answered(linked(9, then="http://other.example/")).all_pets()
    assert (await anext(pets)).id == 9
    with pytest.raises(IncompleteListError, match=r"^the list is incomplete: .*not followed"):
        await anext(pets)


async def test_pages_without_end_that_bring_nothing_are_left(
    server: HostileServer, answered: Answered
) -> None:
    again = [linked(9, then=f"?{number}") for number in range(BARREN_PAGES_MAXIMUM + 2)]
    pets = answered(*again).all_pets()
    assert (await anext(pets)).id == 9
    with pytest.raises(IncompleteListError, match="its last 200 pages brought no further animal"):
        await anext(pets)
    assert len(server.seen) == 1 + BARREN_PAGES_MAXIMUM


async def test_create_pet_sends_the_interfaces_body(
    server: HostileServer, client: PetClient
) -> None:
    server.turn_to(http(201, REX))
    answer = await client.create_pet(TINY)
    (request,) = server.seen
    assert (request.method, request.target) == ("POST", "/v1/pets")
    assert request.header("content-type") == ["application/json"]
    sent = {"name": "Tiny \u00e9\U0001f439", "categoryId": 3, "status": "sold"}
    assert json.loads(request.body) == sent
    assert answer.pet.id == 7


async def test_get_pet_asks_below_the_path_of_the_base_address_and_brings_its_notice(
    server: HostileServer, client_of: ClientOf
) -> None:
    server.turn_to(http(200, REX))
    answer = await client_of(server.base_url.replace("/v1", "/shop/v1")).get_pet(7)
    assert server.targets == ["/shop/v1/pets/7"]
    assert [notice.operation for notice in answer.notices] == ["getPet"]


async def test_another_key_asks_over_the_same_connection_and_goes_on_with_the_log(
    server: HostileServer, client: PetClient
) -> None:
    server.turn_to(http(401, "no"), http(200, PAGE))
    await failure_of(client.list_pets())
    await client.with_key(ApiKey("another")).list_pets()
    assert [request.header("authorization") for request in server.seen] == [
        [f"Bearer {KEY}"],
        ["Bearer another"],
    ]
    assert server.connections == 1
    assert client.log.count == 2


async def test_a_transport_is_made_once_in_a_thread_even_if_the_first_call_is_cancelled() -> None:
    threads: list[int] = []
    go_on = threading.Event()

    def make() -> httpx.AsyncBaseTransport:
        threads.append(threading.get_ident())
        go_on.wait()
        return httpx.ASGITransport(app)

    client = PetClient(BASE, KEY, transport=make)
    first = asyncio.create_task(client.list_pets())
    await until(lambda: bool(threads))
    first.cancel()
    go_on.set()
    await asyncio.gather(client.list_pets(), client.get_pet(7), client.create_pet(TINY))
    assert len(threads) == 1
    assert threads[0] != threading.get_ident()
    await client.aclose()


async def test_a_transport_that_cannot_be_made_is_an_error_of_the_tree_and_made_anew() -> None:
    failures = [FileNotFoundError(2, "No such file", "/store.db"), OSError("it is no database")]

    def make() -> httpx.AsyncBaseTransport:
        if failures:
            raise failures.pop()
        return httpx.ASGITransport(app)

    client = PetClient(BASE, KEY, transport=make)
    error = await failure_of(client.list_pets())
    assert str(error) == "cannot connect to 127.0.0.1:8080: it is no database"
    error = await failure_of(client.list_pets())
    assert isinstance(error, NoAnswerError)
    assert error.reason == "/store.db: no such file or directory"
    assert (await client.list_pets()).pets
    await client.aclose()


async def test_a_cancelled_call_gives_its_connection_back(
    server: HostileServer, client_of: ClientOf
) -> None:
    client = client_of(server, Limits(tries=0, connections=1))
    await stop(server, client.list_pets())
    server.turn_to(http(200, PAGE))
    assert (await client.list_pets()).pets


async def test_no_log_holds_the_key(answered: Answered, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = answered(http(401, "no"), drop(), http(201, REX))
    await failure_of(client.list_pets())
    await failure_of(client.list_pets())
    await client.create_pet(TINY)
    assert caplog.records
    assert KEY not in caplog.text


def test_no_repr_holds_the_key() -> None:
    client = PetClient(BASE, KEY)
    parts = [client, *vars(client).values()]
    assert KEY not in "".join(f"{part!r} {getattr(part, '__dict__', '')}" for part in parts)


# ── what is imported: nothing until the first call, and then no more than that needs ─────────────

MAKE = """
import pettui.client, pettui.client.errors, pettui.client.requests
pettui.client.PetClient("http://127.0.0.1:9/v1", "key-of-the-tests", transport=lambda: None)
"""
CALL = """
import asyncio, sys
import pettui.ssh, pettui.ssh.processes
from pettui.client import PetClient

async def call():
    async with PetClient("http://127.0.0.1:9/v1", "key-of-the-tests") as client:
        await asyncio.gather(client.list_pets(), return_exceptions=True)

asyncio.run(call())
import httpx
print("httpx._main" in sys.modules, [name for name, module in sys.modules.items() if module is None])
"""


def test_making_a_client_imports_neither_httpx_nor_pydantic() -> None:
    heavy = {"httpx", "httpcore", "h11", "pydantic", "starlette", "email"}
    assert not modules_after(MAKE) & heavy


def test_a_program_of_others_imports_what_it_would_without_the_client(tmp_path: Path) -> None:
    """Its own apps may use what pettui's commands do without: httpx's command line, click, sniffio."""
    finished = subprocess.run(
        [sys.executable, "-c", CALL], capture_output=True, text=True, timeout=60, check=True,
        env=unmeasured(os.environ),
    )  # fmt: skip
    # Without httpx, too: what the interpreter's own start marks as missing.
    usual = subprocess.run(
        [sys.executable, "-c", "import sys; print([n for n, m in sys.modules.items() if not m])"],
        capture_output=True, text=True, timeout=60, check=True, env=unmeasured(os.environ),
    )  # fmt: skip
    assert finished.stdout == f"True {usual.stdout}"


# ── the log of requests: what went out and what came back, bounded, and never with the key ───────

ONE = LoggedRequest(0.0, "GET", "http://store.example/v1/pets", (), b"", 0.1, 200)


async def test_the_key_is_masked_wherever_the_service_sends_it_back(answered: Answered) -> None:
    client = answered(http(400, f"[{KEY}]", [("X-Echo", KEY)]))
    await failure_of(client.list_pets())
    (logged,) = client.log.newest_first
    assert ("Authorization", "Bearer ***") in logged.sent_headers
    assert ("x-echo", "***") in logged.headers
    assert logged.body == b"[***]"
    assert KEY not in f"{logged!r}{logged.as_curl('SHOP_KEY')}"


def test_the_newest_200_requests_are_kept() -> None:
    log = RequestLog()
    for number in range(REQUESTS_KEPT + 3):
        log.add(ONE._replace(at=number))
    assert [each.at for each in log.newest_first] == [*range(REQUESTS_KEPT + 2, 2, -1)]
    assert log.count == REQUESTS_KEPT + 3


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "fish"])
async def test_curl_sends_what_was_copied_in_any_shell_and_no_other_user_reads_the_key(
    server: HostileServer, shell: str, tmp_path: Path
) -> None:
    """A curl before the real one notes its command line, which every user's ps shows."""
    needs(shell)
    key = "k\"e\\y$'#"
    seen = tmp_path / "curl"
    seen.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/words\nexec {needs("curl")} "$@"\n')
    seen.chmod(0o755)
    server.turn_to(http(201, REX))
    request = ONE._replace(
        method="POST",
        address=f"{server.base_url}/pets",
        sent_headers=(("Content-Type", "application/json"),),
        sent_body=b"""{"name": "O'Neill $HOME `id`"}""",
    )
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SHOP_KEY": key}
    process = await asyncio.create_subprocess_exec(
        shell, "-c", request.as_curl("SHOP_KEY"), env=environment
    )
    assert await process.wait() == 0
    assert key not in (tmp_path / "words").read_text()
    (sent,) = server.seen
    assert (sent.header("authorization"), sent.body) == ([f"Bearer {key}"], request.sent_body)
