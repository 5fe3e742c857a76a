"""PromptLine: one line to type in at the foot of a screen: what to find, an id, a file's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Label

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.widgets.form.form_input import FormInput
from pettui.tui.widgets.prompts.prompt_note import KEYS, PromptNote

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.widget import Widget

    from pettui.tui.look import Look


class PromptField(FormInput):
    """It posts what is typed before the next key is taken."""

    def watch_value(self, value: str) -> None:
        """Post it to the line, past Textual's own message, which would come behind the next key."""
        if isinstance(self.parent, PromptLine):
            self.parent.post_message(PromptLine.Changed(self.parent, value))


class PromptLine(Horizontal):
    """A prompt, a field, a note. It posts what is typed; whoever opened it takes it away."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PROMPT_LINE, submit_line="submit", close_line="close", complete_line="complete"
    )

    class LineMessage(Message):
        """A fact about a line; ``@on(PromptLine.Changed, "#find")`` is of one line alone."""

        def __init__(self, line: PromptLine, text: str) -> None:
            super().__init__()
            self.line = line
            self.text = text  # exactly as it was typed

        @property
        def control(self) -> PromptLine:
            """The line."""
            return self.line

    class Changed(LineMessage):
        """The text is another one."""

    class Submitted(LineMessage):
        """Enter was pressed."""

    class Closed(LineMessage):
        """Esc was pressed."""

    class CompletionRequested(LineMessage):
        """Tab was pressed in a line that takes it."""

    def __init__(
        self,
        look: Look,
        prompt: str,
        *,
        id: str,  # noqa: A002
        text: str = "",
        placeholder: str = "",
        keys: str = KEYS,
        takes_tab: bool = False,
    ) -> None:
        """Take what the line begins with.

        Args:
            look: how it is drawn.
            prompt: what stands before the field: a sign or a word.
            id: for ``@on``, which tells lines apart by it.
            text: what stands in the field.
            placeholder: what stands there instead while it is empty.
            keys: hints of keys (see ``available_actions.hints``), the most useful first.
            takes_tab: Tab completes; otherwise it goes to the next widget, and the line stays.
        """
        super().__init__(id=id)
        self._prompt = prompt
        self._takes_tab = takes_tab
        self.field = PromptField(look, placeholder=placeholder)
        self.field.set_reactive(PromptField.value, text)
        self.note = PromptNote(look)
        self.note.set_reactive(PromptNote.keys, keys)

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield Label(self._prompt, markup=False)
        yield self.field
        yield self.note

    @property
    def text(self) -> str:
        """What stands in the field, exactly."""
        return self.field.value

    @text.setter
    def text(self, text: str) -> None:
        """Replace it, with the cursor at its end; it is posted as if it had been typed."""
        self.field.value = text
        self.field.cursor_position = len(text)

    def show_fact(
        self, text: str, style: str = "muted", short: str = "", *, whole: str = ""
    ) -> None:
        """Say what came of the text.

        Args:
            text: safe to draw; "" takes away what was said.
            style: of the text.
            short: the same, for where there is no room.
            whole: all of it, raw, to be looked at where it has no room; "" for nothing more.
        """
        is_other = whole != self.note.whole
        self.note.whole = whole
        self.note.fact = (text, style, short) if short else (text, style)
        if is_other:
            self.refresh_bindings()

    def take_focus(self) -> None:
        """Put the cursor into the field, at the end of what stands there."""
        self.field.cursor_position = len(self.text)
        self.screen.set_focus(self.field)
        self.note.refresh()

    def on_descendant_focus(self) -> None:
        """Name the keys that work now."""
        self.note.refresh()

    def on_descendant_blur(self) -> None:
        """Name the keys that work now."""
        self.note.refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave Tab to the screen, unless it completes here."""
        return self._takes_tab if action == "complete" else True

    def action_submit(self) -> None:
        """Post that Enter was pressed."""
        self.post_message(self.Submitted(self, self.text))

    def action_close(self) -> None:
        """Post that Esc was pressed."""
        self.post_message(self.Closed(self, self.text))

    def action_complete(self) -> None:
        """Post that Tab was pressed."""
        self.post_message(self.CompletionRequested(self, self.text))


async def open_prompt_line(line: PromptLine, above: Widget) -> None:
    """Put a line above a widget of a screen, in place of one that stands there, with the cursor."""
    screen = above.screen
    await screen.query(PromptLine).remove()
    await screen.mount(line, before=above)
    line.take_focus()


async def close_prompt_line(screen: Screen[Any], then: Widget) -> None:
    """Take away the line that stands on a screen, and put the cursor elsewhere if it was in it."""
    had_focus = any(line.field.has_focus for line in screen.query(PromptLine))
    await screen.query(PromptLine).remove()
    if had_focus:
        screen.set_focus(then)
