"""HeaderBar: which store this is, in words and colour, and the age of what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.reactive import reactive

from pettui.tui.widgets.line_widget import Bar
from pettui.tui.wording.text_runs import GAP, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.presentation.glyphs import GlyphSet
    from pettui.settings import Profile


SPINNER_WIDTH = 2  # cells
LOCATION_MINIMUM = 8  # cells of the store's name, which matters more than the duration


class HeaderBar(Bar):
    """The first row of every screen."""

    age: reactive[str] = reactive("")  # of what is shown: "12:01:03 · 38 ms"
    staged: reactive[str] = reactive("")  # faults that are staged in a demo
    spinner: reactive[str] = reactive("")  # its current frame; "" while nothing loads

    def __init__(self, glyphs: GlyphSet, profile: Profile, location: str, title: str = "") -> None:
        super().__init__(glyphs)
        self._label = f" {glyphs.line(profile.label, 24)} "
        self._colour = f"label-{profile.colour}"
        self._location = glyphs.line(location, 200)
        self._title = title

    def left(self) -> Sequence[Run]:
        """Return label, title and location; with little room the location is cut first."""
        runs: list[Run] = [(self._label, self._colour), (" ", "")]
        if self.staged:
            runs += [(f" {self.staged} ", "label-yellow"), (" ", "")]
        if self._title:
            runs += [(f"{self._title}  ", "strong")]
        return [*runs, (self._location, "muted")]

    def right(self) -> Sequence[Run]:
        """Return the spinner and as much of the age as leaves room for label and location."""
        age = f"as of {self.age}" if self.age else ""
        title = f"{self._title}  " if self._title else ""
        staged = f" {self.staged}  " if self.staged else ""
        room = self.drawn_width - cell_len(self._label + title + staged) - GAP - SPINNER_WIDTH
        if age and room < cell_len(age) + LOCATION_MINIMUM:
            age = age.partition(f" {self.glyphs.dot}")[0]
        if cell_len(age) > room:
            age = self.age.partition(" ")[0]
        return [
            (f"{self.spinner} " if self.spinner else "", "accent"),
            (f"{age} " if age else "", "muted"),
        ]
