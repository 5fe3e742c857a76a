"""KeyChange: another API key is typed into a prompt on the screen, and used from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettui.tui.wording.failures import ANOTHER_KEY, Failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen
    from textual.widget import Widget

    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.bars.error_banner import ErrorBanner


class KeyChange:
    """The cursor stays in the prompt until it is left.

    The rest of the key would otherwise be typed into a widget: in the clear, and for anything.
    """

    def __init__(
        self,
        screen: Screen[Any],
        session: UserSession,
        above: ErrorBanner,
        tell: Callable[[Failure], None],
    ) -> None:
        """Take what the prompt stands on.

        Args:
            screen: where it is opened.
            session: of which the key is.
            above: the banner of the screen, which it stands under.
            tell: shows why a key can't be used.
        """
        self._screen = screen
        self._session = session
        self._above = above
        self._tell = tell
        self._focused_after: Widget | None = None

    @property
    def is_open(self) -> bool:
        """Whether the prompt is there."""
        return bool(self._screen.query("KeyPrompt"))

    @property
    def is_needed(self) -> bool:
        """Whether another key would help."""
        failure = self._above.failure
        is_named = failure is not None and failure.is_unauthorized
        return (
            is_named
            or self._session.is_key_refused
            or self._session.outbox.delivery.key_error is not None
        )

    def focus_later(self, widget: Widget) -> None:
        """Put the cursor into a widget; not before the prompt is left."""
        if self.is_open:
            self._focused_after = widget
        else:
            self._screen.set_focus(widget)

    async def open(self) -> None:
        """Ask for another key, under the banner."""
        from pettui.tui.widgets.prompts.api_key_prompt import KeyPrompt

        self._focused_after = self._screen.focused
        prompt = KeyPrompt(self._session.look)
        await self._screen.mount(prompt, after=self._above)
        prompt.take_focus()

    async def use(self, key: str) -> None:
        """Use a key from now on, for what waits to be sent too, and refresh."""
        await self.leave()
        try:
            self._session.use_key(key)
        except ValueError as error:
            self._tell(Failure("Not a key", str(error), hint=ANOTHER_KEY, is_unauthorized=True))
            return
        await self._screen.run_action("refresh")

    async def leave(self) -> None:
        """Take the prompt away."""
        await self._screen.query("KeyPrompt").remove()
        self._screen.set_focus(self._focused_after)
