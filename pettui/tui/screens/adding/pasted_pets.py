"""PastedPetsScreen: a review of several pasted animals before they are added."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.events import Key

from pettui import actions
from pettui.outbox import OutboxError
from pettui.transfer.lines import BadLine
from pettui.tui.keys import bindings, key_of
from pettui.tui.paste_reading import (
    FormValues,
    TooManyLinesError,
    is_several,
    pasted_pets,
    texts_of,
)
from pettui.tui.screens.boxes import BoxScreen
from pettui.tui.widgets.pasted_lines import PastedLines
from pettui.tui.wording import pasted_question

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.events import Paste

    from pettui.tui.screens.adding.form_draft import FormDraft
    from pettui.tui.screens.entries_screen import EntriesScreen
    from pettui.tui.widgets.pet_form import PetForm

HAS_ERRORS = "nothing added: a line has an error"
IS_EMPTY = "there is nothing to add"


class PastedPetsScreen(BoxScreen):
    """Enter adds all of them or none; Esc goes back to the unchanged form.

    It asks once about all that may have been added already.
    """

    HINT = "{add_pasted} Add all  {leave_out} Leave out  {leave_pasted} Back"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PASTE_BOX, add_pasted=("add_pasted", "explain_errors")
    )

    def __init__(self, screen: EntriesScreen[None], draft: FormDraft, lines: PastedLines) -> None:
        super().__init__(screen.session.glyphs, "Several animals", [lines])
        self._screen = screen
        self._draft = draft
        self._lines = lines
        self._asked_at: float | None = None  # monotonic seconds; None: nothing is asked

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether lines can be added, and whether there are bad ones to leave out."""
        if action == "add_anyway":
            return self._asked_at is not None
        if action == "leave_out":
            return bool(self._lines.bad)
        if action in ("add_pasted", "explain_errors"):
            can_add = bool(self._lines.pets) and not self._lines.bad
            return can_add == (action == "add_pasted")
        return super().check_action(action, parameters)

    async def action_add_pasted(self) -> None:
        """Make each an entry of the outbox, or ask about those that may have been added."""
        doubles = sum(
            self._draft.is_unknown(each.name, each.category_id) for each in self._lines.pets
        )
        if not doubles:
            await self.action_add_anyway()
            return
        self._asked_at = monotonic() if self._asked_at is None else self._asked_at
        self.refresh_bindings()
        self.show_message(pasted_question(key_of(self, "add_anyway"), doubles))

    async def before_key(self, event: Key | Paste) -> bool:
        """Let no key answer that was typed before the question was asked."""
        if self._asked_at is None or not isinstance(event, Key):
            return True
        active = self.active_bindings.get(event.key)
        is_answer = active is not None and active.binding.id == "add_anyway"
        return not is_answer or event.time > self._asked_at

    async def action_add_anyway(self) -> None:
        """Make each an entry of the outbox."""
        try:
            added = await self._screen.outbox.add_all(self._lines.pets)
        except OutboxError as error:
            self._lines.show_refusal(f"nothing was added: {error}")
            self.box.scroll_home(animate=False)
            return
        self.dismiss()
        self._screen.show_entries()
        self._screen.show_message(f"{len(added):,} added to the outbox")

    def action_explain_errors(self) -> None:
        """Show why nothing is added."""
        self.show_message(HAS_ERRORS if self._lines.bad else IS_EMPTY)

    def action_leave_out(self) -> None:
        """Drop the bad lines."""
        self._asked_at = None
        self._lines.show_lines(self._lines.good)
        self.refresh_bindings()
        self.show_message("")

    def action_leave_pasted(self) -> None:
        """Go back to the unchanged form."""
        self.dismiss()


async def show_pasted(
    screen: EntriesScreen[None], form: PetForm, draft: FormDraft, text: str
) -> None:
    """Show a paste of several animals for review, or why it is refused."""
    if not is_several(text, form.categories.names):
        return
    try:
        category: int | None = form.categories.number_of(form.category_input.value)
    except ValueError:
        category = None
    values = FormValues(category, form.status_picker.status or "")
    try:
        lines = pasted_pets(text, values, form.categories.names)
    except TooManyLinesError as error:
        screen.show_problem("Not pasted", str(error))
        return
    texts = texts_of(text, [line for line in lines if isinstance(line, BadLine)])
    pasted = PastedLines(screen.session.glyphs, lines, texts, form.categories, draft.is_known)
    await screen.app.push_screen(PastedPetsScreen(screen, draft, pasted))
