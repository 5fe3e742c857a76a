"""Prompts: a line for words, an id, a number or a path."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Label

from pettui.keyboard import actions
from pettui.transfer.files import TransferError, completed
from pettui.tui.widgets.banners import FULL_TEXT
from pettui.tui.widgets.bindings import NamesActions, bindings, hints
from pettui.tui.widgets.fitting import Part, Runs, fitted
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.runs import Run, StyledText, cut_runs, separator, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget
    from textual.worker import Worker

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.widgets.runs import Section


KEYS = "{submit_line} accept  {close_line} close"
NO_SUCH_FILE = "no file begins so"
FILE_KEYS = "{submit_line} read  {complete_line} complete  {close_line} close"
FILE_WAIT = 2.0  # seconds that the next key waits for a file
FILE_NAME = "name.csv, .json or .jsonl"
MARGIN = 1  # cells between the field and what stands beside it


class PromptPlace:
    """Where a screen asks for something: above its status line, on at most one line at a time."""

    def __init__(self, status_line: Widget) -> None:
        self._below = status_line
        self._newest: PromptLine | None = None

    @property
    def line(self) -> PromptLine | None:
        """The line that is open."""
        return None if self._newest is None or self._newest.is_leaving else self._newest

    async def ask(self, line: PromptLine) -> None:
        """Open a line, ready for the next key, or go back to an open one of the same kind.

        One of another kind goes, and what it does ends.
        """
        if type(before := self.line) is type(line):
            before.take_focus()
            return
        if before is not None:
            before.stop()
            await before.leave()
        self._newest = line
        await self._below.screen.mount(line, before=self._below)
        line.take_focus()
        line.describe_now()

    async def close(self) -> None:
        """Close the line, if one is open."""
        if (line := self.line) is not None:
            await line.close()

    def describe(self) -> None:
        """Have the line describe what is known now."""
        if self.line is not None:
            self.line.describe_now()

    def cut_sections(self) -> list[Section]:
        """Return the full text that the line cuts."""
        return [] if self.line is None else self.line.cut_sections()


class PromptField(FormInput):
    """Posts what was typed before the next key is handled."""

    def watch_value(self, value: str) -> None:
        """Tell the line directly: Textual's own message would come after the next key."""
        if isinstance(self.parent, PromptLine):
            self.parent.text_changed(value)


class PromptLine(Horizontal, NamesActions):
    """A label, a field and a remark. It posts what is typed; the screen that asks removes it.

    Beside the field stands what the screen describes. An error, or the names that complete the
    text, stands in its place until something else is typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PROMPT_LINE,
        submit_line="submit",
        close_line="close",
        complete_line="complete",
        earlier_text="recall(-1)",
        later_text="recall(1)",
    )

    class LineMessage(Message):
        """A message of a line; ``@on(PromptLine.Submitted, "#find-line")`` selects one line."""

        def __init__(self, line: PromptLine, text: str) -> None:
            super().__init__()
            self.line = line
            self.text = text  # exactly as it was typed

        @property
        def control(self) -> PromptLine:
            """The line."""
            return self.line

    class Submitted(LineMessage):
        """Enter was pressed."""

    class Closed(LineMessage):
        """Esc was pressed."""

    class CompletionRequested(LineMessage):
        """Tab was pressed in a line that completes; the line handles it, before the next key."""

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
        self.field = PromptField(glyphs, placeholder=placeholder)
        self.field.set_reactive(PromptField.value, text)
        self._described: StyledText = ("", "")
        self._keys = keys  # the hints, also while something else stands in their place
        self._is_described = True  # nothing else stands there
        self._is_busy = False  # what it does is shown
        self._work: Worker[None] | None = None  # what it did last
        self.is_leaving = False
        self._completed = ""  # the text that the listed names complete
        self.remark = PromptRemark(glyphs)
        self.remark.set_reactive(PromptRemark.keys, keys)

    def compose(self) -> ComposeResult:
        """Lay out label, field and remark."""
        yield Label(self._prompt, markup=False)
        yield self.field
        yield self.remark

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
        """Return the full text that the remark cuts, while the line is open."""
        return self.remark.cut_sections() if self.is_attached else []

    def describe(self, text: str, short: str = "", *, keys: str | None = None) -> None:
        """Show what there is to know about the text, unless something else stands in its place.

        Args:
            text: safe to draw; "" for nothing.
            short: the same, for less room.
            keys: other hints than before (see ``keys.hints``).
        """
        self._described = (text, "muted", short) if short else (text, "muted")
        self._keys = self._keys if keys is None else keys
        if self._is_described:
            self._show(self._described, self._keys)

    def show_busy(self, text: str) -> None:
        """Show what is done with the text, and how to stop it, until that ends."""
        self._is_described, self._is_busy = False, True
        self._show((text, "accent"), "{close_line} stop")

    def end_busy(self) -> None:
        """Describe the text again."""
        if self._is_busy:
            self.describe_again()

    def show_error(self, text: str, short: str = "", *, has_keys: bool = False) -> None:
        """Show an error, by raw texts, until something else is typed.

        Args:
            text: what is wrong.
            short: the same, for less room.
            has_keys: keep the hints beside it, rather than a key that shows all of a long text.
        """
        keys, whole = (self._keys, "") if has_keys else ("", text)
        shown = self._glyphs.line(text), "error", self._glyphs.line(short)
        self._show_instead(shown, keys, whole=whole)

    def _show_instead(self, text: StyledText, keys: str, *, whole: str = "") -> None:
        self._is_described = self._is_busy = False
        self._show(text, keys, whole=whole)

    def _show(self, text: StyledText, keys: str, *, whole: str = "") -> None:
        self.remark.text, self.remark.keys, self.remark.whole = text, keys, whole

    def describe_again(self) -> None:
        """Show what was described, in place of an error and the like."""
        self._is_described, self._is_busy = True, False
        self._show(self._described, self._keys)

    def describe_now(self) -> None:
        """Describe what is known of the text now; for subclasses."""

    def text_changed(self, text: str) -> None:
        """Describe another text."""
        if text != self._completed and not self._is_busy:
            self.describe_again()

    @property
    def is_busy(self) -> bool:
        """Whether it does something in the background."""
        return self._work is not None and not self._work.is_finished

    async def do(
        self,
        task: Callable[[], Coroutine[Any, Any, None]],
        *,
        seconds: float,
        busy: str = "working",
        stopped: str = "stopped",
    ) -> None:
        """Do what the line is for in the background, and show in it why that failed.

        It goes on as a work of the screen: it may close the line, which would end one of the line's
        own.

        Args:
            task: may raise TransferError.
            seconds: that the next key waits for it.
            busy: what is said after them.
            stopped: what is said after Esc.
        """
        if self.is_busy:
            return
        done = asyncio.Event()

        async def run() -> None:
            try:
                await task()
            except TransferError as error:
                self.show_error(str(error), error.short)
            except asyncio.CancelledError:
                if self.is_attached:  # the screen may be closed
                    self.show_error(stopped, "stopped")
                raise
            finally:
                done.set()
            if self.is_attached:
                self.end_busy()

        self._work = self.screen.run_worker(run, group="line")
        try:
            async with asyncio.timeout(seconds):
                await done.wait()
        except TimeoutError:
            if self.is_attached:  # another screen may have taken its place
                self.show_busy(busy)

    def stop(self) -> None:
        """Stop what it does."""
        if self._work is not None:
            self._work.cancel()

    async def complete(self) -> None:
        """Complete the text; a subclass may complete something else than a path."""
        await self.do(self.complete_path, seconds=FILE_WAIT)

    async def complete_path(self) -> None:
        """Complete a file's name as a shell does, as far as it is unambiguous, or list the names.

        Nothing is changed if another text was typed while the directory was read.
        """
        text = self.text
        completion = await asyncio.to_thread(completed, text)
        if self.text != text or not self.is_attached:
            return
        choices = completion.choices
        is_ambiguous, is_of_none = len(choices) > 1, not choices and completion.text == text
        self._completed = completion.text if is_ambiguous or is_of_none else ""
        self.text = completion.text
        if is_ambiguous:
            shown = self._glyphs.line("  ".join(choices)), "muted"
            self._show_instead(shown, "", whole="\n".join(choices))
        elif is_of_none:
            self._show_instead((NO_SUCH_FILE, "muted", "no match"), self._keys)

    def words_for(self, binding_id: str) -> str:
        """Return the first words of a key's hint: "Keep" of "↵ keep, then M: all pages"."""
        shown_first = f"{self.remark.keys}  {self._keys}"
        hint = re.search(rf"{{{binding_id}}} (\w+(?: \w+)*)", shown_first)
        return hint[1].capitalize() if hint else ""

    async def leave(self) -> None:
        """Leave the screen, but not from a handler of its own: this waits for their end."""
        self.is_leaving = True
        # Work in the line closes it, and may be stopped just then: Textual (8.2.8) would cancel
        # the line's own task, and the screen would wait for it for ever.
        await asyncio.shield(self.remove()())

    async def close(self) -> None:
        """Leave the screen; the rows get the focus if the line had it."""
        if self.field.has_focus:
            self.screen.set_focus(next(iter(self.screen.query(".rows")), None))
        await self.leave()

    async def undo(self) -> None:
        """Stop what it does, or close."""
        if self.is_busy:
            self.stop()
        else:
            await self.close()

    def take_focus(self) -> None:
        """Focus the field, with the cursor at the end of the text."""
        self.field.cursor_position = len(self.text)
        self.screen.set_focus(self.field)
        self.remark.refresh()

    def on_descendant_focus(self) -> None:
        """Show the keys that work now."""
        self.remark.refresh()

    on_descendant_blur = on_descendant_focus

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

    async def action_submit(self) -> None:
        """Post ``Submitted``."""
        self.post_message(self.Submitted(self, self.text))

    def action_close(self) -> None:
        """Post ``Closed``."""
        self.post_message(self.Closed(self, self.text))

    def action_complete(self) -> None:
        """Post ``CompletionRequested``."""
        self.post_message(self.CompletionRequested(self, self.text))

    async def on_prompt_line_completion_requested(self, message: CompletionRequested) -> None:
        """Complete the text."""
        message.stop()
        await self.complete()


class PromptRemark(LineWidget):
    """Feedback on what was typed, and hints of keys, at the right of the field.

    Without room for all, the hints stay longest, the first of them longest of all; "then" goes
    before another hint does. The width is fixed, so that typing needs no layout.
    """

    text: reactive[StyledText] = reactive(("", ""))
    keys: reactive[str] = reactive(KEYS, bindings=True)
    # All of the text, raw, if there is more than the line shows
    whole: reactive[str] = reactive("", bindings=True)

    def cut_sections(self) -> list[Section]:
        """Return the whole text, if it is cut."""
        title = "Reason" if self.text[1] == "error" else "Choices"
        return [(title, self.whole)] if self._is_cut(self.drawn_width) else []

    def _is_cut(self, width: int) -> bool:
        """Whether the text is cut."""
        return bool(self.whole) and width_of([self.text[:2]]) > width - MARGIN

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        room = width - MARGIN
        parts = self._cut_parts() if self._is_cut(width) else self._parts()
        row = cut_runs(self.glyphs, fitted(self.glyphs, parts, room).runs, room)
        return [[(" " * max(width - width_of(row), 0), ""), *row]]

    def _parts(self) -> list[Part]:
        """Return the text and the hints.

        The text gets shorter, and then the hints do: without "then", without those in between, and
        without the last one. If there is no room for the text, they begin anew.
        """
        text, style, *short = self.text
        keys = [[(hint, "key")] for hint in hints(self.keys, self.screen)]
        forms: list[Runs] = [[(each, style)] if each else () for each in (text, *short)]
        shorter: dict[int, Runs] = {1: next(filter(None, forms[::-1]), ())}
        parts = [Part(forms[0], shorter | ({5: ()} if keys else {}))]
        for index, key in enumerate(keys):
            brief = [(hint.replace(", then ", ", "), name) for hint, name in key]
            steps: dict[int, Runs] = {2: brief, 4: key, 5: key, 6: brief}
            if index:
                goes = 4 if key is keys[-1] else 3
                steps |= {goes: (), 4: (), 7: ()} if text else {7: ()}
            parts.append(Part(key, steps, before=separator(self.glyphs)))
        return parts

    def _cut_parts(self) -> list[Part]:
        """Return the text and the key that shows all of it.

        A short text names a key, and is rather whole than beside that.
        """
        text, style, *short = self.text
        shorter = next(filter(None, short), "")
        whole, key = (
            [(hint, "key") for hint in hints(each, self.screen)]
            for each in (FULL_TEXT, "{view_full_text}")
        )
        alone: dict[int, Runs] = {2: ()} if shorter else {}
        return [
            Part([(shorter or text, style)], least={3: 0}),
            Part(whole, {1: key, **alone, 3: key}, before=separator(self.glyphs)),
        ]
