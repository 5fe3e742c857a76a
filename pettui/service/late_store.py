"""A database that is not there yet, such as after a power cut in which it starts later."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

from pettui.service.stores.store import StoreAwayError, StoreUnavailableError

if TYPE_CHECKING:
    from pettui.service.database_trouble import DatabaseTrouble
    from pettui.service.stores.store import Store

RETRY_SECONDS: Final = 5.0
LOG_SECONDS: Final = 30.0

logger = logging.getLogger(__name__)


async def wait_for(store: Store, trouble: DatabaseTrouble) -> None:
    """Try again until the database is there; the log has the reason, each half minute.

    Raises:
        StoreError: there it is, and it can't be used.
    """
    logged = time.monotonic()
    while not store.is_ready:
        try:
            with trouble.watched(is_read=True):
                await _prepared(store)
        except StoreUnavailableError as error:
            if time.monotonic() - logged >= LOG_SECONDS:
                logged = time.monotonic()
                logger.warning("the database is still awaited: %s", error)
            await asyncio.sleep(RETRY_SECONDS)


async def _prepared(store: Store) -> None:
    try:
        await store.prepare()
    except StoreAwayError as error:
        raise StoreUnavailableError(str(error)) from None
