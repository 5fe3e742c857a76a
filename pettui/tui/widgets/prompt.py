"""Prompts: a line for words, an id, a number or a path, and the masked one for an API key."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, ClassVar

from textual.actions import SkipAction
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Label

from pettui import actions
from pettui.transfer.files import completed
from pettui.tui.keys import NamesActions, bindings, hints
from pettui.tui.runs import Run, StyledText, cut_runs, width_of
from pettui.tui.widgets.bars import FULL_TEXT
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size
    from textual.screen import Screen
    from textual.widget import Widget

    from pettui.glyphs import GlyphSet
    from pettui.tui.runs import Section


KEYS = "{submit_line} accept  {close_line} close"
FILE_KEYS = "{submit_line} read  {complete_line} complete  {close_line} close"
FILE_NAME = "name.csv, .json or .jsonl"
MARGIN = 1  # cells between the field and what stands beside it
NARROW = 60  # cells of the screen, below which the hints are shorter
API_KEY_KEYS = "{use_key} Use this key  {cancel_key} Cancel"


class PromptField(FormInput):
    """Posts what was typed before the next key is handled."""

    def watch_value(self, value: str) -> None:
        """Post to the line directly: Textual's own message would come after the next key."""
        if isinstance(self.parent, PromptLine):
            self.parent.post_message(PromptLine.Changed(self.parent, value))


class PromptLine(Horizontal, NamesActions):
    """A label, a field and a note. It posts what is typed; its opener removes it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PROMPT_LINE,
        submit_line="submit",
        close_line="close",
        complete_line="complete",
        earlier_text="recall(-1)",
        later_text="recall(1)",
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
            keys: hints of keys (see ``keys.hints``), the most useful first.
            takes_tab: whether Tab completes; otherwise it moves to the next widget.
        """
        super().__init__(id=id)
        self._glyphs = glyphs
        self._prompt = prompt
        self._takes_tab = takes_tab
        self._texts = [text]  # earlier ones, the newest last, and then what is typed
        self._at = 0  # index of the text that stands in the field
        self.completed = ""  # the text that the listed names complete
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
    def is_open(self) -> bool:
        """Whether the line is open."""
        return self.is_attached

    def cancel(self) -> bool:
        """Stop or close what the line itself began; False where its opener has to close it."""
        return False

    def rows_changed(self) -> None:
        """Show what follows from other rows; for lines that do something with rows."""

    @property
    def text(self) -> str:
        """The text, exactly as typed."""
        return self.field.value

    @text.setter
    def text(self, text: str) -> None:
        """Replace the text as if it had been typed, with the cursor at its end."""
        self.field.value = text
        self.field.cursor_position = len(text)

    def cut_sections(self) -> list[Section]:
        """Return the full text that the note cuts, while the line is open."""
        return self.note.cut_sections() if self.is_attached else []

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
        """Show hints of keys from now on (see ``keys.hints``)."""
        self._keys = keys
        self._show_only(keys)

    def show_busy(self, text: str) -> None:
        """Show what is done with the text, and how to stop it, in place of the hints."""
        self._show_only("{close_line} stop")
        self.show_note(text, "accent")

    def show_error(self, text: str, short: str = "", *, whole: str = "") -> None:
        """Show an error, by raw texts, in place of the hints."""
        self._show_only("")
        self.show_note(self._glyphs.line(text), "error", self._glyphs.line(short), whole=whole)

    def _show_only(self, keys: str) -> None:
        if keys != self.note.keys:
            self.note.keys = keys
            self.refresh_bindings()

    async def complete_path(self) -> None:
        """Complete a file's name as a shell does, as far as it is unambiguous, or list the names.

        Nothing is changed if another text was typed while the directory was read.
        """
        text = self.text
        completion = await asyncio.to_thread(completed, text)
        if self.text != text or not self.is_attached:
            return
        is_ambiguous = len(completion.choices) > 1
        self.completed = completion.text if is_ambiguous else ""
        self.text = completion.text
        if is_ambiguous:
            self._show_only("")
            choices = self._glyphs.line("  ".join(completion.choices))
            self.show_note(choices, whole="\n".join(completion.choices))

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
        """Leave Tab to the screen, unless the line completes; Up and Down need earlier texts."""
        if action == "recall":
            return len(self._texts) > 1
        return self._takes_tab if action == "complete" else True

    def offer_earlier(self, texts: Iterable[str]) -> None:
        """Let keys go through earlier texts, the newest last, besides the one that stands there."""
        self._texts = [*(text for text in texts if text != self.text), self.text]
        self._at = len(self._texts) - 1

    def action_recall(self, step: int) -> None:
        """Go to the text before or after; what was typed stands behind the newest."""
        at = self._at + step
        if 0 <= at < len(self._texts):
            self._texts[self._at] = self.text
            self._at, self.text = at, self._texts[at]

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


class PromptNote(LineWidget):
    """Feedback on what was typed, and hints of keys, at the right of the field.

    Without room for all, the hints stay longest, the first of them longest of all; "then" goes
    before another hint does. The width is fixed, so that typing needs no layout.
    """

    text: reactive[StyledText] = reactive(("", ""))
    keys: reactive[str] = reactive(KEYS)
    whole = ""  # all of the text, raw, if there is more than the line shows

    def cut_sections(self) -> list[Section]:
        """Return the whole text, if it is cut."""
        title = "Reason" if self.text[1] == "error" else "Choices"
        return [(title, self.whole)] if self._is_cut(self.drawn_width) else []

    def _is_cut(self, width: int) -> bool:
        """Whether the text is cut."""
        return bool(self.whole) and width_of([self.text[:2]]) > width - MARGIN

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        row = self._cut_row(width - MARGIN) if self._is_cut(width) else self._row(width - MARGIN)
        return [[(" " * max(width - width_of(row), 0), ""), *row]]

    def _row(self, room: int) -> list[Run]:
        rows = [row for row in self._rows() if row] or [[]]
        row = next((row for row in rows if width_of(row) <= room), None)
        return cut_runs(self.glyphs, rows[-1], room) if row is None else row

    def _cut_row(self, room: int) -> list[Run]:
        """Return as much as fits, and the key that shows the full text."""
        text, style, *short = self.text
        shown: Run = (next(filter(None, short), text), style)
        keys_run: list[Run] = []
        for hint in (FULL_TEXT, "{view_full_text}"):
            keys_run = self._joined([shown, *((key, "key") for key in hints(hint, self.screen))])[
                1:
            ]
            if width_of([shown, *keys_run]) <= room:
                return [shown, *keys_run]
        is_short_whole = any(short) and width_of([shown]) <= room  # it names a key
        cut = cut_runs(self.glyphs, [shown], room - width_of(keys_run))
        return [shown] if is_short_whole else [*cut, *keys_run]

    def _rows(self) -> Iterable[list[Run]]:
        """Yield the whole row, and then shorter and shorter ones."""
        keys = [(hint, "key") for hint in hints(self.keys, self.screen)]
        text, style, *short = self.text
        texts: list[list[Run]] = [[(each, style)] for each in (text, *short) if each]
        yield from (self._joined([*each, *keys]) for each in texts)
        brief = [(hint.replace(", then ", ", "), style) for hint, style in keys]
        yield from (self._joined([*each, *brief]) for each in texts[-1:])
        yield from (self._joined([*each, *keys[:1]]) for each in texts[-1:])
        yield self._joined(keys)
        yield self._joined(brief)
        yield self._joined(brief[:1] or [run for each in texts[-1:] for run in each])

    def _joined(self, runs: Sequence[Run]) -> list[Run]:
        separator: Run = (f" {self.glyphs.dot} ", "muted")
        return [each for run in runs for each in (separator, run)][1:]


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

    def lines(self, width: int) -> Sequence[Sequence[Run]]:  # noqa: ARG002
        """Return the one row."""
        is_narrow = self.screen.size.width < NARROW
        text = "{use_key} Use  {cancel_key} Cancel" if is_narrow else API_KEY_KEYS
        return [[("  ".join(hints(text, self.screen)), "key")]]

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """Return the width of the row."""
        return width_of(self.lines(0)[0])


class ApiKeyPrompt(Horizontal):
    """A masked field; what is typed is posted once and forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.KEY_PROMPT, use_key="submit", cancel_key="cancel"
    )

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._keys = PromptKeys(glyphs)

    class Submitted(Message):
        """A key was typed."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Cancelled(Message):
        """The prompt was closed without a key."""

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
        self.post_message(self.Submitted(key) if key else self.Cancelled())

    def action_cancel(self) -> None:
        """Close the prompt, and forget what was typed."""
        self.query_one(MaskedInput).value = ""
        self.post_message(self.Cancelled())
