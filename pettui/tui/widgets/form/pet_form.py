"""PetForm: name, category and status of a new animal, checked as they are typed."""

from __future__ import annotations

from dataclasses import replace
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

    from pettui.tui.lists.categories import Categories
    from pettui.tui.look import Look
    from pettui.tui.wording.text_runs import Section

FIELDS = ("name", "category", "status")
ROOMY = 24  # rows of the screen from which on each field has one under it, used or not
TIGHT = 60  # columns below which the fields get the room of what stands beside them
KEPT = "kept"  # beside what an add left


class PetForm(Panel):
    """Three fields, each with a row under it for what is wrong with it."""

    class Changed(Message):
        """Something was typed or chosen."""

    def __init__(self, look: Look, title: str, categories: Categories) -> None:
        super().__init__(look, title)
        self.categories = categories
        self.name_input = NameInput(look, categories)
        placeholder = "number or name" if categories.has_names else "a whole number"
        self.category_input = CategoryInput(look, categories, placeholder)
        self.status_picker = StatusPicker(look, id="status")
        self._notes = {field: Static("", classes="note", markup=False) for field in FIELDS}
        self._kept_marks = {field: Static("", classes="kept", markup=False) for field in FIELDS}
        self._hints = FieldHints(look, FIELDS)
        self._left: Draft | None = None  # what an add left, for the next of its kind
        self._perhaps_added = ""  # raw name of the unknown entry that is edited here
        self._asked = False  # Enter was pressed: an empty field is wrong from now on

    def compose(self) -> ComposeResult:
        """Lay out label, field, what stands beside it and a hint, three times."""
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

    def room_changed(self) -> None:
        """Keep a row under each field where there is room for it."""
        self.set_class(self.app.size.height < ROOMY, "-low")
        self._show_offers()

    def on_resize(self) -> None:
        """Leave out what stands beside the fields, where they need the room."""
        self.set_class(self.outer_size.width < TIGHT, "-tight")

    @property
    def draft(self) -> Draft:
        """What stands in the form."""
        status = self.status_picker.status or ""
        draft = Draft(self.name_input.value, self.category_input.value, status)
        return replace(draft, is_kept=draft == self._left, perhaps_added=self._perhaps_added)

    @draft.setter
    def draft(self, draft: Draft) -> None:
        with self.prevent(FormInput.Changed):
            self.name_input.value = draft.name
            self.category_input.value = draft.category
        self.name_input.cursor_position = len(draft.name)
        self.category_input.cursor_position = len(draft.category)
        self.status_picker.status = draft.status or None
        self._asked = False
        self._perhaps_added = draft.perhaps_added
        self._keep(draft if draft.is_kept else None)
        self.check()

    def clear_name(self) -> None:
        """Make room for the next animal of the same kind."""
        self._asked = False
        number = self.categories.number_of(self.category_input.value)
        with self.prevent(FormInput.Changed):  # its name would stand beside its name
            self.category_input.value = str(number)
        self.name_input.value = ""
        self._perhaps_added = ""
        self._keep(self.draft)
        self.screen.set_focus(self.name_input)

    def _keep(self, left: Draft | None) -> None:
        self._left = left
        self.category_input.is_kept = left is not None and bool(left.category)
        self._show_kept()

    def _show_kept(self) -> None:
        """Say of category and status whether they stand there since an add."""
        marked = {"category": self.category_input.is_kept, "status": self._is_status_kept}
        for field, is_kept in marked.items():
            self._kept_marks[field].update(KEPT if is_kept else "", layout=False)

    @property
    def _is_status_kept(self) -> bool:
        status = self.status_picker.status or ""
        return self._left is not None and self._left.status == status != ""

    def say(self, field: str, text: str, *, is_error: bool = True) -> None:
        """Put a line under a field."""
        self._hints.say(field, text, is_error=is_error)

    def cut_sections(self) -> list[Section]:
        """Return what stands under the fields, where that is cut."""
        return self._hints.cut_sections()

    def check(self) -> str | None:
        """Say what is wrong under each field, and give the first that is; None if all is well."""
        name, category = self.name_input.value, self.category_input.value
        wrong = None
        self.say("status", "")
        self.say("category", "")
        number = None
        try:
            number = self.categories.number_of(category)
        except ValueError as error:
            wrong = "category" if category or self._asked else None
            if wrong and (self._asked or not isinstance(error, SeveralFitError)):
                self.say("category", str(error) if category.strip() else "a category is needed")
        note = "" if number is None else category_note(self.look, self.categories, category, number)
        self._notes["category"].update(note, layout=False)
        self._show_offers()
        is_empty = not name.strip() and self._asked
        self.say("name", "a name is needed" if is_empty else "")
        return "name" if is_empty else wrong

    def _show_offers(self) -> None:
        """Show under a field with the cursor what may be typed there, and what "kept" means."""
        self._hints.offer("category", self.category_input.offered)
        # The empty form says it from the start, where that takes no room of anything else.
        is_empty = self.draft == Draft() and self.app.size.height >= ROOMY
        told = status_text(self.look, is_kept=self._is_status_kept)
        self._hints.offer("status", told if is_empty or self.status_picker.has_focus else "")

    def check_all(self) -> str | None:
        """Check with empty fields counted as wrong; the first that is gets the focus."""
        self._asked = True
        wrong = self.check()
        if wrong is not None:
            self.focus_field(wrong)
        return wrong

    def focus_field(self, field: str) -> None:
        """Put the cursor into a field."""
        self.screen.set_focus(self.query_one(f"#{field}"))

    def on_input_changed(self, event: FormInput.Changed) -> None:
        """Check what was typed; who empties the form begins another animal."""
        event.stop()
        if self.draft == Draft():
            self._perhaps_added = ""
        self._show_kept()
        self.check()
        self.post_message(self.Changed())

    def on_descendant_focus(self) -> None:
        """Offer what may be typed where the cursor came to."""
        self._show_offers()

    on_descendant_blur = on_descendant_focus

    def on_status_picker_changed(self, event: StatusPicker.Changed) -> None:
        """Tell what was chosen."""
        event.stop()
        self._show_kept()
        self.say("status", "")
        self._show_offers()
        self.post_message(self.Changed())
