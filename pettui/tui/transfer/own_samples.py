"""The samples of a new store: the question whether they go, and what becomes of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from pettui.text.amounts import counted
from pettui.transfer.files import TransferError
from pettui.tui.screens.boxes import ConfirmationScreen
from pettui.tui.session.session import StoreEmptied

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import Samples

NO_MORE_SAMPLES: Final = "other animals are in the store by now: nothing was taken out"


def emptying_question(
    glyphs: GlyphSet, count: int, empty: Callable[[], None]
) -> ConfirmationScreen:
    """Return the question whether the store's samples go."""
    text = f"It has nothing but {counted(count, 'sample')}. They are taken out, and are gone."
    return ConfirmationScreen(glyphs, "Empty the store?", text, empty)


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
