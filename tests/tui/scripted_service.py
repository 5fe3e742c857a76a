"""The real service, except for the responses that a test scripts."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from pettui.service.app import create_app
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pettui.models.pets import NewPet

KEY = "key-of-the-tests"
STORE = "0123456789abcdef0123456789abcdef"
_KEYS = (b"idempotency-key", b"pettui-store")
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Response:
    """A scripted response.

    ``body`` is JSON, or raw bytes; ``gate`` delays the response until it is set; ``error`` is
    raised in place of a response, as the transport raises it. ``is_lost``: the real service
    carries the request out, and its response never comes.
    """

    status: int = 200
    body: object = field(default_factory=list)
    headers: Headers = ()
    gate: asyncio.Event | None = None
    error: Exception | None = None
    is_lost: bool = False


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    operation: str
    path: str
    query: Mapping[str, str]
    key: str
    body: Any = None


class ScriptedService:
    """The real service on a store in memory, except for the responses in its script."""

    def __init__(
        self,
        pets: Iterable[NewPet] | None = None,
        keys: Iterable[str] = (KEY,),
        *,
        promises: bool = False,
    ) -> None:
        """Begin with these animals; promise to add once what comes with a key, or nothing."""
        self.promises = promises
        self._is_asked = False  # whether it does
        samples = sample_pets() if pets is None else pets
        self.store = SqliteStore.open_in_memory(samples)
        if promises:
            self.store.store_id = STORE
        self.requests: list[ReceivedRequest] = []
        self._real = create_app(self.store, keys)
        self._script: defaultdict[str, deque[Response]] = defaultdict(deque)
        self._always: dict[str, Response] = {}
        self._gates: dict[str, asyncio.Event] = {}

    def next(self, operation: str, *responses: Response) -> None:
        """Respond with these first, one for each request."""
        self._script[operation].extend(responses)

    def always(self, operation: str, answer: Response | None) -> None:
        """Respond with this when the script is empty; None is the real service's response."""
        if answer is None:
            self._always.pop(operation, None)
        else:
            self._always[operation] = answer

    def hold(self, operation: str) -> asyncio.Event:
        """Delay every response of an operation until the returned event is set."""
        return self._gates.setdefault(operation, asyncio.Event())

    def requests_for(self, operation: str) -> list[ReceivedRequest]:
        return [asked for asked in self.requests if asked.operation == operation]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        body = await request.body()
        asked = ReceivedRequest(
            _operation(request),
            scope["path"],
            dict(request.query_params),
            request.headers.get("authorization", "").removeprefix("Bearer "),
            json.loads(body) if body else None,
        )
        idempotency_key = request.headers.get("idempotency-key")
        scripted_send = send
        if self.promises and idempotency_key is not None:
            scripted_send = _promising(send, idempotency_key)
        elif idempotency_key is not None and asked.operation == "listPets" and not self._is_asked:
            self._is_asked = True  # it is in no script
            await _send(Response(), send)
            return
        if not self.promises:
            headers = [each for each in scope["headers"] if each[0] not in _KEYS]
            scope = {**scope, "headers": headers}
        self.requests.append(asked)
        script = self._script[asked.operation]
        answer = script.popleft() if script else self._always.get(asked.operation)
        for gate in (self._gates.get(asked.operation), answer.gate if answer else None):
            if gate is not None:
                await gate.wait()
        if answer is None:
            await self._real(scope, _replay(body), send)
        elif answer.error is not None:
            raise answer.error
        elif answer.is_lost:
            await self._real(scope, _replay(body), _lost)
            await asyncio.Event().wait()
        else:
            await _send(answer, scripted_send)

    async def aclose(self) -> None:
        await self.store.close()


def _promising(send: Any, idempotency_key: str) -> Any:
    """Return what sends the key back beside the store's id."""
    promise = [(b"idempotency-key", idempotency_key.encode()), (b"pettui-store", STORE.encode())]

    async def promising(message: Any) -> None:
        if message["type"] == "http.response.start" and message["status"] != 401:
            message = {**message, "headers": [*message["headers"], *promise]}
        await send(message)

    return promising


def _operation(request: Request) -> str:
    if request.method != "GET":
        return "createPet"
    return "listPets" if request.url.path.endswith("/pets") else "getPet"


def _replay(body: bytes) -> Any:
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Any:
        return next(messages, {"type": "http.disconnect"})

    return receive


async def _lost(_: Any) -> None:
    pass


async def _send(answer: Response, send: Any) -> None:
    is_json = not isinstance(answer.body, bytes)
    content = json.dumps(answer.body).encode() if is_json else answer.body
    headers = [(b"content-type", b"application/json")] if is_json else []
    headers += [(name.encode(), value.encode("latin-1")) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def pet(pet_id: int, name: str = "Rex", category: int = 3, **others: object) -> dict[str, object]:
    """Return an animal as JSON; ``status`` among the others, where it has one."""
    return {"id": pet_id, "name": name, "categoryId": category, **others}


def pets(count: int, first: int = 1, **others: object) -> list[dict[str, object]]:
    """Return this many animals, newest first; the last has the id ``first``."""
    return [
        pet(number, f"Animal {number}", **others)
        for number in range(first + count - 1, first - 1, -1)
    ]


def page(first: int, rows: int = 100, *, last: bool = False, **others: Any) -> Response:
    """Return a page of animals whose ids begin with a number, linked to the next one."""
    link = () if last else (("link", f'</v1/pets?limit=100&cursor={first}>; rel="next"'),)
    return Response(body=pets(rows, first), headers=link, **others)


def listing(*answers: Response | list[Any]) -> ScriptedService:
    """Return a service that lists these, one answer after the other, the last one for ever."""
    service = ScriptedService([])
    responses = [each if isinstance(each, Response) else Response(body=each) for each in answers]
    service.next("listPets", *responses[:-1])
    service.always("listPets", responses[-1])
    return service


def error(status: int, code: str, message: str, **options: Any) -> Response:
    return Response(status, {"code": code, "message": message, "status": status}, **options)


def html(status: int, text: bytes = b"<html><h1>Oops</h1></html>") -> Response:
    """Return a proxy's HTML error page."""
    return Response(status, text, (("content-type", "text/html"),))


UNAUTHORIZED = error(401, "unauthorized", "Missing or invalid API key")
