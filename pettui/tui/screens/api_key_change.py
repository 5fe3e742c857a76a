"""ApiKeyChange: replaces the API key by one that is typed into a prompt."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pettui.tui.wording import CHANGE_KEY, Failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen
    from textual.widget import Widget

    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.bars import ErrorBanner


class ApiKeyChange:
    """The focus stays in the prompt until it is closed.

    Otherwise the rest of the key could be typed in the clear into another widget.
    """

    def __init__(
        self,
        screen: Screen[Any],
        session: UserSession,
        above: ErrorBanner,
        show_failure: Callable[[Failure], None],
    ) -> None:
        """Keep what the prompt needs.

        Args:
            screen: where the prompt opens.
            session: uses the key.
            above: the banner of the screen, above the prompt.
            show_failure: shows why a key can't be used.
        """
        self._screen = screen
        self._session = session
        self._above = above
        self._show_failure = show_failure
        self._focused_after: Widget | None = None
        self._is_closed = asyncio.Event()
        self._is_closed.set()
        self._asked = asyncio.Event()  # at the start, for a key that is missing

    @property
    def is_missing(self) -> bool:
        """Whether there is no key, and the prompt for it has not been opened yet."""
        return not self._session.client.has_key and not self._asked.is_set()

    async def asked(self) -> None:
        """Wait until the prompt for a missing key is open."""
        await self._asked.wait()

    @property
    def is_open(self) -> bool:
        """Whether the prompt is open."""
        return bool(self._screen.query("ApiKeyPrompt"))

    @property
    def is_needed(self) -> bool:
        """Whether another key would help."""
        failure = self._above.failure
        is_shown = failure is not None and failure.is_unauthorized
        return (
            is_shown
            or self._session.is_key_refused
            or self._session.outbox.sending.key_error is not None
        )

    async def closed(self) -> None:
        """Wait until the prompt is closed."""
        await self._is_closed.wait()

    def focus_later(self, widget: Widget) -> None:
        """Focus a widget now, or once the prompt is closed."""
        if self.is_open:
            self._focused_after = widget
        else:
            self._screen.set_focus(widget)

    async def open(self) -> None:
        """Open the prompt below the banner."""
        from pettui.tui.widgets.prompts.api_key_prompt import ApiKeyPrompt

        self._is_closed.clear()
        self._focused_after = self._screen.focused
        prompt = ApiKeyPrompt(self._session.glyphs)
        await self._screen.mount(prompt, after=self._above)
        prompt.take_focus()
        self._asked.set()

    async def use(self, key: str) -> bool:
        """Use a key from now on, for unsent animals too; return whether it can be used."""
        await self.close()
        try:
            self._session.use_key(key)
        except ValueError as error:
            self._show_failure(
                Failure("Invalid API key", str(error), hint=CHANGE_KEY, is_unauthorized=True)
            )
            return False
        except OSError as error:
            reason = f"the server could not keep that it is yours: {error.strerror}"
            self._show_failure(Failure("API key not changed", reason, hint=CHANGE_KEY))
            return False
        return True

    async def close(self) -> None:
        """Close the prompt."""
        await self._screen.query("ApiKeyPrompt").remove()
        self._is_closed.set()
        self._screen.set_focus(self._focused_after)
