"""Prompts: a line for words, an id, a number, a path or an API key.

The focus stays in the one for an API key until it is closed: otherwise the rest of the key could be
typed in the clear into another widget.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from textual.actions import SkipAction
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
from pettui.tui.widgets.runs import Run, Section, cut_runs, separator, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size
    from textual.widget import Widget
    from textual.worker import Worker

    from pettui.appearance.glyphs import GlyphSet


Keys: TypeAlias = "Mapping[str, str]"
"""What keys do, by the names of their actions, the most useful first."""
NO_KEYS: Keys = {}
KEYS: Keys = {"submit_line": "accept", "close_line": "close"}
NO_SUCH_FILE = "no file begins so"
FILE_KEYS: Keys = {"submit_line": "read", "complete_line": "complete", "close_line": "close"}
FILE_WAIT = 2.0  # seconds that the next key waits for a file
FILE_NAME = "name.csv, .json or .jsonl"
MARGIN = 1  # cells between the field and what stands beside it
NO_HINTS = 36  # cells of the screen, below which a key that is typed takes the room of its hints
NARROW = 60  # cells of the screen, below which the hints are shorter
KEY_HINTS: Keys = {"use_key": "Use this key", "cancel_key": "Cancel"}
NARROW_KEY_HINTS: Keys = {"use_key": "Use", "cancel_key": "Cancel"}


class PromptPlace:
    """Where a screen asks for something: beside a widget, on at most one line at a time."""

    def __init__(self, beside: Widget, *, is_below: bool = False) -> None:
        self._beside = beside
        self._is_below = is_below
        self._newest: PromptLine | None = None
        self.opened = asyncio.Event()  # a line can be typed into, or could before

    @property
    def line(self) -> PromptLine | None:
        """The line that is open."""
        return None if self._newest is None or self._newest.left.is_set() else self._newest

    @property
    def is_open(self) -> bool:
        """Whether a line is; asked for each key of a screen at each update."""
        return self.line is not None

    async def ask(self, line: PromptLine) -> None:
        """Open a line, ready for the next key, or go back to an open one of the same kind.

        One of another kind goes, and what it does ends.
        """
        screen, before = self._beside.screen, self.line
        if type(before) is type(line):
            before.take_focus()
            return
        line.focused_after = screen.focused if before is None else before.focused_after
        if before is not None:
            before.stop()
            await before.leave()
        self._newest = line
        beside = self._beside
        if self._is_below:
            await screen.mount(line, after=beside)
        else:
            await screen.mount(line, before=beside)
        line.take_focus()
        line.describe_now()
        self.opened.set()

    def focus_later(self, widget: Widget) -> None:
        """Focus a widget now, or once the line is closed; nothing on a screen that is closed."""
        if self.line is not None:
            self.line.focused_after = widget
        elif widget.is_attached:
            widget.screen.set_focus(widget)

    async def close(self) -> None:
        """Close the line, if one is open."""
        if (line := self.line) is not None:
            await line.close()

    async def wait_until_closed(self) -> None:
        """Wait until no line is open."""
        if (line := self.line) is not None:
            await line.left.wait()

    def describe(self) -> None:
        """Have the line describe what is known now."""
        if self.line is not None:
            self.line.describe_now()

    def cut_sections(self) -> list[Section]:
        """Return the full text that the line cuts."""
        line = self.line
        return line.remark.cut_sections() if line is not None and line.is_attached else []


class Remark(NamedTuple):
    """What stands beside the field: a text, and hints of keys."""

    text: str = ""  # safe to draw
    short: str = ""  # the same, for less room
    style: str = "muted"
    keys: Keys = NO_KEYS
    whole: str = ""  # all of a text that may be cut, raw; "" if there is no more than it
    then: str = ""  # a hint of what works after the first key


class PromptField(FormInput):
    """Tells what was typed before the next key is handled."""

    def watch_value(self, value: str) -> None:
        """Tell the line directly: Textual's own message would come after the next key."""
        if isinstance(self.parent, PromptLine):
            self.parent.text_changed(value)


class MaskedField(PromptField):
    """A field that never shows or copies its text; Textual's would copy it in the clear."""

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


class PromptLine(Horizontal, NamesActions):
    """A label, a field and a remark; the screen that asks removes it.

    Beside the field stands what the line does, an error or the names that complete the text, until
    something else is typed, else what there is to know about the text.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PROMPT_LINE,
        submit_line="submit",
        close_line="close",
        complete_line="complete",
        earlier_text="recall(-1)",
        later_text="recall(1)",
    )
    COMPLETES: ClassVar[bool] = False  # by Tab, which otherwise moves to the next widget

    class Closed(Message):
        """Esc was pressed; ``@on(PromptLine.Closed, "#find-line")`` selects one line."""

        def __init__(self, line: PromptLine) -> None:
            super().__init__()
            self.line = line

        @property
        def control(self) -> PromptLine:
            """The line."""
            return self.line

    def __init__(
        self,
        glyphs: GlyphSet,
        prompt: str,
        *,
        id: str,  # noqa: A002
        text: str = "",
        placeholder: str = "",
        keys: Keys = KEYS,
        is_masked: bool = False,
    ) -> None:
        """Build the line.

        Args:
            glyphs: how it is drawn.
            prompt: the label, a sign or a word.
            id: by which ``@on`` selects lines.
            text: the initial text.
            placeholder: shown while the field is empty.
            keys: what they do, by the names of their actions, the most useful first.
            is_masked: nobody may read what is typed.
        """
        super().__init__(id=id)
        self._glyphs = glyphs
        self._prompt = prompt
        field = MaskedField if is_masked else PromptField
        self.field = field(glyphs, placeholder=placeholder, password=is_masked)
        self.field.set_reactive(PromptField.value, text)
        self._description = Remark(keys=keys)
        self._instead: Remark | None = None  # of the description, until something else is typed
        self._work: Worker[None] | None = None  # what it did last
        self.left = asyncio.Event()  # it leaves the screen, or has left it
        self.focused_after: Widget | None = None  # what gets the focus then
        self.remark = PromptRemark(glyphs)
        self.remark.set_reactive(PromptRemark.remark, self._description)

    def compose(self) -> ComposeResult:
        """Lay out label, field and remark."""
        yield Label(self._prompt, markup=False)
        yield self.field
        yield self.remark

    # For subclasses

    async def submit(self) -> None:
        """Do what the line is for, before the next key."""

    async def complete(self) -> None:
        """Complete the text as a path, before the next key."""
        await self.do(self._complete_path, seconds=FILE_WAIT)

    def describe_now(self) -> None:
        """Describe what is known of the text now."""

    def text_changed(self, text: str) -> None:  # noqa: ARG002
        """Describe another text, but not before what it does is done."""
        if not self.is_busy:
            self.describe_again()

    # The text, and what stands beside it

    @property
    def text(self) -> str:
        """The text, exactly as typed."""
        return self.field.value

    @text.setter
    def text(self, text: str) -> None:
        """Replace the text as if it had been typed, with the cursor at its end."""
        self.field.put(text)

    def describe(
        self, text: str, short: str = "", *, keys: Keys | None = None, then: str = ""
    ) -> None:
        """Show what there is to know about the text, unless something else stands in its place.

        Args:
            text: safe to draw; "" for nothing.
            short: the same, for less room.
            keys: what they do, if that is something else than before.
            then: a hint of what works after the first key.
        """
        keys = self._description.keys if keys is None else keys
        self._description = Remark(text, short, keys=keys, then=then)
        self._show(self._instead)

    def describe_again(self) -> None:
        """Show the description, in place of an error and the like."""
        self._show(None)

    def show_error(self, text: str, short: str = "", *, has_keys: bool = False) -> None:
        """Show an error, by raw texts, until something else is typed.

        Args:
            text: what is wrong.
            short: the same, for less room.
            has_keys: keep the hints beside it, rather than a key that shows all of a long text.
        """
        line = self._glyphs.line
        beside = self._description if has_keys else Remark(whole=text)
        self._show(beside._replace(text=line(text), short=line(short), style="error"))

    def _show(self, instead: Remark | None) -> None:
        self._instead = instead
        self.remark.remark = instead or self._description

    def words_for(self, binding_id: str) -> str:
        """Return what a key does, as its hint says it."""
        keys = {**self._description.keys, **self.remark.remark.keys}
        return keys.get(binding_id, "").capitalize()

    # What it does

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
        working = Remark(busy, style="accent", keys={"close_line": "stop"})

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
            if self.is_attached and self._instead is working:
                self.describe_again()

        self._work = self.screen.run_worker(run, group="line")
        try:
            async with asyncio.timeout(seconds):
                await done.wait()
        except TimeoutError:
            if self.is_attached:  # another screen may have taken its place
                self._show(working)

    def stop(self) -> None:
        """Stop what it does."""
        if self._work is not None:
            self._work.cancel()

    async def _complete_path(self) -> None:
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
            self._show(Remark(listed, whole="\n".join(choices)))
        elif not choices and completion.text == text:
            self._show(Remark(NO_SUCH_FILE, "no match", keys=self._description.keys))
        else:
            self.describe_again()

    # Coming and going

    def take_focus(self) -> None:
        """Focus the field, with the cursor at the end of the text."""
        self.field.cursor_position = len(self.text)
        self.screen.set_focus(self.field)
        self.remark.refresh(layout=True)

    def on_descendant_focus(self) -> None:
        """Show the keys that work now."""
        self.remark.refresh()

    on_descendant_blur = on_descendant_focus

    async def leave(self) -> None:
        """Leave the screen, but not from a handler of its own: this waits for their end."""
        self.left.set()
        # Work in the line closes it, and may be stopped just then: Textual (8.2.8) would cancel
        # the line's own task, and the screen would wait for it for ever.
        await asyncio.shield(self.remove()())

    async def close(self) -> None:
        """Leave the screen, and give the focus back if the line had it, or to the rows."""
        self.left.set()
        if self.field.has_focus:
            after, rows = self.focused_after, self.screen.query(".rows")
            has_gone = after is None or not after.is_attached
            self.screen.set_focus(next(iter(rows), None) if has_gone else after)
        await self.leave()

    async def undo(self) -> None:
        """Stop what it does, or close."""
        if self.is_busy:
            self.stop()
        else:
            await self.close()

    # Keys: what takes time is called in turn, so that the next key waits for it

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave Tab to the screen, unless the line completes; only a find has earlier texts."""
        return self.COMPLETES if action == "complete" else action != "recall"

    async def action_submit(self) -> None:
        """Do what the line is for."""
        self.call_later(self.submit)

    def action_complete(self) -> None:
        """Complete the text."""
        self.call_later(self.complete)

    def action_close(self) -> None:
        """Post ``Closed``."""
        self.post_message(self.Closed(self))


class PromptRemark(LineWidget):
    """Feedback on what was typed, and hints of keys, at the right of the field.

    Without room for all, the hints stay longest, the first of them longest of all. The width is
    fixed, so that typing needs no layout.
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

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """Return the width of all of it, where its width is automatic."""
        return MARGIN + width_of(fitted(self.glyphs, self._parts(), viewport.width).runs)

    def _parts(self) -> list[Part]:
        """Return the text and the hints.

        The text gets shorter, the first hint brief, and then the other hints go. If there is no
        room for the text, they begin anew.
        """
        text, short, style, named, _, then = self.remark
        hinted = "  ".join(f"{{{name}}} {words}" for name, words in named.items())
        keys = hints(hinted, self.screen)
        whole: Runs = [(text, style)] if text else ()
        shorter: dict[int, Runs] = {1: [(short, style)] if short else whole}
        parts = [Part(whole, shorter | ({5: ()} if keys else {}))]
        for index, hint in enumerate(keys):
            has_more = then and not index
            key: Runs = [(f"{hint}, then {then}" if has_more else hint, "key")]
            brief: Runs = [(f"{hint}, {then}" if has_more else hint, "key")]
            steps: dict[int, Runs] = {2: brief, 4: key, 6: brief}
            if index:
                steps = {4 if hint is keys[-1] else 3: (), 5: key, 6: ()}
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
        super().__init__(glyphs, "Key", id="key-line", keys=KEY_HINTS, is_masked=True)

    def on_resize(self) -> None:
        """Let the hints be shorter, or go: there must be cells to type in."""
        width = self.screen.size.width
        self.remark.display = width >= NO_HINTS
        self.describe("", keys=NARROW_KEY_HINTS if width < NARROW else KEY_HINTS)
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
