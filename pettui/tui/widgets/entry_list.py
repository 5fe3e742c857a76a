"""EntryList: the newest entries of the outbox, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.outbox import Entry, EntryState
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.entry_texts import whole_of
from pettui.tui.wording.text_runs import Run, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.tui.look import Look
    from pettui.tui.wording.text_runs import Section

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


class EntryList(LineWidget):
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
