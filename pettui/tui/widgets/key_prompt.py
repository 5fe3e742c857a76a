"""The prompt for an API key: KeyPrompt, which a screen has, and ApiKeyPrompt, which it opens.

The focus stays in it until it is closed: otherwise the rest of the key could be typed in the clear
into another widget.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.actions import SkipAction
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Label

from pettui.keyboard import actions
from pettui.tui.widgets.bindings import bindings, hints
from pettui.tui.widgets.failures import CHANGE_KEY, Failure
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.runs import width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size
    from textual.widget import Widget

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Run

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
        self._prompt: ApiKeyPrompt | None = None
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
        self._prompt = ApiKeyPrompt(self._glyphs)
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


class ApiKeyPrompt(Horizontal):
    """A masked field; what is typed is posted once and forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.KEY_PROMPT, use_key="submit", cancel_key="cancel"
    )

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._keys = PromptKeys(glyphs)

    class Closed(Message):
        """A key was typed; "" if the prompt was cancelled."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def compose(self) -> ComposeResult:
        """Lay out label and line."""
        yield Label("Key", markup=False)
        yield MaskedInput(self._glyphs)
        yield self._keys

    def take_focus(self) -> None:
        """Focus the field."""
        self.screen.set_focus(self.query_one(MaskedInput))
        self.trap_focus()  # elsewhere the key would stand in clear, or be commands
        self._keys.refresh(layout=True)

    def action_submit(self) -> None:
        """Post what was typed, if anything was."""
        line = self.query_one(MaskedInput)
        key, line.value = line.value.strip(), ""
        self.post_message(self.Closed(key))

    def action_cancel(self) -> None:
        """Close the prompt, and forget what was typed."""
        self.query_one(MaskedInput).value = ""
        self.post_message(self.Closed(""))


class MaskedInput(FormInput):
    """A field that never shows or copies its text; Textual's would copy it in the clear."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs, password=True)

    def action_copy(self) -> None:
        """Copy nothing, and let other bindings of the key run."""
        raise SkipAction

    def action_cut(self) -> None:
        """Delete what is selected, and copy nothing."""
        self.delete_selection()

    def on_paste(self, event: events.Paste) -> None:
        """Paste without surrounding line ends; Textual would paste the first line only."""
        event.stop()
        event.prevent_default()
        self.replace(event.text.strip(), *self.selection)


class PromptKeys(LineWidget):
    """Hints of keys, at the right of the line."""

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        width = self.screen.size.width
        if width < NO_HINTS:  # there would be no cell to type in
            return [[]]
        text = NARROW_KEYS if width < NARROW else KEYS
        return [[("  ".join(hints(text, self.screen)), "key")]]

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """Return the width of the row."""
        return width_of(self.lines(0)[0])
