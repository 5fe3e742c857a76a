"""The service of a demo: the interface as it is, and what is staged to go wrong, at its door.

The faults are answers of the service's own, with Error bodies and headers, so that a client meets
them as it would meet those of any other service.
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Final

from pettui.models import NOT_STORED
from pettui.service.http.app import interface_routes
from pettui.service.http.bearer import BearerMiddleware
from pettui.service.http.body import DEFAULT_LIMITS, read_body
from pettui.service.http.create_pet_body import read_new_pet
from pettui.service.http.endpoints import DEPRECATION
from pettui.service.http.errors import ErrorBodies, ServiceError
from pettui.staged_faults import SLOW_SECONDS, Fault

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from pettui.service.stores.store import Store
    from pettui.staged_faults import StagedFaults

READ_ONLY: Final = "read_only"  # the code of an add that is refused because all are


def create_demo_app(
    store: Store,
    key: str,
    faults: StagedFaults,
    *,
    is_read_only: bool = False,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> ASGIApp:
    """Return the interface on an open store that stays the caller's to close.

    Args:
        store: where the animals are.
        key: the bearer key that is refused, where none came before that is staged.
        faults: what happens to those who come.
        is_read_only: whether every add is refused (400, ``read_only``).
        sleep: waits so many seconds.
    """
    operations = RefusedOperations(interface_routes(store), faults, is_read_only=is_read_only)
    guarded = BearerMiddleware(operations, DemoKeys(key.encode(), faults))
    return ErrorBodies(Outage(guarded, faults, sleep))


class Outage:
    """Answers late, or not at all: 503 with Retry-After, whoever asks."""

    def __init__(
        self, app: ASGIApp, faults: StagedFaults, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._app = app
        self._faults = faults
        self._sleep = sleep

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer where the service is there."""
        if self._faults.is_staged(Fault.SLOW):
            await self._sleep(SLOW_SECONDS)
        if seconds := math.ceil(self._faults.seconds_left(Fault.AWAY)):
            raise _away(scope["method"], seconds)
        await self._app(scope, receive, send)


def _away(method: str, seconds: int) -> ServiceError:
    """Return the 503; of an add it is known that nothing was stored, since it never came in."""
    is_add = method == "POST"
    message = f"The service is away; try again in {seconds} s"
    return ServiceError(
        503,
        NOT_STORED if is_add else "unavailable",
        f"{message}, nothing was stored" if is_add else message,
        {"Retry-After": str(seconds)},
    )


class DemoKeys:
    """The keys of a demo: whichever comes, and once that is refused, whichever other one comes.

    Nobody was told a demo's key: one who typed another could never come back to it.
    """

    def __init__(self, key: bytes, faults: StagedFaults) -> None:
        self._key = key
        self._faults = faults

    def hash_name(self, key: bytes) -> str | None:
        """Return a name for a key that is let in, None for the one that is refused."""
        if self._faults.is_staged(Fault.KEY_REFUSED) and key == self._key:
            return None
        self._key = key
        self._faults.end(Fault.KEY_REFUSED)
        return "demo"


class RefusedOperations:
    """Refuses adds and getPet; behind the check of the key, as the operations themselves are."""

    def __init__(self, app: ASGIApp, faults: StagedFaults, *, is_read_only: bool) -> None:
        self._app = app
        self._faults = faults
        self._is_read_only = is_read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer what is not refused."""
        if scope["path"] == "/v1/pets" and scope["method"] == "POST":
            await self._check_add(scope, receive)
        is_get_pet = scope["path"].startswith("/v1/pets/")
        if is_get_pet and self._faults.is_staged(Fault.GET_PET_GONE):
            message = "getPet is gone; use GET /pets with the status filter"
            raise ServiceError(410, "gone", message, DEPRECATION)
        await self._app(scope, receive, send)

    async def _check_add(self, scope: Scope, receive: Receive) -> None:
        if self._is_read_only:
            raise ServiceError(400, READ_ONLY, "This demo is read-only: it takes no new animals")
        if self._faults.take(Fault.ADD_REFUSED):
            new_pet = read_new_pet(await read_body(scope, receive, DEFAULT_LIMITS))
            message = f"categoryId {new_pet.category_id} does not exist"
            raise ServiceError(400, "invalid_value", message)
