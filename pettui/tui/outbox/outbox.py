"""OutboxScreen: every entry, its state, and what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import on

from pettui.keyboard import actions
from pettui.outbox.entries import Entry, EntryState, OutboxError
from pettui.tui.detail.pet_screen import READ_ONLY
from pettui.tui.outbox.entry_decisions import (
    ENTER,
    GIVEN_UP_RISK,
    LOOKS,
    ORDERS,
    POSSIBLE,
    added_pet,
    counts_text,
    is_possible,
    loss_text,
    why_not,
)
from pettui.tui.outbox.entry_table import EntriesScreen, EntryTable
from pettui.tui.outbox.leaving import open_import_texts
from pettui.tui.screens.app_screen import asks, why_not_on_the_list
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.boxes import StyledLines, TextLines
from pettui.tui.session.wording import FORM, OUTBOX
from pettui.tui.unknown.undecided import UndecidedEntries, question_of
from pettui.tui.widgets.bindings import NamesActions, bindings, hints
from pettui.tui.widgets.failures import whole_of
from pettui.tui.widgets.find import FindLine

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.session.session import EntryChanged, UserSession
    from pettui.tui.widgets.runs import StyledText


class OutboxScreen(EntriesScreen, NamesActions):
    """The entries, and what their keys do."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.OUTBOX_ENTRIES,
        open_entry="open",
        next_undecided="next_undecided(1)",
        previous_undecided="next_undecided(-1)",
        add="app.open_form",
        open_import="app.go_on_importing",
    )
    TITLE_TEXT = OUTBOX.capitalize()

    def __init__(self, session: UserSession, at: str = "") -> None:
        """Show the entries, the cursor on the one with an id; "" for the newest."""
        super().__init__(session)
        self._at = at
        self.entry_table = EntryTable(session)
        self.cutting += (self.entry_table,)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.error_banner
        yield self.notice_bar
        yield self.entry_table
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Show the entries."""
        self.set_focus(self.entry_table)
        self.entry_table.show_entries()
        self.entry_table.go_to(self._at)
        self.show_key_refusal()

    def draw(self) -> None:
        """Draw the entries and notices, and why they are not sent, or how many there are."""
        table, dot = self.entry_table, self.session.glyphs.dot
        table.show_entries()
        self.show_notices()
        text = self.delay_reason
        texts: list[StyledText] = [(text, "notice")] if text else []
        if table.words:
            texts.append((f"{table.found.text} {dot} /{table.words}", "strong"))
        texts = texts or [(counts_text(self.outbox.entries), "muted")]
        line = self.session.glyphs.line
        self.status_line.texts = tuple((line(text), style) for text, style, *_ in texts)
        clear = hints("{close}: clear", self) if table.words else []
        self.status_line.keys = (*clear, *self.short_keys())

    def on_entry_changed(self, message: EntryChanged) -> None:  # noqa: ARG002
        """Show that sending needs another API key."""
        self.show_key_refusal()

    def on_row_table_highlighted(self) -> None:
        """Show the keys for this entry."""
        self.changed()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an action is possible for the entry under the cursor."""
        entry = self.entry_table.highlighted
        if action not in POSSIBLE:
            return super().check_action(action, parameters)
        if is_possible(action, entry):
            return True
        # None would cover another action of the same key in the key bar.
        return None if self.why_not(action) is not None else False

    def why_not(self, action: str) -> str | None:
        """Return why nothing can be done with the entry under the cursor, too."""
        entry = self.entry_table.highlighted
        if action == "add" and self.session.is_read_only:
            return READ_ONLY
        if action == "open_import":
            return self._why_no_import
        if action not in POSSIBLE or entry is None or action in ENTER[:-1]:
            return super().why_not(action)  # the last action of Enter explains
        wanted = ENTER if action in ENTER else (action,)
        is_done = any(is_possible(each, entry) for each in wanted)
        return None if is_done else self.session.glyphs.line(why_not(action, entry))

    @property
    def _why_no_import(self) -> str | None:
        if self.session.open_journal is None or not self.session.open_imports.all:
            return "no import was left with open lines"
        return why_not_on_the_list(self)

    def show_notices(self) -> None:
        """Show the imports that were left, too, one a line, and the key that goes on with one."""
        imports = open_import_texts(self.session)
        if imports:
            key = "".join(hints(": {open_import} goes on", self))
            imports[0] += key
        problems = (*imports, *self.outbox.problems)
        self.notice_bar.show(problems, self.outbox.sending.notices)

    def words_for(self, binding_id: str) -> str:
        """Return what Enter does with an entry that waits, or was refused."""
        entry = self.entry_table.highlighted
        if binding_id != "edit" or entry is None:
            return ""
        is_waiting = entry.state is EntryState.WAITING
        return actions.TAKE_BACK.label if is_waiting else actions.CORRECT

    # Keys

    def action_next_undecided(self, step: int) -> None:
        """Go to the next or previous entry that was refused, or whose outcome is unknown."""
        self.show_remark(self.entry_table.go_to_undecided(step))

    async def action_find(self) -> None:
        """Open the find line, or go back to it."""
        await self.prompt.ask(FindLine(self.session, self.entry_table))

    @on(FindLine.Closed, "#find-line")
    async def _close_find(self) -> None:
        await self.action_close()

    def action_sort_entries(self) -> None:
        """Sort by the next column; after the last one, the newest come first again."""
        order = ORDERS[(ORDERS.index(self.entry_table.order) + 1) % len(ORDERS)]
        self.entry_table.order = order
        self.show_remark(f"sorted by {order}" if order else "the newest first")

    async def action_open(self) -> None:
        """Open the added animal; its neighbours are the other added ones."""
        from pettui.tui.detail.pet_detail import PetDetailScreen

        added = [each for each in self.entry_table.rows if is_possible("open", each)]
        if (entry := self.entry_table.highlighted) in added:
            pets = [added_pet(each) for each in added]
            index, now = added.index(entry), self.session.clock.now()
            await self.app.push_screen(
                PetDetailScreen(self.session, pets, index, now, f"the {OUTBOX}")
            )

    async def on_row_table_opened(self) -> None:
        """Do what Enter does, after a double click."""
        does = [each for each in ENTER if self.check_action(each, ())]
        if does:
            await self.run_action(does[0])
        else:
            self.explain("edit")

    async def action_view_entry(self) -> None:
        """Show the entry whole, with what can be done about it."""

        if (entry := self.entry_table.highlighted) is None:
            return

        async def act(action: str | None) -> None:
            now = self.entry_table.highlighted
            if not action or now is None or now.entry_id != entry.entry_id:
                return
            if not await self.app.run_action(action, self):
                self.explain(action)

        kind = self.entry_table.kind_of(entry)
        await self.app.push_screen(UnknownEntryScreen(self.session.glyphs, entry, kind), act)

    async def action_edit(self) -> None:
        """Take an entry that waits back into the form, or copy one that was refused."""
        if (entry := self.entry_table.highlighted) is not None:
            is_waiting = entry.state is EntryState.WAITING
            move = self.outbox.take_back if is_waiting else self.outbox.copy
            await self._open_form(move(entry.entry_id))

    async def action_edit_copy(self) -> None:
        """Bring a copy of the entry into the form; the entry stays until that is added."""
        if (entry := self.entry_table.highlighted) is not None:
            await self._open_form(self.outbox.copy(entry.entry_id))

    async def _open_form(self, moving: Coroutine[Any, Any, object]) -> None:
        try:
            await moving
        except OutboxError as error:
            self.error_banner.show_problem("Can't edit it", str(error))
            return
        await self.run_action("app.open_form(False)")

    async def action_look_for(self) -> None:
        """Show the animals that it could be, and after it those that the other unknown ones could.

        One after the other is decided, from the cursor on.
        """
        from pettui.tui.outbox.candidates_screen import CandidatesScreen

        table = self.entry_table
        around = (*table.rows[table.cursor :], *table.rows[: table.cursor])
        unknown = [each.entry_id for each in around if is_possible("look_for", each)]

        def show_decision(decided: str | None) -> None:
            self.show_remark(decided or "")

        undecided = UndecidedEntries(self.session, unknown)
        screen = CandidatesScreen(self.session, undecided)
        await self.app.push_screen(screen, show_decision)

    @asks
    async def action_send_again(self) -> None:
        """Send the entry again; ask first if that may add the animal twice."""
        if (entry := self.entry_table.highlighted) is None:
            return
        looks = "".join(hints(LOOKS, self))
        question = " ".join(filter(None, (question_of(self.session, entry), looks)))
        title, is_known = f"Send {entry.label} again?", entry.state is not EntryState.UNKNOWN
        if is_known or await self.ask(title, question):
            with self.error_banner.showing_why("Can't send it again"):
                await self.outbox.send_again(entry.entry_id)

    @asks
    async def action_give_up(self) -> None:
        """Send the entry no more until it is answered; it may have been added, so ask first."""
        entry = self.entry_table.highlighted
        if entry is not None and await self.ask(f"Give up on {entry.label}?", GIVEN_UP_RISK):
            with self.error_banner.showing_why("Can't give it up"):
                await self.outbox.give_up(entry.entry_id)

    @asks
    async def action_forget(self) -> None:
        """Remove the entry; ask first if what was typed would be lost."""
        if (entry := self.entry_table.highlighted) is None:
            return
        title, is_kept = f"Forget {entry.label}?", entry.state is EntryState.ADDED
        if is_kept or await self.ask(title, loss_text(entry)):
            with self.error_banner.showing_why("Can't forget it"):
                await self.outbox.forget(entry.entry_id)

    async def action_forget_added(self) -> None:
        """Remove the entries that were added, without a question: the service has them.

        A find leaves out what it does not show.
        """
        added = [
            entry
            for entry in self.entry_table.rows
            if entry.state is EntryState.ADDED and is_possible("forget", entry)
        ]
        with self.error_banner.showing_why("Can't forget them"):
            await self.outbox.forget_added(entry.entry_id for entry in added)
            were = "was" if len(added) == 1 else "were"
            forgotten = f"{len(added):,} forgotten, which {were} added"
            self.show_remark(forgotten if added else "no entry here was added")

    def action_refresh(self) -> None:
        """Send waiting entries now."""
        self.send_now()

    async def action_close(self) -> None:
        """End the find, close the banner, or go back."""
        if (line := self.prompt.line) is not None:
            await line.undo()
        elif self.entry_table.words:
            self.entry_table.find("")
        elif not self.dismiss_banner():
            self.dismiss()


STATE = "It was sent, and no response says whether it was added."
KEYS = (
    "{look_for} shows the listed animals that it could be  {send_again} sends it again  "
    f"{{edit_copy}} copies it into the {FORM}  {{forget}} forgets it"
)


class UnknownEntryScreen(BoxScreen):
    """Returns the name of the action that was chosen; other keys do nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.ENTRY_BOX,
        look_for="choose('look_for')",
        send_again="choose('send_again')",
        edit_copy="choose('edit_copy')",
        forget="choose('forget')",
        close_entry="dismiss",
    )
    HINT = "{close_entry} Close"

    def __init__(self, glyphs: GlyphSet, entry: Entry, kind: str) -> None:
        title, text = whole_of(entry)
        self._lines, self._kind = StyledLines(glyphs), kind
        content = [self._lines, TextLines(glyphs, " "), TextLines(glyphs, text, title)]
        super().__init__(glyphs, entry.name or "(no name)", content)

    def on_mount(self) -> None:
        """Show what the entry is, and a line for each key; Textual calls the base's handler too."""
        keys = ((hint, "") for hint in hints(KEYS, self))
        self._lines.texts = ((self._kind, "muted"), (STATE, "notice"), *keys)
