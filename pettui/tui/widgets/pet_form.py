"""PetForm: name, category and status of a new animal, checked while typing."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar
from unicodedata import category

from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import Binding
from textual.containers import Horizontal
from textual.geometry import Offset
from textual.keys import KEY_NAME_REPLACEMENTS
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import Input, Label, Static
from textual.widgets.input import Selection

from pettui import actions
from pettui.models import STATUSES, PetStatus
from pettui.outbox import Draft
from pettui.statuses import look_of
from pettui.text import pieces
from pettui.tui.keys import bindings
from pettui.tui.lists.categories import SeveralFitError
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.panel import Panel
from pettui.tui.widgets.typed_line import TypedLine, with_ellipses
from pettui.tui.wording import category_note, offers_text, status_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.style import Style
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from pettui.glyphs import GlyphSet
    from pettui.outbox import Entry
    from pettui.tui.lists.categories import Categories
    from pettui.tui.runs import Run, Section


FIELDS = ("name", "category", "status")
ROOMY = 24  # rows of the screen, from which on there is always a row below each field
TIGHT = 60  # columns, below which the notes beside the fields are narrower
UNNAMED = "not a known category"
KEPT = "kept"  # beside a value from the previous animal


@dataclass(slots=True)
class ShownEntry:
    """A refused entry whose values stand in the form, and which is still in the outbox."""

    key: str
    next_draft: Draft  # stood there before, and does again as soon as a name is typed
    is_edited: bool = False  # it is to be taken out of the outbox


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the service refused the value of a field."""

    field: str
    value: str
    reason: str  # raw


class PetForm(Panel):
    """Three fields, each with a row for messages below it.

    A refused animal is only shown at first: a name that is typed blindly is the next animal's, and
    all else edits the refused one.
    """

    class Changed(Message):
        """Something was typed or chosen."""

    def __init__(self, glyphs: GlyphSet, title: str, categories: Categories) -> None:
        super().__init__(glyphs, title)
        self.categories = categories
        self.name_input = NameInput(glyphs, categories)
        placeholder = "number or name" if categories.has_names else "a whole number"
        self.category_input = CategoryInput(glyphs, categories, placeholder)
        self.status_picker = StatusPicker(glyphs, id="status")
        self._notes = {field: Static("", classes="note", markup=False) for field in FIELDS}
        self._kept_marks = {field: Static("", classes="kept", markup=False) for field in FIELDS}
        self._hints = FieldHints(glyphs, FIELDS)
        self._kept: Draft | None = None  # from the previous animal
        self._copy_of = ""  # key of the unknown entry that is being edited
        self._is_refused = False  # a refused entry is being edited
        self._is_submitted = False  # Enter was pressed: empty fields are wrong now
        self._refusal: Refusal | None = None
        self.shown: ShownEntry | None = None

    def compose(self) -> ComposeResult:
        """Lay out label, field, notes and message row of each field."""
        fields: tuple[tuple[str, Widget], ...] = (
            ("Name", self.name_input),
            ("Category", self.category_input),
            ("Status", self.status_picker),
        )
        for label, widget in fields:
            field = widget.id or ""
            with Horizontal(classes="field", id=f"{field}-row"):
                yield Label(label, markup=False)
                yield widget
                yield self._notes[field]
                yield self._kept_marks[field]
            yield self._hints.rows[field]

    def on_mount(self) -> None:
        """Follow the name in the handling of its keys: a message would come after the next key."""
        self.watch(self.name_input, "is_for_next", self._name_begun, init=False)
        self.watch(self.name_input, "selection", self.edit_refused, init=False)

    def room_changed(self) -> None:
        """Keep a row below each field if there is room."""
        self.set_class(self.app.size.height < ROOMY, "-low")
        self._show_suggestions()

    def on_resize(self) -> None:
        """Make the notes narrower if the fields need the room."""
        self.set_class(self.outer_size.width < TIGHT, "-tight")

    @property
    def draft(self) -> Draft:
        """The contents of the form; a refused animal that is only shown is none of them."""
        if self.shown is not None and not self.shown.is_edited:
            return self.shown.next_draft
        status = self.status_picker.status or ""
        draft = Draft(self.name_input.value, self.category_input.value, status)
        return replace(
            draft,
            is_kept=draft == self._kept,
            copy_of=self._copy_of,
            is_refused=self._is_refused,
        )

    @draft.setter
    def draft(self, draft: Draft) -> None:
        self.shown = self._refusal = None
        self.name_input.is_for_next = False
        with self.prevent(FormInput.Changed):
            self.name_input.value = draft.name
            self.category_input.value = draft.category
        self.name_input.cursor_position = len(draft.name)
        self.category_input.cursor_position = len(draft.category)
        self.status_picker.status = draft.status or None
        self._is_submitted = False
        self._copy_of, self._is_refused = draft.copy_of, draft.is_refused
        self._keep(draft if draft.is_kept else None)
        self.check()

    def show_refused(self, entry: Entry, field: str | None, reason: str) -> None:
        """Show a refused entry, and at its field why."""
        next_draft = self.draft
        self.draft = entry.draft()
        if field is not None:
            self._refusal = Refusal(field, self._value(field), reason)
        self.shown = ShownEntry(entry.key, next_draft)
        self.name_input.is_for_next = True
        self.check()

    def begin_next(self) -> None:
        """Go on with what stood in the form before a refused entry was shown."""
        if self.shown is not None:
            self.draft = self.shown.next_draft

    def _name_begun(self, is_for_next: bool) -> None:
        if not is_for_next and self.shown is not None and not self.shown.is_edited:
            self.begin_next()

    def edit_refused(self) -> None:
        """Make the refused entry that is shown the contents of the form."""
        if self.shown is not None and not self.shown.is_edited:
            self.shown.is_edited = True
            self.name_input.is_for_next = False
            self.post_message(self.Changed())

    def focus_refused(self) -> bool:
        """Focus the field that was refused, all of it selected; return whether there is one."""
        field = self._refused_field
        if field is None:
            return False
        self.focus_field(field)
        if field == "name":  # it has the focus already
            self.name_input.on_focus()
        return True

    def _value(self, field: str) -> str:
        """Return what stands in a field."""
        return {
            "name": self.name_input.value,
            "category": self.category_input.value,
            "status": self.status_picker.status or "",
        }[field]

    @property
    def _refused_field(self) -> str | None:
        """The field whose value is still the one that the service refused."""
        refusal = self._refusal
        if refusal is None or self._value(refusal.field) != refusal.value:
            return None
        return refusal.field

    def clear_name(self) -> None:
        """Make room for the next animal of the same kind."""
        self._refusal = None
        self._is_submitted = False
        number = self.categories.number_of(self.category_input.value)
        with self.prevent(FormInput.Changed):  # the name of the category is shown beside it
            self.category_input.value = str(number)
        self.name_input.value = ""
        self._copy_of, self._is_refused = "", False
        self._keep(self.draft)
        self.screen.set_focus(self.name_input)

    def _keep(self, draft: Draft | None) -> None:
        self._kept = draft
        self.category_input.is_kept = draft is not None and bool(draft.category)
        self._show_kept()

    def _show_kept(self) -> None:
        """Show whether category and status are kept from the previous animal."""
        marked = {"category": self.category_input.is_kept, "status": self._is_status_kept}
        for field, is_kept in marked.items():
            self._kept_marks[field].update(KEPT if is_kept else "", layout=False)

    @property
    def _is_status_kept(self) -> bool:
        status = self.status_picker.status or ""
        return self._kept is not None and self._kept.status == status != ""

    def show_hint(self, field: str, text: str, *, is_error: bool = True) -> None:
        """Show a message below a field."""
        self._hints.show(field, text, is_error=is_error)

    def cut_sections(self) -> list[Section]:
        """Return the messages that are cut."""
        return self._hints.cut_sections()

    def check(self) -> str | None:
        """Show what is wrong below each field; return the first wrong one, or None."""
        name, category = self.name_input.value, self.category_input.value
        wrong = None
        self.show_hint("status", "")
        self.show_hint("category", "")
        number = None
        try:
            number = self.categories.number_of(category)
        except ValueError as error:
            wrong = "category" if category or self._is_submitted else None
            if wrong and (self._is_submitted or not isinstance(error, SeveralFitError)):
                hint = str(error) if category.strip() else "a category is required"
                self.show_hint("category", hint)
        note = (
            "" if number is None else category_note(self.glyphs, self.categories, category, number)
        )
        self._notes["category"].update(note, layout=False)
        self._show_unnamed()
        is_empty = not name.strip() and self._is_submitted
        self.show_hint("name", "a name is required" if is_empty else "")
        refused = self._refused_field
        self.name_input.is_refused = refused == "name"
        self.category_input.is_refused = refused == "category"
        if refused is not None and self._refusal is not None:
            self.show_hint(refused, self._refusal.reason)
        self._show_suggestions()
        return "name" if is_empty else wrong

    def _show_unnamed(self) -> None:
        """Point out a category that the profile, which names others, has no name for.

        Not while more digits may make it one of those.
        """
        if not self.categories.has_names or self.category_input.offered:
            return
        with suppress(ValueError):  # it is no category, which its own message says
            number = self.categories.number_of(self.category_input.value)
            if not self.categories.name(number) and self._refused_field != "category":
                self.show_hint("category", UNNAMED, is_error=False)

    def _show_suggestions(self) -> None:
        """Show suggestions below the focused field, and what "kept" means."""
        self._hints.offer("category", self.category_input.offered)
        # An empty form shows it from the start, if there is room.
        is_empty = self.draft == Draft() and self.app.size.height >= ROOMY
        suggestion = status_text(self.glyphs, is_kept=self._is_status_kept)
        self._hints.offer("status", suggestion if is_empty or self.status_picker.has_focus else "")

    def check_all(self) -> str | None:
        """Check the form as submitted; focus the first wrong field and return it, or None."""
        self._is_submitted = True
        wrong = self.check()
        if wrong is not None:
            self.focus_field(wrong)
        return wrong

    def focus_field(self, field: str) -> None:
        """Focus a field."""
        self.screen.set_focus(self.query_one(f"#{field}"))

    def on_input_changed(self, event: FormInput.Changed) -> None:
        """Check what was typed; an emptied form is for another animal."""
        event.stop()
        if event.input is self.category_input:
            self.edit_refused()
        if self.draft == Draft():
            self._copy_of, self._is_refused = "", False
        self._show_kept()
        self.check()
        self.post_message(self.Changed())

    def on_descendant_focus(self) -> None:
        """Show suggestions for the focused field; another one than the name edits what is shown."""
        if not self.name_input.has_focus:
            self.edit_refused()
        self._show_suggestions()

    def on_descendant_blur(self) -> None:
        """Show suggestions for the focused field, and what a field that was left holds."""
        self._show_unnamed()
        self._show_suggestions()

    def on_status_picker_changed(self, event: StatusPicker.Changed) -> None:
        """Post that the status was changed."""
        event.stop()
        self._show_kept()
        self.check()
        self.post_message(self.Changed())


class LineInput(Input):
    """Textual's Input, except that it drops nothing.

    Textual's accepts printable characters only, and the first line of a paste. Many keyboards and
    input methods type other blanks and joiners (U+00A0, U+3000, U+200C), which Python does not call
    printable.
    """

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002
        """Whether a key is text here, and not a binding."""
        return is_text(character)

    def on_key(self, event: events.Key) -> None:
        """Accept what Textual's own handler would drop."""
        if is_text(event.character) and not event.is_printable:
            event.stop()
            event.prevent_default()
            self.replace(event.character or "", *self.selection)

    def on_paste(self, event: events.Paste) -> None:
        """Insert all lines of a paste, joined."""
        event.stop()
        event.prevent_default()
        line = re.sub(r"[\r\n]+", " ", event.text.strip("\r\n"))
        self.replace(line, *self.selection)


def is_text(character: str | None) -> bool:
    """Whether a character is text, and not a control such as Enter."""
    return character is not None and all(category(each) != "Cc" for each in character)


MASK = "•"
WORD = re.compile("x+")


class FormInput(LineInput):
    """A LineInput that draws its value as ``pettui.text`` makes it safe.

    A tab is drawn as a blank and a flag as its two letters, as in the list, and no escape reaches
    the terminal. The cursor is always in sight; ellipses show where the text continues.
    """

    HELP_TITLE: ClassVar[str] = "In a text field"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+b", "cursor_left_word", show=False),
        Binding("alt+f", "cursor_right_word", show=False),
        Binding("alt+d", "delete_right_word", show=False),
    ]

    def __init__(
        self,
        glyphs: GlyphSet,
        *,
        id: str | None = None,  # noqa: A002
        placeholder: str = "",
        password: bool = False,
    ) -> None:
        super().__init__(id=id, placeholder=placeholder, password=password, select_on_focus=False)
        self._glyphs = glyphs
        self._first = 0  # the first column that is drawn
        self._is_dragged_over = False  # the mouse is selecting
        self._known: tuple[str, TypedLine] = "", TypedLine.of(())
        self.cursor_blink = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys that scroll larger texts to the form."""
        if action.startswith(("scroll_", "page_")):
            return False
        return super().check_action(action, parameters)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is typed into the field, also one that Textual knows by another name."""
        return key in KEY_NAME_REPLACEMENTS.values() or super().check_consume_key(key, character)

    @property
    def line(self) -> TypedLine:
        """The value as it is drawn."""
        if self._known[0] != self.value:
            self._known = self.value, TypedLine.of(self._pieces(self.value))
        return self._known[1]

    def _pieces(self, value: str) -> list[str]:
        if self.password:
            return [MASK] * len(value)
        if value.isascii() and value.isprintable():
            return list(value)
        blanks = "".join(" " if character.isspace() else character for character in value)
        return pieces(blanks, ascii_only=self._glyphs.ascii_only, also=self._glyphs.also)

    @property
    def content_width(self) -> int:
        """One cell, so that Textual does not scroll: this class does."""
        return 1

    @property
    def cursor_screen_offset(self) -> Offset:
        """The position of the cursor, where an input method shows its box."""
        x, y, width, _ = self.content_region
        column = self.line.columns[min(self.cursor_position, len(self.line.pieces))]
        return Offset(x + column - self._scrolled(width), y)

    def _scrolled(self, width: int) -> int:
        line = self.line
        cursor = min(self.cursor_position, len(line.pieces)) if self.has_focus else 0
        margin = cell_len(self._glyphs.ellipsis)
        self._first = line.first_column(self._first, cursor, width, margin)
        return self._first

    def render_line(self, y: int) -> Strip:
        """Draw the part of the text around the cursor."""
        if y != 0:
            return super().render_line(y)
        width = self.content_size.width
        if not self.value:
            return self._placeholder_line(width)
        first = self._scrolled(width)
        line, own = self.line, self.rich_style
        start, end = line.at(first), line.after(line.at(first + width - 1))
        cuts = sorted({start, end, *(min(max(cut, start), end) for cut in self._cuts())})
        segments = [
            Segment(line.text(left, right), own + self._style_at(left))
            for left, right in pairwise(cuts)
        ]
        if end == len(line.pieces) and self.has_focus and self.cursor_at_end:
            segments.append(Segment(" ", own + self._style_at(end)))
        shift = first - line.columns[start]
        strip = Strip(segments).crop(shift, shift + width).adjust_cell_length(width, own)
        return with_ellipses(strip, self._glyphs.ellipsis, own, first, self.line.width)

    def _placeholder_line(self, width: int) -> Strip:
        """Draw the placeholder, cut with an ellipsis, which Textual would omit."""
        own = self.rich_style
        muted = own + self.get_component_rich_style("input--placeholder")
        text = self._glyphs.cut(self.placeholder, width)
        cursor = own + self.get_component_rich_style("input--cursor") if self.has_focus else muted
        segments = [Segment(text[:1] or " ", cursor), Segment(text[1:], muted)]
        return Strip(segments).adjust_cell_length(width, own)

    def _cuts(self) -> tuple[int, ...]:
        """Return where the style changes: around the selection and the cursor."""
        cursor = self.cursor_position
        return (*self.selection, cursor, self.line.after(cursor))

    def _style_at(self, index: int) -> Style | None:
        if not self.has_focus:
            return None
        if index == self.cursor_position:
            return self.get_component_rich_style("input--cursor")
        start, end = sorted(self.selection)
        return self.get_component_rich_style("input--selection") if start <= index < end else None

    def _index_at(self, event: events.MouseEvent) -> int:
        return self.line.at(event.get_content_offset_capture(self).x + self._first)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Move the cursor to the click, and start a selection."""
        event.prevent_default()
        self.selection = Selection.cursor(self._index_at(event))
        self._is_dragged_over = True
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection to the mouse."""
        event.prevent_default()
        if self._is_dragged_over:
            self.selection = Selection(self.selection.start, self._index_at(event))

    def on_mouse_up(self) -> None:
        """End the selection."""
        if self._is_dragged_over:
            self._is_dragged_over = False
            self.release_mouse()

    on_mouse_release = on_mouse_up  # taken by somebody else

    def action_cursor_left(self, select: bool = False) -> None:
        """Move the cursor by one character, and the marks on it."""
        self._move(self.line.before, min, select=select)

    def action_cursor_right(self, select: bool = False) -> None:
        """Move the cursor by one character, and the marks on it."""
        self._move(self.line.after, max, select=select)

    def _move(
        self, step: Callable[[int], int], edge: Callable[[int, int], int], *, select: bool
    ) -> None:
        start, end = self.selection
        if select:
            self.selection = Selection(start, step(end))
        else:
            self.cursor_position = step(end) if start == end else edge(start, end)

    # By words, as in a shell (readline): to the start of one, and to its end. Textual would go to
    # the start of the next one, and take a letter's combining marks for its end.

    def action_cursor_left_word(self, select: bool = False) -> None:
        """Move the cursor to the start of the word at it or before."""
        self._move_to(self._word_start(), select=select)

    def action_cursor_right_word(self, select: bool = False) -> None:
        """Move the cursor to the end of the word at it or behind."""
        self._move_to(self._word_end(), select=select)

    def action_delete_left_word(self) -> None:
        """Delete what is selected, or to the start of the word."""
        start, end = self.selection
        self.delete(self._word_start() if start == end else start, end)

    def action_delete_right_word(self) -> None:
        """Delete what is selected, or to the end of the word."""
        start, end = self.selection
        self.delete(start, self._word_end() if start == end else end)

    def _move_to(self, index: int, *, select: bool) -> None:
        self.selection = Selection(self.selection.start if select else index, index)

    def _word_start(self) -> int:
        starts = (match.start() for match in WORD.finditer(self._words[: self.cursor_position]))
        return max(starts, default=0)

    def _word_end(self) -> int:
        match = WORD.search(self._words, self.cursor_position)
        return match.end() if match else len(self.value)

    @property
    def _words(self) -> str:
        """The value with an "x" for each character of a word; a masked one is a single word."""
        if self.password:
            return "x" * len(self.value)
        kinds = map(category, self.value)
        return "".join("x" if kind[0] in "LMN" or kind == "Cf" else " " for kind in kinds)

    def action_delete_left(self) -> None:
        """Delete the character or mark before the cursor, with any invisible ones there."""
        start, end = self.selection
        if start == end:
            start -= 1
            while start > 0 and not self.line.pieces[start]:
                start -= 1
        self.delete(start, end)

    def action_delete_right(self) -> None:
        """Delete the character under the cursor, with its combining marks."""
        start, end = self.selection
        self.delete(start, self.line.after(end) if start == end else end)


class NameInput(FormInput):
    """A paste of one line is a name; of several lines each is an animal."""

    is_for_next: reactive[bool] = reactive(False)  # what is typed here is the next animal's

    def __init__(self, glyphs: GlyphSet, categories: Categories) -> None:
        super().__init__(glyphs, id="name", placeholder="a name, or paste several")
        self._categories = categories
        self.is_refused = False  # by the service: typing replaces it, once it has the focus

    def on_focus(self) -> None:
        """Select a refused name, unless what is typed is the next one."""
        if self.is_refused and not self.is_for_next:
            self.selection = Selection(0, len(self.value))

    def on_key(self, event: events.Key) -> None:
        """Make room for the next animal before its first letter is typed."""
        if is_text(event.character):
            self.is_for_next = False

    def on_paste(self, event: events.Paste) -> None:
        """Leave a paste of several animals to the screen."""
        from pettui.tui.paste_reading import is_several

        self.is_for_next = False
        if is_several(event.text, self._categories.names):
            event.prevent_default()


class CategoryInput(FormInput):
    """A value kept from the previous animal, or refused by the service, is selected on focus.

    The first character replaces it; moving the cursor first edits it. Any other value is edited.
    """

    is_kept: reactive[bool] = reactive(False)

    def __init__(self, glyphs: GlyphSet, categories: Categories, placeholder: str) -> None:
        super().__init__(glyphs, id="category", placeholder=placeholder)
        self._categories = categories
        self.is_refused = False  # by the service: it is selected on focus too

    @property
    def offered(self) -> str:
        """What may be typed here; "" without the focus."""
        if not self.has_focus:
            return ""
        return offers_text(self._glyphs, self._categories, self.value, is_kept=self.is_kept)

    def watch_value(self) -> None:
        """Treat a value that was typed as not kept."""
        self.is_kept = False

    def on_focus(self) -> None:
        """Select a kept or a refused value, and nothing otherwise."""
        if self.is_kept or self.is_refused:
            self.selection = Selection(0, len(self.value))
        else:
            self.cursor_position = self.cursor_position

    def action_cursor_right(self, select: bool = False) -> None:
        """Move the cursor; at the end, complete what is typed."""
        if not select and self.selection.is_empty and self.cursor_at_end and not self.is_kept:
            completed = self._categories.completed(self.value)
            if completed != self.value:
                self.value = completed
                self.cursor_position = len(completed)
                return
        super().action_cursor_right(select)


CHOICES: tuple[str | None, ...] = (None, *STATUSES)


class StatusPicker(LineWidget, can_focus=True):
    """All choices on one row or, with little room, only the chosen one.

    It leaves Enter to the form; RadioSet and Select would consume it.
    """

    HELP_TITLE: ClassVar[str] = "In Status"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.STATUS_PICKER,
        status_before="choose_by(-1)",
        status_after="choose_by(1)",
        status_not_set="choose('')",
        **{f"status_{status}": f"choose('{status}')" for status in PetStatus},
    )

    status: reactive[str | None] = reactive(None)

    class Changed(Message):
        """Another status was chosen."""

    def watch_status(self) -> None:
        """Post the change."""
        self.post_message(self.Changed())

    def action_choose_by(self, steps: int) -> None:
        """Choose the next status, in a circle."""
        index = CHOICES.index(self.status) if self.status in CHOICES else 0
        self.status = CHOICES[(index + steps) % len(CHOICES)]

    def action_choose(self, status: str) -> None:
        """Choose a status."""
        self.status = status or None

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        choices = self._choices()
        if self._has_room(width):
            return [
                [
                    (text, self._style(status) if status == self.status else "muted")
                    for status, text in choices
                ]
            ]
        return [
            [
                (f"{self.glyphs.left} ", "muted"),
                (self._words(self.status), self._style(self.status)),
                (f" {self.glyphs.right}", "muted"),
            ]
        ]

    def _style(self, status: str | None) -> str:
        return "chosen" if self.has_focus else look_of(status).style

    def _choices(self) -> list[tuple[str | None, str]]:
        chosen = "*" if self.glyphs.ascii_only else "•"
        shown = [
            (status, f"({chosen if status == self.status else ' '}) {self._words(status)}  ")
            for status in CHOICES
        ]
        last, text = shown.pop()
        return [*shown, (last, text.rstrip())]

    def _has_room(self, width: int) -> bool:
        return sum(cell_len(text) for _, text in self._choices()) <= width

    def _words(self, status: str | None) -> str:
        return f"{self.glyphs.status_glyph(status)} {self.glyphs.status_word(status)}"

    def on_click(self, event: events.Click) -> None:
        """Choose the status that was clicked or, if only one is shown, the one before or after."""
        clicked = event.get_content_offset_capture(self).x
        if not self._has_room(self.size.width):
            self.action_choose_by(-1 if clicked < 2 else 1)
            return
        right = 0
        for status, text in self._choices():
            right += cell_len(text)
            if clicked < right:
                self.status = status
                return


SHOWN = 200  # characters of a text


class FieldHints:
    """A message stays until the field is checked again, and hides suggestions."""

    def __init__(self, glyphs: GlyphSet, fields: Iterable[str]) -> None:
        self._glyphs = glyphs
        self.rows = {field: Static("", classes="hint -empty", markup=False) for field in fields}
        self._messages: dict[str, str] = {}  # raw

    def show(self, field: str, text: str, *, is_error: bool = True) -> None:
        """Show a message below a field; "" for none."""
        self._messages[field] = text
        self.rows[field].set_class(is_error and bool(text), "-error")
        self._draw(field, text, self._glyphs.error if is_error else self._glyphs.notice)

    def offer(self, field: str, text: str) -> None:
        """Show a suggestion below a field, unless it has a message."""
        if not self._messages.get(field):
            self._draw(field, text)

    def cut_sections(self) -> list[Section]:
        """Return the messages that are cut; suggestions may be."""
        return [
            (field.capitalize(), text)
            for field, text in self._messages.items()
            if text and not self._glyphs.has_room(text, self._room(field), 1)
        ]

    def _room(self, field: str) -> int:
        return self.rows[field].content_size.width - 2

    def _draw(self, field: str, text: str, sign: str = "") -> None:
        row = self.rows[field]
        row.set_class(not text, "-empty")
        shown = f"{sign} {self._glyphs.line(text, SHOWN)}".lstrip() if text else ""
        row.update(shown, layout=False)
