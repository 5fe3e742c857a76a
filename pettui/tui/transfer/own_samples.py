"""The samples of a new store: the question whether they go, and what becomes of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from pettui.text.amounts import counted
from pettui.transfer.files import TransferError
from pettui.tui.session.session import StoreEmptied

if TYPE_CHECKING:
    from textual.app import App

    from pettui.tui.screens.app_screen import AppScreen
    from pettui.tui.session.session import Samples

NO_MORE_SAMPLES: Final = "other animals are in the store by now: nothing was taken out"


async def may_empty(screen: AppScreen[Any], count: int) -> bool:
    """Return whether the store's samples go."""
    text = f"It has nothing but {counted(count, 'sample')}. They are taken out, and are gone."
    return await screen.ask("Empty the store?", text)


async def empty_store(samples: Samples, app: App[None]) -> str:
    """Take the samples out, have every screen know, and return what became of it.

    Raises:
        TransferError: the store can't be written, or has other animals by now.
    """
    count = await asyncio.to_thread(samples.remove)
    if not count:
        raise TransferError(NO_MORE_SAMPLES)
    for screen in app.screen_stack:
        screen.post_message(StoreEmptied())
    return f"the store is empty: {counted(count, 'sample')} taken out"
