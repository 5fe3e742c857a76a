"""The service as an ASGI app: ``create_app(store, keys)``."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.routing import Route, Router

from pettui.service.endpoints import DEFAULT_LIMITS, BodyLimits, Operations
from pettui.service.errors import ErrorBodies, MethodNotAllowed, no_such_path, unauthorized
from pettui.service.keys import FixedKeys, Keys

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from pettui.logs import EventLog, Field
    from pettui.service.errors import JsonResponse
    from pettui.service.stores.store import Store


def create_app(
    store: Store,
    keys: Iterable[str] | Keys,
    *,
    limits: BodyLimits = DEFAULT_LIMITS,
    event_log: EventLog | None = None,
) -> ASGIApp:
    """Return the interface as an ASGI app on an open store, which the caller closes.

    Args:
        store: of the animals.
        keys: the accepted bearer keys, or an object that knows them.
        limits: on a request body.
        event_log: gets an event for each request; None for no log.
    """
    known = keys if isinstance(keys, Keys) else FixedKeys(keys)
    app: ASGIApp = ErrorBodies(BearerMiddleware(interface_routes(store, limits), known))
    return app if event_log is None else AccessLog(app, event_log)


def interface_routes(store: Store, limits: BodyLimits = DEFAULT_LIMITS) -> ASGIApp:
    """Return the operations' routes; failures are raised, and keys are not checked."""
    operations = Operations(store, limits)
    return Router(
        [
            ExactRoute("/v1/pets", Operation(operations.list_pets), methods=["GET"]),
            ExactRoute("/v1/pets", Operation(operations.create_pet), methods=["POST"]),
            ExactRoute("/v1/pets", MethodNotAllowed("GET", "HEAD", "POST")),
            ExactRoute("/v1/pets/{pet_id}", Operation(operations.get_pet), methods=["GET"]),
            ExactRoute("/v1/pets/{pet_id}", MethodNotAllowed("GET", "HEAD")),
        ],
        redirect_slashes=False,
        default=no_such_path,
    )


class Operation:
    """An operation as the ASGI app of a route, without Starlette's handling of web pages."""

    def __init__(self, operation: Callable[[Request], Awaitable[JsonResponse]]) -> None:
        self._operation = operation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the operation, and send its response."""
        response = await self._operation(Request(scope, receive))
        await response(scope, receive, send)


class ExactRoute(Route):
    """A route that matches a whole path: Starlette's ``$`` allows a newline at the end."""

    def __init__(self, path: str, endpoint: Any, *, methods: list[str] | None = None) -> None:
        super().__init__(path, endpoint, methods=methods)
        self.path_regex = re.compile(self.path_regex.pattern.removesuffix("$") + r"\Z")


KEY_NAME = "pettui.key_name"  # in the scope, once a key is accepted


class BearerMiddleware:
    """Passes requests with a known key on to its app (RFC 6750, section 2.1); others get 401.

    Paths outside ``/v1`` are not part of the interface: they are passed on, to a 404.
    """

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the key before anything else."""
        path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        if path == "/v1" or path.startswith("/v1/"):
            name = self._key_name(scope)
            if name is None:
                raise unauthorized()
            scope[KEY_NAME] = name
        await self._app(scope, receive, send)

    def _key_name(self, scope: Scope) -> str | None:
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(values) != 1:
            return None
        scheme, _, key = values[0].partition(b" ")
        key = key.lstrip(b" ").rstrip(b" \t")
        return self._keys.name_of(key) if key and scheme.lower() == b"bearer" else None


# A path or a method outside the interface may hold anything, even a key or a name.
_PATH = re.compile(r"/v1/pets(/[0-9]{1,19})?")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"


class AccessLog:
    """Middleware that writes a line for each request.

    A line holds the time (UTC), method, path without query, status (null if the client was gone),
    milliseconds, bytes of the response body, and the short hash of the key (null if unknown).
    """

    def __init__(self, app: ASGIApp, event_log: EventLog) -> None:
        self._app = app
        self._event_log = event_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, and write the line whether it succeeds or fails."""
        started = time.perf_counter()
        status: int | None = None
        size = 0

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counted)
        finally:
            milliseconds = (time.perf_counter() - started) * 1000
            self._event_log.write_line("request", _fields(scope, status, milliseconds, size))


def _fields(
    scope: Scope, status: int | None, milliseconds: float, size: int
) -> Mapping[str, Field]:
    return {
        "method": scope["method"] if scope["method"] in _METHODS else OTHER,
        "path": scope["path"] if _PATH.fullmatch(scope["path"]) else OTHER,
        "status": status,
        "milliseconds": round(milliseconds, 3),
        "bytes": size,
        "key": scope.get(KEY_NAME),
    }
