"""The service as an ASGI app: ``create_app(store, keys)``."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.routing import Route, Router

from pettui.service.access_log import AccessLog
from pettui.service.database_trouble import NO_FIELDS, DatabaseTrouble
from pettui.service.description import DESCRIPTION
from pettui.service.endpoints import DEFAULT_LIMITS, BodyLimits, Operations
from pettui.service.errors import (
    ErrorBodies,
    MethodNotAllowed,
    TextResponse,
    keys_unusable,
    no_such_path,
    unauthorized,
)
from pettui.service.health import NO_KEYS, Health, are_usable
from pettui.service.idempotency import EchoedKeys, IdempotencyKeys
from pettui.service.keys import (
    EXPIRED,
    IS_READ_ONLY,
    KEY_NAME,
    KEY_REFUSED,
    FixedKeys,
    Keys,
    KeysUnusableError,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from pettui.service.keys import KnownKey
    from pettui.service.metrics import Metrics
    from pettui.service.stores.store import Store
    from pettui.system.addresses import Network
    from pettui.system.logs import EventLog


def create_app(
    store: Store,
    keys: Iterable[str] | Keys,
    *,
    limits: BodyLimits = DEFAULT_LIMITS,
    event_log: EventLog | None = None,
    trusted_proxies: Collection[Network] = (),
    trouble: DatabaseTrouble | None = None,
    metrics: Metrics | None = None,
) -> ASGIApp:
    """Return the interface as an ASGI app on an open store, which the caller closes.

    Args:
        store: of the animals.
        keys: the accepted bearer keys, or an object that knows them.
        limits: on a request body.
        event_log: gets an event for each request; None for no log.
        trusted_proxies: networks whose X-Forwarded-For is believed, for the log.
        trouble: with the store, if something else than requests notices it, too.
        metrics: count what the log has.
    """
    known = keys if isinstance(keys, Keys) else FixedKeys(keys)
    trouble = trouble or DatabaseTrouble(NO_FIELDS)
    if metrics is not None:
        metrics.watch(
            "pettui_store_usable", "Whether the store can be used.", lambda: float(trouble.is_over)
        )
        metrics.watch(
            "pettui_keys_usable",
            "Whether the keys can be told from others.",
            lambda: float(are_usable(known)),
        )
    routes = IdempotencyKeys(interface_routes(store, limits, trouble, known), store)
    guarded = ErrorBodies(BearerMiddleware(routes, known))
    app: ASGIApp = EchoedKeys(PrivateResponses(DeprecatedGetPet(guarded)), store)
    return app if event_log is None else AccessLog(app, event_log, trusted_proxies, metrics)


def interface_routes(
    store: Store,
    limits: BodyLimits = DEFAULT_LIMITS,
    trouble: DatabaseTrouble | None = None,
    keys: Keys = NO_KEYS,
) -> ASGIApp:
    """Return the routes of the operations, and of what needs no key.

    Failures are raised, and keys are not checked: of these the health tells whether they could be.
    """
    trouble = trouble or DatabaseTrouble(NO_FIELDS)
    operations, health = Operations(store, limits, trouble), Health(store, trouble, keys=keys)
    return Router(
        [
            ExactRoute("/v1/pets", Operation(operations.list_pets), methods=["GET"]),
            ExactRoute("/v1/pets", Operation(operations.create_pet), methods=["POST"]),
            ExactRoute("/v1/pets", MethodNotAllowed("GET", "HEAD", "POST")),
            ExactRoute("/v1/pets/{pet_id}", Operation(operations.get_pet), methods=["GET"]),
            ExactRoute("/v1/pets/{pet_id}", MethodNotAllowed("GET", "HEAD")),
            ExactRoute("/healthz", Operation(health.respond), methods=["GET"]),
            ExactRoute("/healthz", MethodNotAllowed("GET", "HEAD")),
            ExactRoute("/openapi.yaml", Operation(describe), methods=["GET"]),
            ExactRoute("/openapi.yaml", MethodNotAllowed("GET", "HEAD")),
        ],
        redirect_slashes=False,
        default=no_such_path,
    )


async def describe(_request: Request) -> TextResponse:
    """Return the interface's description, which needs no key."""
    return TextResponse(DESCRIPTION, media_type="application/yaml")


class Operation:
    """An operation as the ASGI app of a route, without Starlette's handling of web pages."""

    def __init__(self, operation: Callable[[Request], Awaitable[TextResponse]]) -> None:
        self._operation = operation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the operation, and send its response."""
        response = await self._operation(Request(scope, receive))
        await response(scope, receive, send)


_GET_PET = re.compile(r"/v1/pets/[^/]+")


class ExactRoute(Route):
    """A route that matches a whole path: Starlette's ``$`` allows a newline at the end."""

    def __init__(self, path: str, endpoint: Any, *, methods: list[str] | None = None) -> None:
        super().__init__(path, endpoint, methods=methods)
        self.path_regex = re.compile(self.path_regex.pattern.removesuffix("$") + r"\Z")


# Deprecated since 5 December 2025, 00:00 UTC, five years before its removal (RFC 9745, 2.1);
# removed on 5 December 2030 (RFC 8594); its replacement (RFC 5829, 3.3).
DEPRECATION: Mapping[str, str] = MappingProxyType(
    {
        "Deprecation": "@1764892800",
        "Sunset": "Thu, 05 Dec 2030 00:00:00 GMT",
        "Link": '</v1/pets>; rel="successor-version"',
    }
)


class DeprecatedGetPet:
    """Says in every response to getPet, whatever its status, that the operation is deprecated."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = [
            (name.lower().encode(), value.encode()) for name, value in DEPRECATION.items()
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, and add the headers to its response to getPet."""
        if scope["method"] not in ("GET", "HEAD") or not _GET_PET.fullmatch(path_of(scope)):
            await self._app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        await self._app(scope, receive, marked)


class PrivateResponses:
    """Lets no cache keep what needed a key, and give it to whoever has none (RFC 9111)."""

    HEADERS = ((b"cache-control", b"private, no-store"), (b"vary", b"Authorization"))

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, and add the headers to its response, whatever its status."""
        if not _needs_key(path_of(scope)):
            await self._app(scope, receive, send)
            return

        async def private(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.HEADERS]
            await send(message)

        await self._app(scope, receive, private)


def _needs_key(path: str) -> bool:
    """Whether a path is part of the interface."""
    return path == "/v1" or path.startswith("/v1/")


def path_of(scope: Scope) -> str:
    """Return a request's path below where the app is mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


class BearerMiddleware:
    """Passes requests with a known key on to its app (RFC 6750, section 2.1); others get 401.

    Paths outside ``/v1`` are not part of the interface: they are passed on without a key.
    """

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the key before anything else."""
        if _needs_key(path_of(scope)):
            key = self._known_key(scope)
            if key is None:
                raise unauthorized()
            scope[KEY_NAME] = key.name
            if key.has_expired:
                scope[KEY_REFUSED] = EXPIRED
                raise unauthorized()
            self._keys.record_use(key.name)
            if not key.may_add:
                scope[IS_READ_ONLY] = True  # a repetition is answered all the same
        await self._app(scope, receive, send)

    def _known_key(self, scope: Scope) -> KnownKey | None:
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(values) != 1:
            return None
        scheme, _, key = values[0].partition(b" ")
        key = key.lstrip(b" ").rstrip(b" \t")
        if not key or scheme.lower() != b"bearer":
            return None
        try:
            return self._keys.find(key)
        except KeysUnusableError:
            raise keys_unusable(scope["method"]) from None
