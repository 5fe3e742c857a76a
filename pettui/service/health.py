"""``GET /healthz``: whether the store answers, for what starts, stops and watches services."""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Final

from pettui.service.errors import TextResponse, unavailable
from pettui.service.stores.store import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from pettui.service.database_trouble import DatabaseTrouble
    from pettui.service.stores.store import Store

KEPT: Final = 1.0  # seconds


class Health:
    """Asks the store once a second at most, since anyone may ask this without a key."""

    def __init__(
        self,
        store: Store,
        trouble: DatabaseTrouble,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._trouble = trouble
        self._clock = clock
        self._asking = asyncio.Lock()  # whoever comes meanwhile gets the same answer
        self._asked = -math.inf
        self._is_answering = False

    async def respond(self, _request: Request) -> TextResponse:
        """Return a 200 if the store answers; else raise the error of a 503, without detail."""
        async with self._asking:
            if self._clock() - self._asked >= KEPT:
                self._is_answering = await self._ask()
                self._asked = self._clock()
        if not self._is_answering:
            raise unavailable("GET")
        return TextResponse('{"status":"ok"}')

    async def _ask(self) -> bool:
        try:
            with self._trouble.watched(is_read=True):
                await self._store.list_pets(1)
        except StoreUnavailableError:
            return False
        return True
