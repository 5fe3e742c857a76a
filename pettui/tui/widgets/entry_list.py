"""EntryList: the newest entries of the outbox, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive

from pettui.outbox.entries import Entry, EntryState
from pettui.tui.entry_facts import whole_of
from pettui.tui.widgets.drawn import Drawn, Run, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from pettui.tui.look import Look
    from pettui.tui.widgets.drawn import Section

NAME_CHARACTERS = 60

WORDS = {
    EntryState.WAITING: ("waiting", "muted"),
    EntryState.SENDING: ("sending", "accent"),
    EntryState.ADDED: ("added", "good"),
    EntryState.REFUSED: ("refused", "error"),
    EntryState.UNKNOWN: ("unknown: may have been added", "notice"),
}


def entry_runs(look: Look, entry: Entry) -> list[Run]:
    """Give an entry as sign, id or state, name, and why it is not added."""
    word, style = WORDS[entry.state]
    sign = {
        EntryState.ADDED: look.done,
        EntryState.REFUSED: look.error,
        EntryState.UNKNOWN: look.notice,
    }.get(entry.state, look.waiting)
    runs: list[Run] = [
        (f" {sign} ", style),
        (f"{entry.pet_id} " if entry.pet_id is not None else "", "muted"),
        (look.line(entry.name, NAME_CHARACTERS) or "(no name)", ""),
    ]
    if entry.state is not EntryState.ADDED:
        where = " in another window" if entry.elsewhere else ""
        runs.append((f"  {word}{where}", style))
    if entry.error:
        runs.append((f"  {look.line(entry.error)}", "muted"))
    return runs


class EntryList(Drawn):
    """The newest entry first."""

    entries: reactive[tuple[Entry, ...]] = reactive(())

    def show_entries(self, entries: tuple[Entry, ...]) -> None:
        """Show these, given oldest first."""
        self.entries = entries[::-1]
        self.styles.height = max(len(entries), 1)

    def cut_sections(self) -> list[Section]:
        """Return the whole of the entries that have no room for all of it."""
        return [whole_of(entry) for entry in self.entries if self._is_cut(entry)]

    def _is_cut(self, entry: Entry) -> bool:
        is_named = self.look.has_room(entry.name, self.drawn_width, 1, NAME_CHARACTERS)
        is_told = len(entry.error or "") <= 500 and not entry.error_beginning
        width = width_of(entry_runs(self.look, entry)) + 1
        return not is_named or not is_told or width > self.drawn_width

    def lines(self, width: int) -> Sequence[Sequence[Run]]:  # noqa: ARG002
        """Give the lines."""
        return [entry_runs(self.look, entry) for entry in self.entries]


class EntryTable(EntryList, can_focus=True):
    """The same with a cursor, which stays on its entry."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="entry_up"),
        Binding("down,j", "move(1)", "Down", show=False, id="entry_down"),
        Binding("pageup", "move(-10)", "Page up", show=False, id="entry_page_up"),
        Binding("pagedown,space", "move(10)", "Page down", show=False, id="entry_page_down"),
        Binding("g,home", "move(-1000000)", "Top", show=False, id="entry_top"),
        Binding("G,end", "move(1000000)", "End", show=False, id="entry_end"),
    ]

    cursor: reactive[int] = reactive(0)

    class Highlighted(Message):
        """The cursor stands on another entry."""

    @property
    def highlighted(self) -> Entry | None:
        """Give the entry under the cursor."""
        return self.entries[self.cursor] if self.entries else None

    def highlighted_sections(self) -> list[Section]:
        """Return the whole of the entry under the cursor, where it has no room for all of it."""
        entry = self.highlighted
        return [whole_of(entry)] if entry is not None and self._is_cut(entry) else []

    def show_entries(self, entries: tuple[Entry, ...]) -> None:
        """Show these, given oldest first."""
        before = self.highlighted
        super().show_entries(entries)
        keys = [entry.key for entry in self.entries]
        self.cursor = keys.index(before.key) if before and before.key in keys else self.cursor

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on an entry."""
        return max(0, min(cursor, len(self.entries) - 1))

    def watch_cursor(self) -> None:
        """Keep the cursor in sight."""
        if isinstance(self.parent, VerticalScroll):
            self.parent.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False)
        self.post_message(self.Highlighted())

    def action_move(self, entries: int) -> None:
        """Move the cursor."""
        self.cursor += entries

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the lines, with a sign at the cursor; or say that there is none."""
        if not self.entries:
            return [[("   Nothing was typed yet. What is added on the list comes here.", "muted")]]
        lines = [list(line) for line in super().lines(width)]
        sign = (self.look.cursor, "accent")
        return [
            [sign, *((text, style or "strong") for text, style in line)]
            if place == self.cursor
            else [(" ", ""), *line]
            for place, line in enumerate(lines)
        ]

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the click was."""
        self.cursor = event.y
