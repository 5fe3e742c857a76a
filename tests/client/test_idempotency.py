"""Idempotency keys: how they are sent, and what counts as the promise to add once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import NoAnswerError, PetClientError
from tests.animals import NEW_REX
from tests.client.hostile.server import PAGE, REX, HostileServer, drop, http

if TYPE_CHECKING:
    from tests.client.conftest import Answered

STORE = "0123456789abcdef0123456789abcdef"
OTHER_STORE = STORE[::-1]
KEY = "0190b1f2-0000-7000-8000-000000000001"
ECHO = ("Idempotency-Key", f'"{KEY}"')
PROMISED = [ECHO, ("Pettui-Store", STORE)]


async def test_an_add_says_its_key_and_the_only_store_that_may_add_it(
    server: HostileServer, answered: Answered
) -> None:
    client = answered(http(201, REX))
    await client.create_pet(NEW_REX, idempotency_key=r'a "\ b', store_id=STORE)
    (request,) = server.seen
    assert request.header("idempotency-key") == [r'"a \"\\ b"']
    assert request.header("pettui-store") == [STORE]


async def test_a_list_asks_for_the_promise_and_its_further_pages_do_not(
    server: HostileServer, answered: Answered
) -> None:
    first = http(200, PAGE, [*PROMISED, ("Link", '<?b>; rel="next"')])
    client = answered(first, http(200, PAGE))
    page = await client.list_pets(idempotency_key=KEY)
    assert page.store_id == STORE
    assert (await client.list_next_pets(page)).store_id is None
    assert [request.header("idempotency-key") for request in server.seen] == [[f'"{KEY}"'], []]


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [ECHO],
        [("Pettui-Store", STORE)],
        [ECHO, ("Idempotency-Key", '"another"'), ("Pettui-Store", STORE)],
        [ECHO, ("Pettui-Store", STORE), ("Pettui-Store", OTHER_STORE)],
        [ECHO, ("Pettui-Store", STORE.upper())],
        [ECHO, ("Pettui-Store", STORE[1:])],
    ],
    ids=str,
)
async def test_only_the_own_key_beside_one_store_is_a_promise(
    answered: Answered, headers: list[tuple[str, str]]
) -> None:
    client = answered(http(201, REX, headers), http(200, PAGE, headers), http(400, "", headers))
    assert (await client.create_pet(NEW_REX, idempotency_key=KEY)).store_id is None
    assert (await client.list_pets(idempotency_key=KEY)).store_id is None
    with pytest.raises(PetClientError) as refused:
        await client.create_pet(NEW_REX, idempotency_key=KEY)
    assert refused.value.store_id is None


async def test_a_response_with_another_key_is_to_another_request_and_ends_the_connection(
    server: HostileServer, answered: Answered
) -> None:
    """Such as one that came twice over a connection that is used again."""
    other = [("Idempotency-Key", '"another"'), ("Pettui-Store", STORE)]
    client = answered(http(201, REX, PROMISED), http(201, REX, other), http(201, REX, PROMISED))
    await client.create_pet(NEW_REX, idempotency_key=KEY, store_id=STORE)
    with pytest.raises(NoAnswerError, match="the response is to another request") as failed:
        await client.create_pet(NEW_REX, idempotency_key=KEY, store_id=STORE)
    assert failed.value.maybe_sent
    assert server.connections == 1
    await client.create_pet(NEW_REX, idempotency_key=KEY, store_id=STORE)
    assert server.connections == 2


async def test_a_promise_that_nobody_asked_for_is_none(answered: Answered) -> None:
    assert (await answered(http(201, REX, PROMISED)).create_pet(NEW_REX)).store_id is None


async def test_a_repetition_says_that_it_is_one(answered: Answered) -> None:
    replayed = [*PROMISED, ("Idempotency-Replayed", "?1")]
    client = answered(http(201, REX, replayed), http(201, REX, PROMISED))
    answers = [await client.create_pet(NEW_REX, idempotency_key=KEY) for _ in range(2)]
    assert [(answer.store_id, answer.is_replayed) for answer in answers] == [
        (STORE, True),
        (STORE, False),
    ]


@pytest.mark.parametrize(
    ("status", "body"),
    [(409, '{"code": "key_reused", "message": "No.", "status": 409}'), (413, "no"), (201, "no")],
)
async def test_an_error_says_whose_it_is(answered: Answered, status: int, body: str) -> None:
    client = answered(http(status, body, PROMISED))
    with pytest.raises(PetClientError) as failed:
        await client.create_pet(NEW_REX, idempotency_key=KEY)
    assert failed.value.store_id == STORE


async def test_the_log_of_requests_and_its_curl_have_the_key(answered: Answered) -> None:
    client = answered(http(201, REX))
    await client.create_pet(NEW_REX, idempotency_key=KEY, store_id=STORE)
    (request,) = client.log.newest_first
    assert ("Idempotency-Key", f'"{KEY}"') in request.sent_headers
    command = request.as_curl("KEY")
    assert f"--header 'Idempotency-Key: \"{KEY}\"' --header 'Pettui-Store: {STORE}'" in command


async def test_the_lines_of_the_documentation_add_once(
    server: HostileServer, answered: Answered
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    lines = text.partition("## Adding once")[2].partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(lines, names)
    asked = [("Idempotency-Key", f'"{KEY}?"'), ("Pettui-Store", STORE)]
    client = answered(http(200, PAGE, asked), drop(), http(502, "no"), http(201, REX, PROMISED))
    assert await names["add_once"](client, NEW_REX, KEY, seconds=0.0) == 7
    adds = [request for request in server.seen if request.method == "POST"]
    assert [request.header("idempotency-key") for request in adds] == [[f'"{KEY}"']] * 3
    assert [request.header("pettui-store") for request in adds] == [[STORE]] * 3


async def test_what_is_sent_stands_in_no_repr(answered: Answered) -> None:
    page = await answered(http(200, PAGE)).list_pets(idempotency_key=KEY)
    assert KEY not in repr(page)
