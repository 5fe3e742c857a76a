"""PetForm: name, category and status of a new animal, checked as they are typed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Label, Static

from pettui.outbox import Draft
from pettui.tui.categories import category_of
from pettui.tui.widgets.form.category_input import CategoryInput
from pettui.tui.widgets.form.form_input import FormInput
from pettui.tui.widgets.form.status_picker import StatusPicker
from pettui.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.widget import Widget

    from pettui.tui.look import Look
    from pettui.tui.wording.text_runs import Section

FIELDS = ("name", "category", "status")
TIGHT = 60  # columns below which the fields get the room of what stands beside them
KEPT = "kept"  # beside what an add left


class PetForm(Panel):
    """Three fields, each with a row under it for what is wrong with it."""

    class Changed(Message):
        """Something was typed or chosen."""

    def __init__(self, look: Look, title: str, category_name: Callable[[int], str]) -> None:
        super().__init__(look, title)
        self._category_name = category_name
        self.name_input = FormInput(look, id="name")
        self.category_input = CategoryInput(look, id="category")
        self.status_picker = StatusPicker(look, id="status")
        self._notes = {field: Static("", classes="note", markup=False) for field in FIELDS}
        self._kept_marks = {field: Static("", classes="kept", markup=False) for field in FIELDS}
        self._hints = {field: Static("", classes="hint -empty", markup=False) for field in FIELDS}
        self._said: dict[str, str] = {}  # raw, under each field
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
            yield self._hints[field]

    def on_resize(self) -> None:
        """Leave out what stands beside the fields where they need the room."""
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
        status = self.status_picker.status or ""
        is_left = self._left is not None and self._left.status == status != ""
        is_kept = self.category_input.is_kept
        self._kept_marks["category"].update(KEPT if is_kept else "", layout=False)
        self._kept_marks["status"].update(KEPT if is_left else "", layout=False)

    def say(self, field: str, text: str, *, is_error: bool = True) -> None:
        """Put a line under a field."""
        self._said[field] = text
        hint = self._hints[field]
        hint.set_class(is_error and bool(text), "-error")
        hint.set_class(not text, "-empty")
        sign = self.look.error if is_error else self.look.notice
        hint.update(f"{sign} {self.look.line(text, 200)}" if text else "", layout=False)

    def cut_sections(self) -> list[Section]:
        """Return what stands under the fields, where that is cut."""
        return [
            (field.capitalize(), text)
            for field, text in self._said.items()
            if text and not self.look.has_room(text, self._hints[field].content_size.width - 2, 1)
        ]

    def check(self) -> str | None:
        """Say what is wrong under each field, and give the first that is; None if all is well."""
        name, category = self.name_input.value, self.category_input.value
        wrong = None
        self.say("status", "")
        self.say("category", "")
        category_name = ""
        if category or self._asked:
            try:
                category_name = self._category_name(category_of(category))
            except ValueError as error:
                self.say("category", str(error) if category.strip() else "a category is needed")
                wrong = "category"
        self._notes["category"].update(category_name, layout=False)
        is_empty = not name.strip() and self._asked
        self.say("name", "a name is needed" if is_empty else "")
        return "name" if is_empty else wrong

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

    def on_status_picker_changed(self, event: StatusPicker.Changed) -> None:
        """Tell what was chosen."""
        event.stop()
        self._show_kept()
        self.say("status", "")
        self.post_message(self.Changed())
