"""The real service on a store in memory, and what goes wrong on the way to it and back."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from typing import TYPE_CHECKING, TypeAlias

import httpx

from pettui.client import PetClient
from pettui.service.app import create_app
from pettui.service.stores.sqlite import SqliteStore
from pettui.settings.settings import Limits

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from starlette.types import Message, Receive, Scope, Send

    Fault: TypeAlias = "Callable[[Request], Awaitable[None]]"

KEY = "key-of-the-tests"
KEY_HEADER = b"idempotency-key"
NAMES = (KEY_HEADER, b"idempotency-replayed", b"pettui-store")


class Request:
    """An add on its way to the service, which a fault treats as it wants."""

    def __init__(self, service: FaultyPath, scope: Scope, body: bytes, send: Send) -> None:
        self.service = service
        self._scope = scope
        self._body = body
        self._send = send

    async def pass_on(self, *, is_answered: bool = True) -> None:
        """Let the service carry it out."""
        await self.service.call(self._scope, self._body, self._send if is_answered else _drop)

    async def pass_on_without_key(self, *, is_answered: bool = True) -> None:
        """Do so without what is said of keys, in the request and in the response."""
        await self.service.call_without_key(
            self._scope, self._body, self._send if is_answered else _drop
        )

    async def pass_on_as(self, name: str) -> None:
        """Let the service add another animal with the same key, before this one."""
        body = json.dumps({**json.loads(self._body), "name": name}).encode()
        await self.service.call(self._scope, body, _drop)
        await self.pass_on()

    async def pass_to(self, other: FaultyPath) -> None:
        """Let another service answer."""
        await other.call(self._scope, self._body, self._send)

    async def respond_as_store(self, status: int, *headers: tuple[str, str]) -> None:
        """Answer as the service itself does that carries nothing out."""
        key = dict(self._scope["headers"])[KEY_HEADER].decode()
        promise = (("idempotency-key", key), ("pettui-store", str(self.service.store.store_id)))
        body = json.dumps({"code": "no", "message": "No.", "status": status}).encode()
        named = (("content-type", "application/json"), *promise, *headers)
        await self.respond(status, body, *named)

    async def respond(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        """Answer as a proxy does, which knows nothing of keys."""
        sent = [(name.encode(), value.encode()) for name, value in headers]
        await self._send({"type": "http.response.start", "status": status, "headers": sent})
        await self._send({"type": "http.response.body", "body": body})


async def lose_request(_: Request) -> None:
    raise httpx.ReadError("closed")


async def lose_response(request: Request) -> None:
    await request.pass_on(is_answered=False)
    raise httpx.ReadError("closed")


async def page_behind_it(request: Request) -> None:
    """Answer with a proxy's page, after the service added the animal."""
    await request.pass_on(is_answered=False)
    await request.respond(502, b"<html>Bad gateway</html>", ("content-type", "text/html"))


async def strip_headers(request: Request) -> None:
    await request.pass_on_without_key()


async def downgrade(request: Request) -> None:
    """Answer for good as a proxy does, or a service, that knows nothing of keys."""
    request.service.lists_without_key = True
    await request.pass_on_without_key()


class FaultyPath:
    """Adds animals, and treats requests to add them as a test wants."""

    def __init__(self, store: SqliteStore | None = None) -> None:
        self.store = store or SqliteStore.open_in_memory([])
        self.faults: defaultdict[str, deque[Fault]] = defaultdict(deque)  # by name, in order
        self.always: Fault | None = None  # behind those
        self.lists_without_key = False
        self.is_gone = False
        self.adds: list[tuple[str, str | None, str | None]] = []  # name, key, store of each request
        self.lists = 0
        self._app = create_app(self.store, [KEY])

    def client(self) -> PetClient:
        transport, limits = httpx.ASGITransport(self), Limits(tries=0)
        return PetClient("http://shop.example/v1", KEY, transport=transport, limits=limits)

    async def names(self) -> list[str]:
        """What the service has, sorted."""
        page = await self.store.list_pets(1000, None, None)
        return sorted(pet.name for pet in page.pets)

    def fail(self, name: str, *faults: Fault) -> None:
        """Treat the first requests to add an animal of this name so."""
        self.faults[name].extend(faults)

    def keys_of(self, name: str) -> list[str | None]:
        """The keys of each request to add an animal of this name."""
        return [key for sent, key, _ in self.adds if sent == name]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.is_gone:
            raise httpx.ConnectError("connection refused")
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message["body"]
            if not message.get("more_body"):
                break
        if scope["method"] == "GET":
            self.lists += 1
            is_bare = self.lists_without_key
            await (self.call_without_key if is_bare else self.call)(scope, body, send)
            return
        headers = dict(scope["headers"])
        key, store = (headers.get(name, b"").decode() or None for name in (NAMES[0], NAMES[2]))
        name = json.loads(body)["name"]
        self.adds.append((name, key, store))
        fault = self.faults[name].popleft() if self.faults[name] else self.always
        await (fault or Request.pass_on)(Request(self, scope, body, send))

    async def call(self, scope: Scope, body: bytes, send: Send) -> None:
        """Call the service itself."""
        messages = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> Message:
            return next(messages, {"type": "http.disconnect"})

        await self._app(scope, receive, send)

    async def call_without_key(self, scope: Scope, body: bytes, send: Send) -> None:
        """Call it through a proxy that drops what it does not know."""

        async def stripped(message: Message) -> None:
            if "headers" in message:
                message = {**message, "headers": _known(message["headers"])}
            await send(message)

        await self.call({**scope, "headers": _known(scope["headers"])}, body, stripped)


def _known(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name not in NAMES]


async def _drop(_: Message) -> None:
    pass
