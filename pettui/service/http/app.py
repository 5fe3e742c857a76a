"""The service as an ASGI app: ``create_app(store, keys)``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.routing import Route, Router

from pettui.service.http.access_log import AccessLog
from pettui.service.http.bearer import BearerMiddleware
from pettui.service.http.body import DEFAULT_LIMITS, BodyLimits
from pettui.service.http.endpoints import NO_FIELDS, Operations
from pettui.service.http.errors import ErrorBodies, MethodNotAllowed, no_such_path
from pettui.service.known_keys import FixedKeys, Keys

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from pettui.logs import EventLog, Field
    from pettui.service.http.responses import JsonResponse
    from pettui.service.stores.store import Store
    from pettui.service_addresses import Network


def create_app(
    store: Store,
    keys: Iterable[str] | Keys,
    *,
    limits: BodyLimits = DEFAULT_LIMITS,
    event_log: EventLog | None = None,
    trusted_proxies: Collection[Network] = (),
    database: Mapping[str, Field] = NO_FIELDS,
) -> ASGIApp:
    """Return the interface as an ASGI app on an open store, which the caller closes.

    Args:
        store: of the animals.
        keys: the accepted bearer keys, or an object that knows them.
        limits: on a request body.
        event_log: gets an event for each request; None for no log.
        trusted_proxies: networks whose X-Forwarded-For is believed, for the log.
        database: what the log says of the store when it can't be used.
    """
    known = keys if isinstance(keys, Keys) else FixedKeys(keys)
    app: ASGIApp = ErrorBodies(BearerMiddleware(interface_routes(store, limits, database), known))
    return app if event_log is None else AccessLog(app, event_log, known, trusted_proxies)


def interface_routes(
    store: Store, limits: BodyLimits = DEFAULT_LIMITS, database: Mapping[str, Field] = NO_FIELDS
) -> ASGIApp:
    """Return the operations' routes; failures are raised, and keys are not checked."""
    operations = Operations(store, limits, database)
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
