"""Prompts: a line for words, an id, a number or a path."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

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
from pettui.tui.widgets.runs import Run, cut_runs, separator, width_of

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


class Remark(NamedTuple):
    """What stands beside the field: a text, and hints of keys."""

    text: str = ""  # safe to draw
    short: str = ""  # the same, for less room
    style: str = "muted"
    keys: str = ""  # see ``bindings.hints``, the most useful first
    whole: str = ""  # all of a text that may be cut, raw; "" if there is no more than it


class PromptField(FormInput):
    """Posts what was typed before the next key is handled."""

    def watch_value(self, value: str) -> None:
        """Tell the line directly: Textual's own message would come after the next key."""
        if isinstance(self.parent, PromptLine):
            self.parent.text_changed(value)


class PromptLine(Horizontal, NamesActions):
    """A label, a field and a remark. It posts what is typed; the screen that asks removes it.

    Beside the field stands what the line does, else an error or the names that complete the text,
    until something else is typed, else what the screen describes.
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
        self._description = Remark(keys=keys)
        self._instead: Remark | None = None  # of the description, until something else is typed
        self._doing: Remark | None = None
        self._work: Worker[None] | None = None  # what it did last
        self.is_leaving = False
        self.remark = PromptRemark(glyphs)
        self.remark.set_reactive(PromptRemark.remark, self._description)

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
        keys = self._description.keys if keys is None else keys
        self._description = Remark(text, short, keys=keys)
        self._show()

    def show_busy(self, text: str) -> None:
        """Show what is done with the text, and how to stop it, until that ends."""
        self._instead, self._doing = None, Remark(text, style="accent", keys="{close_line} stop")
        self._show()

    def show_error(self, text: str, short: str = "", *, has_keys: bool = False) -> None:
        """Show an error, by raw texts, until something else is typed.

        Args:
            text: what is wrong.
            short: the same, for less room.
            has_keys: keep the hints beside it, rather than a key that shows all of a long text.
        """
        keys, whole = (self._description.keys, "") if has_keys else ("", text)
        line = self._glyphs.line
        self._show_instead(Remark(line(text), line(short), "error", keys, whole))

    def _show_instead(self, remark: Remark) -> None:
        self._instead, self._doing = remark, None
        self._show()

    def _show(self) -> None:
        self.remark.remark = self._doing or self._instead or self._description

    def describe_again(self) -> None:
        """Show the description, in place of an error and the like."""
        self._instead = None
        self._show()

    def describe_now(self) -> None:
        """Describe what is known of the text now; for subclasses."""

    def text_changed(self, text: str) -> None:  # noqa: ARG002 - for subclasses
        """Describe another text."""
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
                self._doing = None
                self._show()

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
        self.text = completion.text
        if len(choices) > 1:
            listed = self._glyphs.line("  ".join(choices))
            self._show_instead(Remark(listed, whole="\n".join(choices)))
        elif not choices and completion.text == text:
            self._show_instead(Remark(NO_SUCH_FILE, "no match", keys=self._description.keys))

    def words_for(self, binding_id: str) -> str:
        """Return the first words of a key's hint: "Keep" of "↵ keep, then M: all pages"."""
        shown_first = f"{self.remark.remark.keys}  {self._description.keys}"
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

    remark: reactive[Remark] = reactive(Remark())

    def watch_remark(self, before: Remark, now: Remark) -> None:
        """Say that other keys work; those of the text alone are the same."""
        if (before.keys, before.whole) != (now.keys, now.whole):
            self.refresh_bindings()

    def cut_sections(self) -> list[Section]:
        """Return the whole text, if it is cut."""
        title = "Reason" if self.remark.style == "error" else "Choices"
        return [(title, self.remark.whole)] if self._is_cut(self.drawn_width) else []

    def _is_cut(self, width: int) -> bool:
        """Whether the text is cut."""
        return bool(self.remark.whole) and width_of([(self.remark.text, "")]) > width - MARGIN

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
        text, short, style, hinted, _ = self.remark
        keys = [[(hint, "key")] for hint in hints(hinted, self.screen)]
        whole: Runs = [(text, style)] if text else ()
        shorter: dict[int, Runs] = {1: [(short, style)] if short else whole}
        parts = [Part(whole, shorter | ({5: ()} if keys else {}))]
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
        text, short, style, *_ = self.remark
        whole, key = (
            [(hint, "key") for hint in hints(each, self.screen)]
            for each in (FULL_TEXT, "{view_full_text}")
        )
        alone: dict[int, Runs] = {2: ()} if short else {}
        return [
            Part([(short or text, style)], least={3: 0}),
            Part(whole, {1: key, **alone, 3: key}, before=separator(self.glyphs)),
        ]
