"""EntryList: the newest entries of the outbox, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.outbox import Entry, EntryState
from pettui.statuses import look_of
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.entry_texts import seconds_text, whole_of
from pettui.tui.wording.text_runs import Run, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.timer import Timer

    from pettui.presentation.glyphs import GlyphSet
    from pettui.tui.wording.text_runs import Section

EMPTY = ("   Animals that you add appear here.", "muted")
NAME_CHARACTERS = 60
CATEGORY_CHARACTERS = 30

WORDS = {
    EntryState.WAITING: ("waiting", "muted"),
    EntryState.SENDING: ("sending", "accent"),
    EntryState.ADDED: ("added", "good"),
    EntryState.REFUSED: ("refused", "error"),
    EntryState.UNKNOWN: ("unknown", "notice"),
}


def entry_runs(glyphs: GlyphSet, entry: Entry, goes_in: float = 0.0) -> list[Run]:
    """Return sign, id, name and state of an entry, and why it was not added.

    Args:
        glyphs: of the terminal.
        entry: of the outbox.
        goes_in: seconds until it is sent.
    """
    word, style = WORDS[entry.state]
    sign = {
        EntryState.ADDED: glyphs.done,
        EntryState.REFUSED: glyphs.error,
        EntryState.UNKNOWN: glyphs.notice,
    }.get(entry.state, glyphs.waiting)
    runs: list[Run] = [
        (f" {sign} ", style),
        (f"{entry.pet_id} " if entry.pet_id is not None else "", "muted"),
        (glyphs.line(entry.name, NAME_CHARACTERS) or "(no name)", ""),
    ]
    if entry.state is not EntryState.ADDED:
        where = " in another window" if entry.owned_elsewhere else ""
        left = f" {glyphs.dot} {seconds_text(goes_in)}" if goes_in > 0 else ""
        may_be = ": may have been added" if entry.state is EntryState.UNKNOWN else ""
        runs.append((f"  {word}{where}{may_be}{left}", style))
    if entry.error:
        runs.append((f"  {glyphs.line(entry.error)}", "muted"))
    return runs


class EntryList(LineWidget):
    """The newest entry first, with a countdown beside those that can be taken back."""

    entries: reactive[tuple[Entry, ...]] = reactive(())

    def __init__(
        self, glyphs: GlyphSet, goes_in: Callable[[Entry], float], category: Callable[[int], str]
    ) -> None:
        """Show no entries yet.

        Args:
            glyphs: of the terminal.
            goes_in: returns the seconds until an entry is sent.
            category: returns the number and name of a category, raw.
        """
        super().__init__(glyphs)
        self._goes_in = goes_in
        self._category = category
        self._hint = ""  # beside the newest entry that waits
        self._counting: Timer | None = None

    def show_entries(self, entries: tuple[Entry, ...], hint: str) -> None:
        """Show entries, given oldest first, and a hint beside the newest one waiting here."""
        self._hint = hint
        self.entries = entries[::-1]
        self.styles.height = max(len(entries), 1)
        self.refresh_changed_lines()
        self._count_down()

    def cut_sections(self) -> list[Section]:
        """Return the full texts of the entries that are cut."""
        return [whole_of(entry) for entry in self.entries if self._is_cut(entry)]

    def _is_cut(self, entry: Entry) -> bool:
        is_name_whole = self.glyphs.has_room(entry.name, self.drawn_width, 1, NAME_CHARACTERS)
        is_error_whole = len(entry.error or "") <= 500 and not entry.error_excerpt
        width = width_of(entry_runs(self.glyphs, entry)) + 1
        return not is_name_whole or not is_error_whole or width > self.drawn_width

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines; category, status and hint go if there is no room."""
        if not self.entries:
            return [[EMPTY]]
        hinted = next((entry for entry in self.entries if entry.waits_here), None)
        drawn = []
        for entry in self.entries:
            runs = entry_runs(self.glyphs, entry, self._goes_in(entry))
            more = self._kind_runs(entry) if entry.state is EntryState.ADDED else []
            if entry is hinted and self._hint:
                more = [(f" {self.glyphs.dot} {self._hint}", "muted")]
            drawn.append([*runs, *more] if width_of((*runs, *more)) <= width else runs)
        return drawn

    def _kind_runs(self, entry: Entry) -> list[Run]:
        """Return category and status of an added entry."""
        status = f"{self.glyphs.status_glyph(entry.status)} {self.glyphs.status_word(entry.status)}"
        category = self.glyphs.line(self._category(entry.category_id), CATEGORY_CHARACTERS)
        return [(f"  {category}", "muted"), (f"  {status}", look_of(entry.status).style)]

    def _count_down(self) -> None:
        """Redraw the countdowns each time that one of them changes."""
        if self._counting is not None:
            self._counting.stop()
            self._counting = None
        remaining = [seconds for entry in self.entries if (seconds := self._goes_in(entry)) > 0]
        if remaining:
            self._counting = self.set_timer(min(each % 1 or 1 for each in remaining), self._counted)

    def _counted(self) -> None:
        self.refresh_changed_lines()
        self._count_down()
