"""FormScreen: the form of a new animal, kept as it is typed, over what became of those before."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll

from pettui.outbox.entries import OutboxError
from pettui.tui.duplicates import Duplicates
from pettui.tui.screens.entries_screen import EntriesScreen
from pettui.tui.widgets.entry_list import EntryList
from pettui.tui.widgets.form.pet_form import PetForm
from pettui.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult
    from textual.worker import Worker

    from pettui.models import Pet
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.runs import Section

ROOMY = (
    24  # rows from which on every field has a row under it, whether something stands there or not
)


class FormScreen(EntriesScreen[None]):
    """It loses nothing that is typed, whatever ends it."""

    def __init__(self, session: UserSession, known: Sequence[Pet]) -> None:
        super().__init__(session)
        self.twins = Duplicates(known)
        self.form = PetForm(session.look, "Add an animal", session.category_name)
        self.entry_list = EntryList(session.look)
        self.is_left = False  # closed by its key; another form may be open by now
        self._keeping: Worker[None] | None = None  # of what was typed last
        self._is_moving = False  # an entry is on its way out of the form, or into it

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.strip
        yield self.notice_bar
        yield self.form
        earlier = VerticalScroll(self.entry_list, can_focus=False)
        yield Panel(self.session.look, "Earlier", earlier, id="earlier")
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Go on where the form was left."""
        self.form.draft = self.outbox.draft
        self.set_focus(self.form.name_input)
        self.show_entries()
        self.tell_of_key()

    def room_changed(self) -> None:
        """Say what is to be said where there is room for it now."""
        super().room_changed()
        self.form.set_class(self.app.size.height < ROOMY, "-low")
        self.show_facts()

    async def on_unmount(self) -> None:
        """Keep the last keys too, where the app ends with the form open."""
        if not self.is_left and not self._is_moving:
            with suppress(OutboxError):  # there is no screen to say it on
                await self.outbox.keep_draft(self.form.draft)

    def show_entries(self) -> None:
        """Show the entries, and what is to be said of them all."""
        self.entry_list.show_entries(self.outbox.entries[-100:])
        self.form.show_foot(self._about_put_aside())
        self.show_notices()
        self.show_facts()
        self.refresh_bindings()

    def show_facts(self) -> None:
        """Say what holds the entries up, and how many animals were added."""
        hold = self.held_up
        self.status_line.facts = ((self.session.look.line(hold), "notice"),) if hold else ()
        self.status_line.keys = self.short_keys()
        added = f"added this session: {self.session.added}" if self.session.added else ""
        self.form.show_remark(added)
        self.status_line.counts = () if self.form.has_room_for_remark else (added,)

    def _about_put_aside(self) -> str:
        """Say that something half typed comes back after what stands in the form."""
        count = self.outbox.drafts.put_aside
        if count == 0:
            return ""
        return (
            "1 half typed comes back next" if count == 1 else f"{count} half typed come back next"
        )

    def cut_sections(self) -> list[Section]:
        """Return what is cut, what stands under the fields and of the entries included."""
        return [
            *super().cut_sections(),
            *self.form.cut_sections(),
            *self.entry_list.cut_sections(),
        ]

    def on_pet_form_changed(self) -> None:
        """Keep the draft, and point out a twin."""
        self.form_changed()

    def form_changed(self) -> None:
        """Keep what stands in the form by now, and say what is to be said of it."""
        self.point_out_twin()
        self._keeping = self.run_worker(self.keep_draft, group="draft")

    def point_out_twin(self) -> None:
        """Say where what is typed is there already."""
        if (twin := self.twins.id_of(self.form.draft)) is not None:
            self.form.say("name", f"{twin} has this name and category already", is_error=False)

    async def keep_draft(self) -> None:
        """Keep what stands in the form for good, or say why not."""
        if self._is_moving:
            return  # what comes into the form is kept already
        try:
            await self.outbox.keep_draft(self.form.draft)
        except OutboxError as error:
            self.tell("The draft is not kept", str(error))

    @contextmanager
    def moving_drafts(self) -> Iterator[None]:
        """Keep nothing of the form while an entry comes out of it or into it, but its last state.

        What was typed before an add would be a draft beside its entry, if it were kept after it.
        """
        self._is_moving = True
        try:
            yield
        finally:
            self._is_moving = False

    def show_draft(self) -> None:
        """Show the draft that the outbox goes on with, and put the cursor into its name."""
        self.form.draft = self.outbox.draft
        self.put_cursor(self.form.name_input)
        self.point_out_twin()
        self.show_entries()

    async def draft_is_told_of(self) -> None:
        """Wait until the draft is kept, or the strip says why not: what is said next stays."""
        if self._keeping is not None:
            await self._keeping.wait()
