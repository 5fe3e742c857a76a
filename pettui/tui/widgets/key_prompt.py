"""The prompt for an API key: KeyPrompt, which a screen has, and ApiKeyLine, which it opens.

The focus stays in it until it is closed: otherwise the rest of the key could be typed in the clear
into another widget.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from pettui.keyboard import actions
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.failures import CHANGE_KEY, Failure
from pettui.tui.widgets.prompt import PromptLine

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.widget import Widget

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import UserSession

NO_HINTS = 36  # cells of the screen, below which a key that is typed takes the room of its hints
NARROW = 60  # cells of the screen, below which the hints are shorter
KEYS = "{use_key} Use this key  {cancel_key} Cancel"
NARROW_KEYS = "{use_key} Use  {cancel_key} Cancel"


class KeyPrompt:
    """That of one screen, opened once or more."""

    def __init__(self, glyphs: GlyphSet, above: Widget) -> None:
        """Open nothing yet; it will stand below a widget."""
        self._glyphs = glyphs
        self._above = above
        self._prompt: ApiKeyLine | None = None
        self._focused_after: Widget | None = None
        self.opened = asyncio.Event()  # it can be typed into, or could before
        self.closed = asyncio.Event()
        self.closed.set()

    @property
    def is_open(self) -> bool:
        """Whether it is open; asked for each key of a screen at each update."""
        return not self.closed.is_set()

    async def open(self) -> None:
        """Open it, and keep the focus from now on."""
        screen = self._above.screen
        self.closed.clear()
        self._focused_after = screen.focused
        self._prompt = ApiKeyLine(self._glyphs)
        await screen.mount(self._prompt, after=self._above)
        self._prompt.take_focus()
        self.opened.set()

    def lets_focus(self, widget: Widget | None) -> bool:
        """Whether a widget may get the focus, by a click too."""
        return not self.is_open or widget is None or self._prompt in widget.ancestors

    def focus_later(self, widget: Widget) -> None:
        """Focus a widget now, or once it is closed; nothing on a screen that is closed."""
        if self.is_open:
            self._focused_after = widget
        elif widget.is_attached:
            widget.screen.set_focus(widget)

    async def close(self) -> None:
        """Close it, and give the focus back, or to what would have got it meanwhile."""
        if self._prompt is not None:
            await self._prompt.remove()
        self.closed.set()
        if self._above.is_attached:
            self._above.screen.set_focus(self._focused_after)


def why_not_changed(session: UserSession, api_key: str) -> Failure | None:
    """Use another API key, for unsent animals too; return why it is not used, or None."""
    try:
        session.use_api_key(api_key)
    except ValueError as error:
        return Failure("Invalid API key", str(error), hint=CHANGE_KEY, is_unauthorized=True)
    return None


class ApiKeyLine(PromptLine, inherit_bindings=False):
    """A masked field; what is typed is posted once and forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.KEY_PROMPT, use_key="submit", cancel_key="close"
    )

    class Typed(Message):
        """A key was typed; "" if the prompt was cancelled."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs, "Key", id="key-line", keys=KEYS, is_masked=True)

    def on_resize(self) -> None:
        """Let the hints be shorter, or go: there must be cells to type in."""
        width = self.screen.size.width
        self.remark.display = width >= NO_HINTS
        self.describe("", keys=NARROW_KEYS if width < NARROW else KEYS)
        self.remark.refresh(layout=True)

    def take_focus(self) -> None:
        """Focus the field, and keep it: elsewhere the key would stand in clear, or be commands."""
        super().take_focus()
        self.trap_focus()

    async def action_submit(self) -> None:
        """Post what was typed."""
        key, self.text = self.text.strip(), ""
        self.post_message(self.Typed(key))

    def action_close(self) -> None:
        """Cancel the prompt, and forget what was typed."""
        self.text = ""
        self.post_message(self.Typed(""))
