"""The service of a demo: the interface, and faults that are staged in front of it.

A fault is a real response, with an Error body and headers, so that a client handles it like any
other service's.
"""

from __future__ import annotations

import math
from asyncio import sleep
from typing import TYPE_CHECKING, Final

from pettui.models.staged_faults import SLOW_SECONDS, Fault, StagedFaults
from pettui.service.app import Service
from pettui.service.database_trouble import NO_FIELDS, DatabaseTrouble
from pettui.service.endpoints import read_body, read_new_pet
from pettui.service.errors import NOT_STORED, ServiceError, TextResponse
from pettui.service.idempotency import IDEMPOTENCY_KEY
from pettui.service.keys import KnownKey
from pettui.service.operations import OPERATION, Operation

if TYPE_CHECKING:
    from starlette.types import Receive, Scope

    from pettui.service.stores.store import Store


READ_ONLY: Final = "read_only"  # the error code of adds to a read-only demo


class StagedService(Service):
    """The interface as an ASGI app on an open store, which the caller closes, with its faults.

    Those of operations come after the key has been checked, and are not for what repeats an add
    that was stored: that would be believed.
    """

    def __init__(
        self,
        store: Store,
        key: str,
        faults: StagedFaults,
        *,
        is_read_only: bool = False,
    ) -> None:
        """Serve a demo.

        Args:
            store: of the animals.
            key: the bearer key that is refused if that fault is staged before any other was used.
            faults: that are staged for the demo's user.
            is_read_only: whether every add is refused (400, ``read_only``).
        """
        trouble = DatabaseTrouble(NO_FIELDS)
        super().__init__(store, DemoKeys(key.encode(), faults), trouble)
        self._faults = faults
        self._is_read_only = is_read_only

    async def respond(self, scope: Scope, receive: Receive) -> TextResponse:
        """Return the response, unless the service is away: that is 503 with Retry-After."""
        if self._faults.is_staged(Fault.SLOW):
            await sleep(SLOW_SECONDS)
        if seconds := math.ceil(self._faults.seconds_left(Fault.AWAY)):
            raise _away(scope["method"], seconds)
        return await super().respond(scope, receive)

    async def run(self, scope: Scope, receive: Receive) -> TextResponse:
        """Run the operation, unless it is refused."""
        operation = scope[OPERATION]
        if operation is Operation.CREATE_PET:
            await self._check_add(scope, receive)
        if operation is Operation.GET_PET and self._faults.is_staged(Fault.GET_PET_GONE):
            message = "getPet is gone; use GET /pets with the status filter"
            raise ServiceError(410, "gone", message)
        return await super().run(scope, receive)

    async def _check_add(self, scope: Scope, receive: Receive) -> None:
        key = scope.get(IDEMPOTENCY_KEY)
        if key is not None and await self._store.find_added(key.stored) is not None:
            return
        if self._is_read_only:
            raise ServiceError(400, READ_ONLY, "This demo is read-only: animals cannot be added")
        if self._faults.use_up(Fault.ADD_REFUSED):
            new_pet = read_new_pet(await read_body(scope, receive))
            message = f"categoryId {new_pet.category_id} does not exist"
            raise ServiceError(400, "invalid_value", message)


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

    A demo's key is not shown to its user, who could not type it again after another key.
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
