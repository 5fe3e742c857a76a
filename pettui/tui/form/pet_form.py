"""PetForm: the fields of a new animal, checked while typing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Label, Static

from pettui.outbox.entries import Draft, Entry
from pettui.tui.form.form_fields import KEPT, CategoryInput, FormField, NameInput, StatusPicker
from pettui.tui.widgets.failures import refusal_of
from pettui.tui.widgets.fitting import first_that_fits
from pettui.tui.widgets.form_input import FormInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.widget import Widget

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Section


AROUND = 6  # cells of the title's row without text: corners, lines and blanks
FILL_MINIMUM = 3  # cells between title and remark


class Panel(Vertical):
    """The remark goes if there is no room for both; the foot is cut."""

    def __init__(
        self,
        glyphs: GlyphSet,
        title: str,
        *content: Widget,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(*content, id=id)
        self.glyphs = glyphs
        self._title = title
        self._remark = ""

    def show_beside_title(self, remark: str) -> None:
        """Show a remark at the right end of the title's row; "" for none."""
        self._remark = remark
        self._draw_title()

    def show_foot(self, *texts: str) -> None:
        """Show in the lower border the first of these texts that fits, or the last one, cut."""
        room = (self.outer_size.width or self.app.size.width) - AROUND
        text = first_that_fits(self.glyphs, texts, room)
        if text != str(self.border_subtitle or ""):
            self.border_subtitle = Content(text)

    def on_resize(self) -> None:
        """Draw the title for this width."""
        self._draw_title()

    on_mount = on_resize

    @property
    def has_room_for_remark(self) -> bool:
        """Whether the whole remark is shown."""
        return self._room >= FILL_MINIMUM

    @property
    def _room(self) -> int:
        """Cells between title and remark."""
        return self.outer_size.width - AROUND - cell_len(self._title) - cell_len(self._remark)

    def _draw_title(self) -> None:
        if not self._remark or not self.has_room_for_remark:
            # Textual puts blanks beside a title only if there are corners.
            title = self._title if self.styles.border_left[0] else f" {self._title} "
            self.border_title = Content(title)
            return
        line, room = "-" if self.glyphs.ascii_only else "─", self._room
        self.border_title = Content.assemble(
            self._title,
            (f" {line * (room - 2)} ", "not bold $pt-quiet"),
            (self._remark, "not bold $pt-quiet"),
        )


ROOMY = 24  # rows of the screen, from which on there is always a row below each field
TIGHT = 60  # columns, below which the remarks beside the fields are narrower
TINY = 32  # columns, below which there are none, and the labels are short
SHOWN = 200  # characters of a text below a field
NAMED_WITHIN = 500  # characters of a message that a field is looked for in


def field_in(message: str) -> str | None:
    """Return the field that the message of a refusal names first; None for none."""
    found = re.search(r"\b(name|category|status)(?:Id)?\b", message[:NAMED_WITHIN])
    return found[1] if found else None


class FieldRow:
    """A field with its label, the remarks beside it, and the row for a text below it.

    That text stays until the field is checked again, and hides suggestions.
    """

    def __init__(self, field: FormField, glyphs: GlyphSet) -> None:
        self.field = field
        field.id = field.NAME
        self._glyphs = glyphs
        self._label = Label(field.LABEL, markup=False)
        self._remark = Static("", classes="remark", markup=False)
        self._kept_mark = Static("", classes="kept", markup=False)
        self._below = Static("", classes="below -empty", markup=False)
        self.text_below = ""  # raw

    def compose(self) -> ComposeResult:
        """Lay out label, field, remarks and the row below."""
        with Horizontal(classes="field", id=f"{self.field.NAME}-row"):
            yield self._label
            yield self.field
            yield self._kept_mark
            yield self._remark
        yield self._below

    def show_label(self, *, is_short: bool) -> None:
        """Show what the field is, in a word or the beginning of one."""
        self._label.update(self.field.SHORT_LABEL if is_short else self.field.LABEL)

    def show_beside(self) -> None:
        """Show what stands beside the field."""
        _show(self._remark, self.field.remark)
        _show(self._kept_mark, KEPT if self.field.is_kept else "")

    def show_below(self, text: str, *, is_error: bool = True) -> None:
        """Show a text below the field, "" for none."""
        self.text_below = text
        self._below.set_class(is_error and bool(text), "-error")
        self._draw(text, self._glyphs.error if is_error else self._glyphs.notice)

    def show_suggestion(self, text: str) -> None:
        """Show a suggestion below the field, unless another text stands there."""
        if not self.text_below:
            self._draw(text)

    def cut_sections(self) -> list[Section]:
        """Return the text below if it is cut; a suggestion may be."""
        room = self._below.content_size.width - 2
        _, is_cut = self._glyphs.shown(self.text_below, room, 1)
        return [(self.field.LABEL, self.text_below)] if is_cut else []

    def _draw(self, text: str, sign: str = "") -> None:
        self._below.set_class(not text, "-empty")
        shown = f"{sign} {self._glyphs.line(text, SHOWN)}".lstrip() if text else ""
        _show(self._below, shown)


def _show(place: Static, text: str) -> None:
    """Show a text in its place; what stands there already is not drawn again."""
    if place.content != text:
        place.update(text, layout=False)


class PetForm(Panel):
    """The fields, each with a row for a text below it."""

    class Changed(Message):
        """Something was typed or chosen."""

    _texts: reactive[tuple[str, ...]] = reactive((), repaint=False, bindings=True)  # below them

    def __init__(self, session: UserSession, doubt_of: Callable[[Draft], tuple[str, str]]) -> None:
        """Show an empty form.

        Args:
            session: of which glyphs and categories are.
            doubt_of: returns a warning or a question about a draft, and the field that it is of.
        """
        glyphs, categories = session.glyphs, session.categories
        super().__init__(glyphs, "Add an animal")
        self.categories = categories
        self._doubt_of = doubt_of
        self.name_input = NameInput(glyphs, categories, lambda: session.added_names)
        self.category_input = CategoryInput(glyphs, categories)
        self.category_input.has_arrows = True
        self.status_picker = StatusPicker(glyphs)
        fields = (self.name_input, self.category_input, self.status_picker)
        self._rows = {field.NAME: FieldRow(field, glyphs) for field in fields}
        self._shown = Draft()  # as it was put into the form; it may be made of an entry
        self._is_submitted = False  # Enter was pressed: empty fields are wrong now
        self.refused: Entry | None = None  # that is being corrected

    def compose(self) -> ComposeResult:
        """Lay out the fields from top to bottom."""
        for row in self._rows.values():
            yield from row.compose()

    def refresh_bindings(self) -> None:
        """Say that other keys work, but not of a screen that is closed (see ``LineWidget``)."""
        if self.is_attached:
            super().refresh_bindings()

    def room_changed(self) -> None:
        """Keep a row below each field if there is room."""
        self.set_class(self.app.size.height < ROOMY, "-low")
        self._show_suggestions()

    def on_resize(self) -> None:
        """Make the remarks narrower if the fields need the room."""
        is_tiny = self.outer_size.width < TINY
        self.set_class(self.outer_size.width < TIGHT, "-tight").set_class(is_tiny, "-tiny")
        for row in self._rows.values():
            row.show_label(is_short=is_tiny)
        self.call_after_refresh(self.refresh_bindings)  # other texts may be cut

    # What stands in the form

    @property
    def draft(self) -> Draft:
        """The contents of the form: what was put there, unless it was edited."""
        values: dict[str, Any] = {name: row.field.value for name, row in self._rows.items()}
        draft = Draft(**values, copy_of=self._shown.copy_of)
        return self._shown if draft == replace(self._shown, lines="") else draft

    def show(self, draft: Draft, refused: Entry | None = None, *, came_back: bool = False) -> None:
        """Put a draft into the form.

        Args:
            draft: for the fields.
            refused: what it corrects; why is said at the field that was refused.
            came_back: it was an entry of the outbox, or is a copy of one.
        """
        self._shown, self.refused = draft, refused
        with self.prevent(Input.Changed, StatusPicker.Changed):
            for name, row in self._rows.items():
                row.field.value = value = getattr(draft, name)
                is_kept = draft.is_kept and not draft.is_empty
                row.field.kept = value if is_kept else ""
                row.field.replaced = value if came_back else ""
                if isinstance(row.field, FormInput):
                    row.field.cursor_position = len(value)
        self._is_submitted = False
        self.check()

    @property
    def next_of_the_kind(self) -> Draft:
        """What an add leaves of these values, which are correct: a draft for the next animal."""
        kept: dict[str, Any] = {
            name: row.field.plain_value for name, row in self._rows.items() if row.field.IS_KEPT
        }
        return Draft(**kept, is_kept=True)

    def make_room(self) -> None:
        """Go on with the next animal of the kind."""
        self.show(self.next_of_the_kind)
        self.screen.set_focus(self.name_input)
        self.post_message(self.Changed())

    def replace_category(self) -> None:
        """Go to the category, which typing replaces."""
        self.category_input.replaced = self.category_input.value
        self.category_input.select_all()  # it may have the focus
        self.screen.set_focus(self.category_input)

    def go_to_name(self) -> None:
        """Go behind the name, unless the cursor is in it: what is typed there begins the next."""
        if not self.name_input.has_focus:
            self.name_input.cursor_position = len(self.name_input.value)
            self.screen.set_focus(self.name_input)

    def begin(self) -> Widget:
        """Return the field to go on in: the refused one, all of it selected, or else the name."""
        field = self._rows[self._refused_field or "name"].field
        if field.is_refused and isinstance(field, FormInput):
            field.select_all()
        return field

    @property
    def _refused_field(self) -> str | None:
        """The field whose value is still the one that the service refused."""
        if self.refused is None or (field := field_in(refusal_of(self.refused).message)) is None:
            return None
        is_same = self._rows[field].field.value == getattr(self.refused.draft(), field)
        return field if is_same else None

    # Checking

    def check(self) -> None:
        """Show beside each field what its value means, and below it what is wrong."""
        refused, (doubt, doubted) = self._refused_field, self._doubt_of(self.draft)
        for name, row in self._rows.items():
            row.field.is_refused = name == refused
            row.show_beside()
            if doubt and name == doubted:
                row.show_below(doubt, is_error=False)
            elif name == refused and self.refused is not None:
                row.show_below(refusal_of(self.refused).message)
            elif error := row.field.error(is_submitted=self._is_submitted):
                row.show_below(error)
            else:
                row.show_below(row.field.warning, is_error=False)
        self._show_suggestions()

    def _show_suggestions(self) -> None:
        """Show them where no other text stands, which may be another one now."""
        is_empty = self.draft.is_empty and self.app.size.height >= ROOMY
        for row in self._rows.values():
            row.show_suggestion(row.field.suggestion(is_form_empty=is_empty))
        self._texts = tuple(row.text_below for row in self._rows.values())

    def submit(self) -> bool:
        """Check the form as submitted; focus the first wrong field, or return True."""
        self._is_submitted = True
        self.status_picker.end_word()
        self.check()
        fields = (row.field for row in self._rows.values())
        wrong = next((field for field in fields if field.error(is_submitted=True)), None)
        if wrong is not None:
            self.screen.set_focus(wrong)
        return wrong is None

    def cut_sections(self) -> list[Section]:
        """Return the texts that are cut."""
        return [section for row in self._rows.values() for section in row.cut_sections()]

    def on_input_changed(self, event: Input.Changed | StatusPicker.Changed) -> None:
        """Check what was typed or chosen; an emptied form is for another animal."""
        event.stop()
        if self.draft == Draft():
            self.refused = None
            if self._shown.copy_of:
                self._shown = Draft()
        self.check()
        self.post_message(self.Changed())

    on_status_picker_changed = on_input_changed

    def on_descendant_focus(self) -> None:
        """Show suggestions for the focused field."""
        self._show_suggestions()

    def on_descendant_blur(self) -> None:
        """Show suggestions for the focused field, and what a field that was left holds."""
        for row in self._rows.values():
            if (warning := row.field.warning) and not row.field.is_refused:
                row.show_below(warning, is_error=False)
        self._show_suggestions()
