"""KeyPrompt: whether the prompt for an API key is open, and what gets the focus after it.

The focus stays in the prompt until that is closed: otherwise the rest of the key could be typed in
the clear into another widget.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.outbox import OutboxError
from pettui.tui.failures import CHANGE_KEY, Failure

if TYPE_CHECKING:
    from textual.widget import Widget

    from pettui.tui.session import UserSession


class KeyPrompt:
    """That of one screen, opened once or more."""

    def __init__(self) -> None:
        self._focused_after: Widget | None = None
        self._was_opened = asyncio.Event()
        self._is_closed = asyncio.Event()
        self._is_closed.set()

    @property
    def is_open(self) -> bool:
        """Whether it is open; asked for each key of a screen at each update."""
        return not self._is_closed.is_set()

    @property
    def was_opened(self) -> bool:
        """Whether it can be typed into, or could before."""
        return self._was_opened.is_set()

    def open(self, focused: Widget | None) -> None:
        """Keep the focus from now on, and remember what has it."""
        self._is_closed.clear()
        self._focused_after = focused

    def opened(self) -> None:
        """Let those go on who wait until it can be typed into."""
        self._was_opened.set()

    def focus_after(self, widget: Widget) -> None:
        """Let another widget have the focus once it is closed."""
        self._focused_after = widget

    def close(self) -> Widget | None:
        """Return what gets the focus."""
        self._is_closed.set()
        return self._focused_after

    async def wait_opened(self) -> None:
        """Wait until it can be typed into."""
        await self._was_opened.wait()

    async def wait_closed(self) -> None:
        """Wait until it is closed."""
        await self._is_closed.wait()


async def why_not_changed(session: UserSession, api_key: str) -> Failure | None:
    """Use another API key, for unsent animals too; return why it is not used, or None."""
    try:
        await session.use_api_key(api_key)
    except ValueError as error:
        return Failure("Invalid API key", str(error), hint=CHANGE_KEY, is_unauthorized=True)
    except OutboxError as error:
        return Failure("API key not changed", str(error), hint=CHANGE_KEY)
    return None
