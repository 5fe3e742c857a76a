"""The service of a demo: the interface, and faults that are staged in front of it.

A fault is a real response, with an Error body and headers, so that a client handles it like any
other service's.
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Final

from pettui.models.staged_faults import SLOW_SECONDS, Fault
from pettui.service.app import BearerMiddleware, DeprecatedGetPet, interface_routes
from pettui.service.endpoints import DEFAULT_LIMITS, read_body, read_new_pet
from pettui.service.errors import NOT_STORED, ErrorBodies, ServiceError
from pettui.service.idempotency import IDEMPOTENCY_KEY, EchoedKeys, IdempotencyKeys
from pettui.service.keys import KnownKey

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from pettui.models.staged_faults import StagedFaults
    from pettui.service.stores.store import Store


READ_ONLY: Final = "read_only"  # the error code of adds to a read-only demo


def create_demo_app(
    store: Store,
    key: str,
    faults: StagedFaults,
    *,
    is_read_only: bool = False,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> ASGIApp:
    """Return the interface as an ASGI app on an open store, which the caller closes.

    Args:
        store: of the animals.
        key: the bearer key that is refused if that fault is staged before any other key was used.
        faults: that are staged for the demo's visitor.
        is_read_only: whether every add is refused (400, ``read_only``).
        sleep: waits for a number of seconds.
    """
    routes = interface_routes(store)
    operations = RefusedOperations(routes, store, faults, is_read_only=is_read_only)
    guarded = BearerMiddleware(IdempotencyKeys(operations, store), DemoKeys(key.encode(), faults))
    return EchoedKeys(DeprecatedGetPet(ErrorBodies(Outage(guarded, faults, sleep))), store)


class Outage:
    """Delays responses, or refuses every request: 503 with Retry-After."""

    def __init__(
        self, app: ASGIApp, faults: StagedFaults, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._app = app
        self._faults = faults
        self._sleep = sleep

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, unless the service is away."""
        if self._faults.is_staged(Fault.SLOW):
            await self._sleep(SLOW_SECONDS)
        if seconds := math.ceil(self._faults.seconds_left(Fault.AWAY)):
            raise _away(scope["method"], seconds)
        await self._app(scope, receive, send)


def _away(method: str, seconds: int) -> ServiceError:
    """Return the 503; nothing was stored, since the request did not reach the store."""
    is_add = method == "POST"
    message = f"The service is away; try again in {seconds} s"
    return ServiceError(
        503,
        NOT_STORED if is_add else "unavailable",
        f"{message}, nothing was stored" if is_add else message,
        {"Retry-After": str(seconds)},
    )


class DemoKeys:
    """The keys of a demo: any key is accepted, and after it was refused, any other key.

    A demo's key is not shown to its visitor, who could not type it again after another key.
    """

    def __init__(self, key: bytes, faults: StagedFaults) -> None:
        self._key = key
        self._faults = faults

    def find(self, key: bytes) -> KnownKey | None:
        """Return an accepted key, or None for the refused one; who has a demo may add to it."""
        if self._faults.is_staged(Fault.KEY_REFUSED) and key == self._key:
            return None
        self._key = key
        self._faults.end(Fault.KEY_REFUSED)
        return KnownKey("demo")

    def record_use(self, _name: str) -> None:
        """Record nothing."""


class RefusedOperations:
    """Refuses createPet and getPet, after the key has been checked.

    What repeats an add that was stored is not refused: that would be believed.
    """

    def __init__(
        self, app: ASGIApp, store: Store, faults: StagedFaults, *, is_read_only: bool
    ) -> None:
        self._app = app
        self._store = store
        self._faults = faults
        self._is_read_only = is_read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, unless the operation is refused."""
        if scope["path"] == "/v1/pets" and scope["method"] == "POST":
            await self._check_add(scope, receive)
        is_get_pet = scope["path"].startswith("/v1/pets/")
        if is_get_pet and self._faults.is_staged(Fault.GET_PET_GONE):
            message = "getPet is gone; use GET /pets with the status filter"
            raise ServiceError(410, "gone", message)
        await self._app(scope, receive, send)

    async def _check_add(self, scope: Scope, receive: Receive) -> None:
        key = scope.get(IDEMPOTENCY_KEY)
        if key is not None and await self._store.find_added(key.stored) is not None:
            return
        if self._is_read_only:
            raise ServiceError(400, READ_ONLY, "This demo is read-only: animals cannot be added")
        if self._faults.use_up(Fault.ADD_REFUSED):
            new_pet = read_new_pet(await read_body(scope, receive, DEFAULT_LIMITS))
            message = f"categoryId {new_pet.category_id} does not exist"
            raise ServiceError(400, "invalid_value", message)
