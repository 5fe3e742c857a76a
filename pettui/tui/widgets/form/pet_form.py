"""PetForm: name, category and status of a new animal, checked while typing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Label, Static

from pettui.outbox import Draft
from pettui.tui.lists.categories import SeveralFitError
from pettui.tui.widgets.form.category_input import CategoryInput
from pettui.tui.widgets.form.field_hints import FieldHints
from pettui.tui.widgets.form.form_input import FormInput
from pettui.tui.widgets.form.name_input import NameInput
from pettui.tui.widgets.form.status_picker import StatusPicker
from pettui.tui.widgets.panel import Panel
from pettui.tui.wording.form_texts import category_note, status_text

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from pettui.glyphs import GlyphSet
    from pettui.outbox import Entry
    from pettui.tui.lists.categories import Categories
    from pettui.tui.wording.text_runs import Section

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
