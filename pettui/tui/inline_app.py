"""InlineApp: an app that says on the screen's own lines what Textual would show in a toast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from pettui.tui.keys.available_actions import key_of
from pettui.tui.keys.ordered_app import OrderedApp
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.store_screen import StoreScreen

if TYPE_CHECKING:
    from textual.binding import Binding
    from textual.notifications import SeverityLevel

    from pettui.tui.user_session import UserSession


class InlineApp(OrderedApp):
    """What is said stands there until the next key."""

    session: UserSession

    def get_key_display(self, binding: Binding) -> str:
        """Give a key as people write it: F5, esc, the arrows."""
        look = self.session.look
        if binding.key in look.keys:
            return look.keys[binding.key]
        if binding.key[0] == "f" and binding.key[1:].isdigit():
            return binding.key.upper()
        return look.safe(super().get_key_display(binding))

    def action_help_quit(self) -> None:
        """Say how to quit, on the screen; Textual would show a toast over it."""
        key = key_of(self.screen, "quit") or self._key_anywhere
        self._say(f"{key} quits")

    @property
    def _key_anywhere(self) -> str:
        """The key that quits wherever one is, boxes included."""
        key = self.session.settings.keys.get("quit_anywhere", "ctrl+q").partition(",")[0]
        return key.upper() if key[0] == "f" and key[1:].isdigit() else key

    def notify(
        self,
        message: str,
        *,
        title: str = "",  # noqa: ARG002
        severity: SeverityLevel = "information",  # noqa: ARG002
        timeout: float | None = None,  # noqa: ARG002
        markup: bool = True,
    ) -> None:
        """Say on the screen's own lines what Textual would show in a toast over them."""
        self._say(Content.from_markup(message).plain if markup else message)

    def _say(self, text: str) -> None:
        if isinstance(self.screen, StoreScreen | BoxScreen):
            self.screen.say(self.session.look.line(text))

    def before_key(self) -> None:
        """Take away what was said once."""
        self._say("")
