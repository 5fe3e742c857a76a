"""What programs of others do with the client's values: copies, pickles, types, wrong arguments."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import gc
import json
import pickle
import sys
import threading
import typing
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from pydantic import BaseModel, TypeAdapter

import pettui.client
from pettui.client import (
    IncompleteListError,
    NewPet,
    NoAnswerError,
    NoKeyError,
    Pet,
    PetClient,
    PetClientError,
    PetPage,
    PetStatus,
)
from pettui.settings.settings import Limits
from tests.animals import NEW_REX
from tests.client.hostile.checks import KEY, failure_of
from tests.client.hostile.server import http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.client.conftest import Answered

BASE = "http://127.0.0.1:8080/v1"
BODY = (
    '[{"id": 7, "name": "R\\u0065x", "categoryId": 3, "status": "sold", "price": 1.10,'
    ' "legs": 4, "of": {"kg": 1e1}}, {"id": 8}, {"id": 6, "name": "Tom", "categoryId": 1}]'
)
REFUSAL = '{"code": "no_such_category", "message": "no", "status": 400, "hint": 2.50}'


def client() -> PetClient:
    return PetClient(BASE, KEY)


async def failures(answered: Answered) -> list[PetClientError]:
    """Return an error of each kind, of which most were raised by a call."""
    tiny = NewPet(name="Tiny", category_id=3)
    raised = [
        await failure_of(answered(http(400, REFUSAL)).create_pet(tiny)),
        await failure_of(answered(http(502, "gone")).create_pet(tiny)),
        await failure_of(answered(http(200, "{}")).list_pets()),
        await failure_of(PetClient("http://127.0.0.1:9/v1", KEY).create_pet(tiny)),
    ]
    return [*raised, NoKeyError("none"), IncompleteListError(reason="cut")]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))]
)
async def test_pages_animals_and_errors_can_be_copied_pickled_and_taken_apart(
    answered: Answered, copied: Callable[[Any], Any]
) -> None:
    page = await answered(http(200, BODY)).list_pets()
    again = copied(page)
    assert again == page
    assert [pet.to_json() for pet in again.pets] == [pet.to_json() for pet in page.pets]
    rex, tom = (dataclasses.asdict(pet) for pet in page.pets)
    assert (rex["status"], rex["others"]["legs"], tom["status"]) == ("sold", 4, None)
    new_pet = NewPet(name="Rex", category_id=3, status=PetStatus.SOLD)
    assert copied(new_pet) == new_pet
    errors = await failures(answered)
    assert len({type(error) for error in errors}) == 6
    for error in errors:
        error.add_note("of the third try")
        again = copied(error)
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
        assert dataclasses.asdict(error)["maybe_sent"] is error.maybe_sent


async def test_numbers_are_pythons_and_written_as_they_came(answered: Answered) -> None:
    page = await answered(http(200, BODY)).list_pets()
    others = page.pets[0].others
    assert others == {"price": Decimal("1.1"), "legs": 4, "of": {"kg": 10}}
    assert others["price"] * others["legs"] == Decimal("4.4")
    assert type(others["legs"]) is int
    assert page.pets[0].to_json() == BODY[1 : BODY.index("}}") + 2]
    made = Pet(id=7, name="Rex", category_id=3, status="sold", others=others)
    assert made == page.pets[0]
    assert made.to_json() == page.pets[0].to_json().replace("\\u0065", "e")
    renamed = dataclasses.replace(page.pets[0], name="Tim")
    assert renamed.to_json() == made.to_json().replace("Rex", "Tim")


async def test_pydantic_writes_and_reads_animals_and_pages(answered: Answered) -> None:
    page = await answered(http(200, BODY)).list_pets()
    pets = TypeAdapter(list[Pet])
    written = pets.dump_json([*page.pets])
    assert json.loads(written)[0] == {
        "id": 7, "name": "Rex", "category_id": 3, "status": "sold",
        "others": {"price": "1.10", "legs": 4, "of": {"kg": "1e1"}},
    }  # fmt: skip
    assert [pet.id for pet in pets.validate_json(written)] == [7, 6]
    assert [pet.to_json() for pet in pets.validate_json(written)][1] == page.pets[1].to_json()
    assert TypeAdapter(PetPage).dump_python(page)[0][1]["reason"] == "name is missing"

    class Order(BaseModel):
        pet: Pet
        new: NewPet

    order = Order.model_validate(
        {"pet": page.pets[0], "new": {"name": "A", "category_id": 1, "status": "sold"}}
    )
    assert order.pet is page.pets[0]
    assert order.new == NewPet(name="A", category_id=1, status=PetStatus.SOLD)


PUBLIC = [getattr(pettui.client, name) for name in pettui.client.__all__]


@pytest.mark.parametrize("public", [each for each in PUBLIC if isinstance(each, type)])
def test_the_types_of_all_public_classes_can_be_asked_for(public: type) -> None:
    typing.get_type_hints(public)
    typing.get_type_hints(public.__init__)
    for name, method in vars(public).items():
        if callable(method) and not name.startswith("_"):
            typing.get_type_hints(method)


async def test_leaving_the_animals_closes_the_pages_behind_them(answered: Answered) -> None:
    hooks, left = sys.get_asyncgen_hooks(), []
    client = answered(http(200, BODY))
    sys.set_asyncgen_hooks(finalizer=left.append)  # called for what was not closed
    try:
        async with aclosing(client.all_pets()) as pets:
            assert (await anext(pets)).id == 7
        gc.collect()
    finally:
        sys.set_asyncgen_hooks(*hooks)
    assert left == []


def made(**options: object) -> PetClient:
    return PetClient(**{"base_url": BASE, "api_key": KEY, **options})


SECRET = "secret-of-the-gateway"
# What is said, or how it begins, and the call of which it is.
WRONG: dict[str, Callable[[], Any]] = {
    "name must be text, not of type int": lambda: NewPet(name=3, category_id=3),
    "name must hold no half of a character": lambda: NewPet(name="\ud800", category_id=3),
    "category_id must be a whole number, not of type bool": (
        lambda: NewPet(name="Rex", category_id=True)
    ),
    "category_id: this number is too large": lambda: NewPet(name="Rex", category_id=2**63),
    "status must be available, pending or sold": (
        lambda: NewPet(name="Rex", category_id=3, status="lost")
    ),
    "status must be": lambda: client().all_pets(status="lost"),
    "limit must be 1 to 100": lambda: client().list_pets(0),
    "limit must be a whole number, not of type str": lambda: client().list_pets("20"),
    "on_wait must be a function, or None": lambda: client().all_pages(on_wait="no"),
    "new_pet must be a NewPet, not of type dict": lambda: client().create_pet({"name": "Rex"}),
    "pet_id must be a whole number, not of type str": lambda: client().get_pet("7"),
    "this number is too large": lambda: client().get_pet(2**63),
    "page must be a PetPage, not None": lambda: client().list_next_pets(None),
    "idempotency_key must be text or None, not of type int": (
        lambda: client().list_pets(idempotency_key=1)
    ),
    "an idempotency key is 1 to 255 printable characters of ASCII": (
        lambda: client().create_pet(NEW_REX, idempotency_key="a\nb")
    ),
    "a store is named by 32 hexadecimal digits, and beside a key": (
        lambda: client().create_pet(NEW_REX, store_id="0" * 32)
    ),
    "base_url must be text, not None": lambda: made(base_url=None),
    "the base address must ": lambda: made(base_url=f"http://u:{SECRET}@h.example/v1"),
    "api_key must be text, not None": lambda: made(api_key=None),
    "the API key must be one word of visible ASCII characters": (
        lambda: made(api_key=f"{SECRET}\nline")
    ),
    "the API key must": lambda: client().with_key(f"two {SECRET}"),
    "limits must be a Limits or None, not of type int": lambda: made(limits=3),
    "the proxy ": lambda: made(base_url="https://h.example/v1", proxy="socks5://h.example:1080"),
    "ca_file must be a path or None, not of type int": lambda: made(ca_file=3),
    "transport must be an httpx.AsyncBaseTransport, or what makes one": (
        lambda: made(transport=httpx.HTTPTransport())
    ),
    "headers must be a mapping of names to texts or None, not of type list": (
        lambda: made(headers=[("X-Token", SECRET)])
    ),
    "headers: idempotency-key is set by the client": (
        lambda: made(headers={"idempotency-key": SECRET})
    ),
    "headers: a name is one word of ASCII": lambda: made(headers={"X Token": SECRET}),
    "headers: X-Token must be printable text of ASCII": (
        lambda: made(headers={"X-Token": f"{SECRET}\r\nX-Other: 1"})
    ),
    "headers: x-token occurs twice": lambda: made(headers={"X-Token": SECRET, "x-token": SECRET}),
    "timeout must be more than 0 seconds": lambda: made(timeout=float("nan")),
    "timeout must be a number": lambda: client().list_pets(timeout="5"),
}


@pytest.mark.parametrize("words", WRONG)
async def test_a_wrong_argument_raises_with_words_before_anything_is_sent(words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        await WRONG[words]()
    assert str(raised.value).startswith(words)
    assert SECRET not in str(raised.value)
    assert KEY not in str(raised.value)


# ── event loops ───────────────────────────────────────────────────────────────────────────────────


class _Kept(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps the connection

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY.encode())

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def kept_service() -> Iterator[ThreadingHTTPServer]:
    """A service in threads, which outlives the event loops of its clients."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Kept) as service:
        service.connections = 0
        service.daemon_threads = True
        thread = threading.Thread(target=service.serve_forever, args=(0.02,))
        thread.start()
        yield service
        service.shutdown()
        thread.join()


def _address(service: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{service.server_port}/v1"


async def _twice(client: PetClient) -> list[int]:
    return [len((await client.list_pets()).pets) for _ in range(2)]


def test_a_client_works_in_the_event_loops_of_several_threads_at_once(
    kept_service: ThreadingHTTPServer,
) -> None:
    client = PetClient(_address(kept_service), KEY, limits=Limits(tries=0))
    both = threading.Barrier(2)

    async def call() -> list[int]:
        first = await _twice(client)
        await asyncio.to_thread(both.wait, 20)  # both are open
        second = await _twice(client)
        await client.aclose()
        return first + second

    with ThreadPoolExecutor(2) as threads:
        results = [threads.submit(asyncio.run, call()) for _ in range(2)]
        assert [result.result(30) for result in results] == [[2] * 4] * 2
    assert kept_service.connections == 2


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_given_transport_of_another_event_loop_is_refused_in_a_sentence(
    kept_service: ThreadingHTTPServer,
) -> None:
    transport = httpx.AsyncHTTPTransport()
    client = PetClient(_address(kept_service), KEY, transport=transport)
    assert asyncio.run(_twice(client)) == [2, 2]
    with pytest.raises(NoAnswerError, match="the transport belongs to another event loop"):
        asyncio.run(client.list_pets())
    maker = PetClient(_address(kept_service), KEY, transport=httpx.AsyncHTTPTransport)
    assert [asyncio.run(_twice(maker)) for _ in range(2)] == [[2, 2]] * 2
    del client, transport, maker
    gc.collect()  # or their sockets would warn in another test
