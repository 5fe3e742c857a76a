"""EntryList: the newest entries of the outbox, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.outbox.entries import Entry, EntryState
from pettui.tui.widgets.drawn import Drawn, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.tui.look import Look

WORDS = {
    EntryState.WAITING: ("waiting", "muted"),
    EntryState.SENDING: ("sending", "accent"),
    EntryState.ADDED: ("added", "good"),
    EntryState.REFUSED: ("refused", "error"),
    EntryState.UNKNOWN: ("unknown: no answer came", "notice"),
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
        (look.line(entry.name, 60) or "(no name)", ""),
    ]
    if entry.state is not EntryState.ADDED:
        runs.append((f"  {word}", style))
    if entry.error:
        runs.append((f"  {look.line(entry.error)}", "muted"))
    return runs


class EntryList(Drawn):
    """As many lines as there is room for, the newest first."""

    entries: reactive[tuple[Entry, ...]] = reactive(())

    def lines(self, width: int) -> Sequence[Sequence[Run]]:  # noqa: ARG002
        """Give the lines."""
        return [entry_runs(self.look, entry) for entry in reversed(self.entries)]
