"""``GET /healthz``: whether store and keys can be used, for what watches services."""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Final

from pettui.service.errors import ServiceError, TextResponse, keys_unusable, unavailable
from pettui.service.keys import KeysUnusableError
from pettui.service.stores.store import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import Receive, Scope

    from pettui.service.database_trouble import DatabaseTrouble
    from pettui.service.keys import Keys
    from pettui.service.stores.store import Store

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
