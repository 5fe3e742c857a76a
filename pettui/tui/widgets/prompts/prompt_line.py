"""PromptLine: a one-line prompt at the foot of a screen: for words, an id, a file's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Label

from pettui import actions
from pettui.tui.keys import NamesActions, bindings
from pettui.tui.widgets.pet_form import FormInput
from pettui.tui.widgets.prompts.prompt_note import KEYS, PromptNote

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.widget import Widget

    from pettui.glyphs import GlyphSet


class PromptField(FormInput):
    """Posts what was typed before the next key is handled."""

    def watch_value(self, value: str) -> None:
        """Post to the line directly: Textual's own message would come after the next key."""
        if isinstance(self.parent, PromptLine):
            self.parent.post_message(PromptLine.Changed(self.parent, value))


class PromptLine(Horizontal, NamesActions):
    """A label, a field and a note. It posts what is typed; its opener removes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PROMPT_LINE, submit_line="submit", close_line="close", complete_line="complete"
    )

    class LineMessage(Message):
        """A message of a line; ``@on(PromptLine.Changed, "#find")`` selects one line."""

        def __init__(self, line: PromptLine, text: str) -> None:
            super().__init__()
            self.line = line
            self.text = text  # exactly as it was typed

        @property
        def control(self) -> PromptLine:
            """The line."""
            return self.line

    class Changed(LineMessage):
        """The text has changed."""

    class Submitted(LineMessage):
        """Enter was pressed."""

    class Closed(LineMessage):
        """Esc was pressed."""

    class CompletionRequested(LineMessage):
        """Tab was pressed in a line that completes."""

    def __init__(
        self,
        glyphs: GlyphSet,
        prompt: str,
        *,
        id: str,  # noqa: A002
        text: str = "",
        placeholder: str = "",
        keys: str = KEYS,
        takes_tab: bool = False,
    ) -> None:
        """Build the line.

        Args:
            glyphs: how it is drawn.
            prompt: the label, a sign or a word.
            id: by which ``@on`` selects lines.
            text: the initial text.
            placeholder: shown while the field is empty.
            keys: hints of keys (see ``available_actions.hints``), the most useful first.
            takes_tab: whether Tab completes; otherwise it moves to the next widget.
        """
        super().__init__(id=id)
        self._prompt = prompt
        self._takes_tab = takes_tab
        self.field = PromptField(glyphs, placeholder=placeholder)
        self.field.set_reactive(PromptField.value, text)
        self._keys = keys  # the hints, also while something else stands in their place
        self.note = PromptNote(glyphs)
        self.note.set_reactive(PromptNote.keys, keys)

    def compose(self) -> ComposeResult:
        """Lay out label, field and note."""
        yield Label(self._prompt, markup=False)
        yield self.field
        yield self.note

    @property
    def text(self) -> str:
        """The text, exactly as typed."""
        return self.field.value

    @text.setter
    def text(self, text: str) -> None:
        """Replace the text as if it had been typed, with the cursor at its end."""
        self.field.value = text
        self.field.cursor_position = len(text)

    def show_note(
        self, text: str, style: str = "muted", short: str = "", *, whole: str = ""
    ) -> None:
        """Show feedback on the text.

        Args:
            text: safe to draw; "" for none.
            style: of the text.
            short: the same, for less room.
            whole: all of it, raw, if there is more than fits in the line.
        """
        is_other = whole != self.note.whole
        self.note.whole = whole
        self.note.text = (text, style, short) if short else (text, style)
        if is_other:
            self.refresh_bindings()

    def show_hints(self, keys: str) -> None:
        """Show hints of keys from now on (see ``available_actions.hints``)."""
        self._keys = keys
        self._show_only(keys)

    def hide_hints(self, keys: str = "") -> None:
        """Show other hints, or none, until ``show_hints``."""
        self._show_only(keys)

    def _show_only(self, keys: str) -> None:
        if keys != self.note.keys:
            self.note.keys = keys
            self.refresh_bindings()

    def words_for(self, binding_id: str) -> str:
        """Return the first words of a key's hint: "Keep" of "↵ keep, then M: all pages"."""
        shown_first = f"{self.note.keys}  {self._keys}"
        hint = re.search(rf"{{{binding_id}}} (\w+(?: \w+)*)", shown_first)
        return hint[1].capitalize() if hint else ""

    def take_focus(self) -> None:
        """Focus the field, with the cursor at the end of the text."""
        self.field.cursor_position = len(self.text)
        self.screen.set_focus(self.field)
        self.note.refresh()

    def on_descendant_focus(self) -> None:
        """Show the keys that work now."""
        self.note.refresh()

    def on_descendant_blur(self) -> None:
        """Show the keys that work now."""
        self.note.refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave Tab to the screen, unless the line completes."""
        return self._takes_tab if action == "complete" else True

    def action_submit(self) -> None:
        """Post ``Submitted``."""
        self.post_message(self.Submitted(self, self.text))

    def action_close(self) -> None:
        """Post ``Closed``."""
        self.post_message(self.Closed(self, self.text))

    def action_complete(self) -> None:
        """Post ``CompletionRequested``."""
        self.post_message(self.CompletionRequested(self, self.text))


async def open_prompt_line(line: PromptLine, above: Widget) -> None:
    """Open a focused line above a widget, in place of one that is open."""
    screen = above.screen
    await screen.query(PromptLine).remove()
    await screen.mount(line, before=above)
    line.take_focus()


async def close_prompt_line(screen: Screen[Any], then: Widget) -> None:
    """Remove the open line of a screen, and move the focus on if the line had it."""
    had_focus = any(line.field.has_focus for line in screen.query(PromptLine))
    await screen.query(PromptLine).remove()
    if had_focus:
        screen.set_focus(then)
