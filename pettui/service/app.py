"""The service as an ASGI app: ``create_app(store, keys)``; and whether it is well."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.service.database_trouble import NO_FIELDS, DatabaseTrouble
from pettui.service.endpoints import Operations
from pettui.service.errors import (
    CutBodyError,
    ServiceError,
    TextResponse,
    error_of,
    internal_error,
    keys_unusable,
    unauthorized,
    unavailable,
)
from pettui.service.idempotency import echoed_key, note_key
from pettui.service.keys import (
    KEY,
    FixedKeys,
    KeysUnusableError,
)
from pettui.service.operations import (
    OPERATION,
    Operation,
    is_of_interface,
    no_operation,
    operation_of,
)
from pettui.service.stores.store import Store, StoreUnavailableError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope

    from pettui.service.keys import Keys

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import TypeAlias

    from starlette.types import Receive, Scope, Send

    from pettui.service.access_log import AccessLog
    from pettui.service.errors import Headers
    from pettui.service.keys import Keys, KnownKey
    from pettui.service.stores.store import Store

    Endpoint: TypeAlias = Callable[[Scope, Receive], Awaitable[TextResponse]]

# Deprecated since 5 December 2025, 00:00 UTC, five years before its removal (RFC 9745, 2.1);
# removed on 5 December 2030 (RFC 8594); its replacement (RFC 5829, 3.3). In every response to
# getPet, whatever its status.
DEPRECATION: Final = (
    (b"deprecation", b"@1764892800"),
    (b"sunset", b"Thu, 05 Dec 2030 00:00:00 GMT"),
    (b"link", b'</v1/pets>; rel="successor-version"'),
)
# No cache keeps what needed a key, and gives it to whoever has none (RFC 9111).
PRIVATE: Final = ((b"cache-control", b"private, no-store"), (b"vary", b"Authorization"))


def create_app(
    store: Store,
    keys: Iterable[str] | Keys,
    *,
    trouble: DatabaseTrouble | None = None,
    access_log: AccessLog | None = None,
) -> Service:
    """Return the interface as an ASGI app on an open store, which the caller closes.

    Args:
        store: of the animals.
        keys: the accepted bearer keys, or an object that knows them.
        trouble: with the store, if something else than requests notices it, too.
        access_log: gets each request; None for no log.
    """
    known = FixedKeys(keys) if isinstance(keys, Iterable) else keys
    return Service(store, known, trouble or DatabaseTrouble(NO_FIELDS), access_log)


class Service:
    """The interface, and what needs no key: a request is understood, allowed, run, and logged."""

    def __init__(
        self,
        store: Store,
        keys: Keys,
        trouble: DatabaseTrouble,
        access_log: AccessLog | None = None,
    ) -> None:
        self._store = store
        self._keys = keys
        self._access_log = access_log
        operations = Operations(store, trouble)
        self._endpoints: Mapping[Operation, Endpoint] = MappingProxyType(
            {
                Operation.LIST_PETS: operations.list_pets,
                Operation.CREATE_PET: operations.create_pet,
                Operation.GET_PET: operations.get_pet,
                Operation.HEALTH: Health(store, trouble, keys).respond,
                Operation.DESCRIBE: describe,
            }
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request; every failure is an Error body, and a bug is raised after it."""
        started = time.perf_counter()
        response: TextResponse | None = None  # as long as there is none
        scope[OPERATION] = operation_of(scope["method"], scope["path"])
        try:
            response = await self.respond(scope, receive)
            await self._send(response, scope, send)
        except CutBodyError:
            return
        except Exception as error:
            failure = error_of(error, scope["method"])
            response = (failure or internal_error()).response()
            await self._send(response, scope, send)
            if failure is None:
                raise
        finally:
            if self._access_log is not None:
                self._access_log.write(scope, response, time.perf_counter() - started)

    async def respond(self, scope: Scope, receive: Receive) -> TextResponse:
        """Return the response to a request, after its key has been checked; raise its failure."""
        if is_of_interface(scope["path"]):
            self._check_key(scope)
            note_key(scope, self._store.store_id)
        return await self.run(scope, receive)

    async def run(self, scope: Scope, receive: Receive) -> TextResponse:
        """Run the operation of a request that is allowed."""
        endpoint = self._endpoints.get(scope[OPERATION])
        if endpoint is None:
            raise no_operation(scope["path"])
        return await endpoint(scope, receive)

    async def _send(self, response: TextResponse, scope: Scope, send: Send) -> None:
        """Send a response whole; one to HEAD has the same headers, and no body."""
        more: Headers = DEPRECATION if scope[OPERATION] is Operation.GET_PET else ()
        if is_of_interface(scope["path"]):
            more = (*more, *PRIVATE, *echoed_key(scope, self._store.store_id))
        headers = [*response.headers, *more]
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": response.sent_body(scope)})

    def _check_key(self, scope: Scope) -> None:
        """Refuse a request without a known key (RFC 6750, section 2.1)."""
        key = self._known_key(scope)
        if key is None:
            raise unauthorized()
        scope[KEY] = key
        if key.has_expired:
            raise unauthorized()

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


# The interface's, with what this service adds to it; read once: whoever asks for it has no key.
DESCRIPTION: Final = Path(__file__).with_name("openapi.yaml").read_text("utf-8")


async def describe(_scope: Scope, _receive: Receive) -> TextResponse:
    """Return the description of what is served, in OpenAPI."""
    return TextResponse.of(DESCRIPTION, media_type="application/yaml")


FRESH: Final = 1.0  # seconds that an answer is true


def are_usable(keys: Keys) -> bool:
    """Whether a key that may be right can be told from a wrong one."""
    try:
        keys.find(b"")  # which is none
    except KeysUnusableError:
        return False
    return True


class Health:
    """Asks store and keys once a second at most, since anyone may ask this without a key."""

    def __init__(
        self,
        store: Store,
        trouble: DatabaseTrouble,
        keys: Keys,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._keys = keys
        self._trouble = trouble
        self._clock = clock
        self._asking = asyncio.Lock()  # whoever comes meanwhile gets the same answer
        self._asked = -math.inf
        self._obstacle: ServiceError | None = None

    async def respond(self, _scope: Scope, _receive: Receive) -> TextResponse:
        """Return a 200 if all can be used; else raise the error of a 503, without detail."""
        async with self._asking:
            if self._clock() - self._asked >= FRESH:
                self._obstacle = await self._find_obstacle()
                self._asked = self._clock()
        if self._obstacle is not None:
            raise self._obstacle
        return TextResponse.of('{"status":"ok"}')

    async def _find_obstacle(self) -> ServiceError | None:
        try:
            with self._trouble.watched(is_read=True):
                await self._store.list_pets(1)
        except StoreUnavailableError:
            return unavailable("GET")
        return None if are_usable(self._keys) else keys_unusable("GET")
