"""PastedPetsScreen: several animals that were pasted, shown and checked before they are added."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.outbox import OutboxError
from pettui.transfer.reading.import_lines import BadLine
from pettui.tui.keys.bindings import bindings
from pettui.tui.paste_reading import (
    FormValues,
    TooManyLinesError,
    is_several,
    pasted_pets,
    texts_of,
)
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.widgets.form.pasted_lines import PastedLines

if TYPE_CHECKING:
    from textual.binding import BindingType

    from pettui.tui.screens.adding.form_draft import FormDraft
    from pettui.tui.screens.entries_screen import EntriesScreen
    from pettui.tui.widgets.form.pet_form import PetForm

WRONG = "nothing added: a line is wrong"
NONE = "there is nothing to add"


class PastedPetsScreen(BoxScreen):
    """Enter adds all of them or none; Esc leaves the form as it was."""

    HINT = "{add_pasted} Add all  {leave_out} Leave out  {leave_pasted} Back"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PASTE_BOX, add_pasted=("add_pasted", "tell_wrong")
    )

    def __init__(self, screen: EntriesScreen[None], lines: PastedLines) -> None:
        super().__init__(screen.session.look, "Several animals", [lines])
        self._screen = screen
        self._lines = lines

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to add where something can be, and to leave out where something is wrong."""
        if action == "leave_out":
            return bool(self._lines.bad)
        if action in ("add_pasted", "tell_wrong"):
            can_be = bool(self._lines.pets) and not self._lines.bad
            return can_be == (action == "add_pasted")
        return super().check_action(action, parameters)

    async def action_add_pasted(self) -> None:
        """Make each an entry of the outbox."""
        try:
            added = await self._screen.outbox.add_all(self._lines.pets)
        except OutboxError as error:
            self._lines.refuse(f"none is added: {error}")
            self.box.scroll_home(animate=False)
            return
        self.dismiss()
        self._screen.show_entries()
        self._screen.say(f"{len(added):,} added to the outbox")

    def action_tell_wrong(self) -> None:
        """Say why nothing is added."""
        self.say(WRONG if self._lines.bad else NONE)

    def action_leave_out(self) -> None:
        """Go on with the lines that are animals."""
        self._lines.show_lines(self._lines.good)
        self.refresh_bindings()
        self.say("")

    def action_leave_pasted(self) -> None:
        """Go back to the form, which is as it was."""
        self.dismiss()


async def show_pasted(
    screen: EntriesScreen[None], form: PetForm, draft: FormDraft, text: str
) -> None:
    """Show what was pasted, if it is several animals, or say why nothing of it is taken."""
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
        screen.tell("Not pasted", str(error))
        return
    texts = texts_of(text, [line for line in lines if isinstance(line, BadLine)])
    pasted = PastedLines(screen.session.look, lines, texts, form.categories, draft.is_there)
    await screen.app.push_screen(PastedPetsScreen(screen, pasted))
