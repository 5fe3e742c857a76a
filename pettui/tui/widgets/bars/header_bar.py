"""HeaderBar: which store this is, in words and colour, and the age of what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.reactive import reactive

from pettui.tui.widgets.line_widget import Bar
from pettui.tui.wording.text_runs import GAP, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.glyphs import GlyphSet
    from pettui.settings import Profile


SPINNER_WIDTH = 2  # cells
LOCATION_MINIMUM = 8  # cells of the store's name, which matters more than the duration


class HeaderBar(Bar):
    """The first row of every screen."""

    age: reactive[str] = reactive("")  # of what is shown: "12:01:03 · 38 ms"
    staged: reactive[tuple[str, ...]] = reactive(())  # a word for each fault staged in a demo
    spinner: reactive[str] = reactive("")  # its current frame; "" while nothing loads

    def __init__(self, glyphs: GlyphSet, profile: Profile, location: str, title: str = "") -> None:
        super().__init__(glyphs)
        self._label = f" {glyphs.line(profile.label, 24)} "
        self._colour = f"label-{profile.colour}"
        self._location = glyphs.line(location, 200)
        self._title = title

    def left(self) -> Sequence[Run]:
        """Return label, faults, title and location; with little room the location is cut first."""
        runs: list[Run] = [(self._label, self._colour), (" ", "")]
        if faults := self._faults:
            runs += [(f" {faults} ", "label-yellow"), (" ", "")]
        if self._title:
            runs += [(f"{self._title}  ", "strong")]
        return [*runs, (self._location, "muted")]

    def right(self) -> Sequence[Run]:
        """Return the spinner and as much of the age as leaves room for label and location."""
        age = f"as of {self.age}" if self.age else ""
        title = f"{self._title}  " if self._title else ""
        faults = f" {self._faults}  " if self.staged else ""
        room = self.drawn_width - cell_len(self._label + title + faults) - GAP - SPINNER_WIDTH
        if age and room < cell_len(age) + LOCATION_MINIMUM:
            age = age.partition(f" {self.glyphs.dot}")[0]
        if cell_len(age) > room:
            age = self.age.partition(" ")[0]
        return [
            (f"{self.spinner} " if self.spinner else "", "accent"),
            (f"{age} " if age else "", "muted"),
        ]

    @property
    def _faults(self) -> str:
        """The staged faults, or how many if they left no room for title, location and age."""
        if not self.staged:
            return ""
        text = f"staged: {', '.join(self.staged)}"
        title = f"{self._title}  " if self._title else ""
        others = cell_len(f"{self._label}{title}{self.age.partition(' ')[0]}")
        room = self.drawn_width - others - LOCATION_MINIMUM - GAP - SPINNER_WIDTH
        has_room = cell_len(f" {text}  ") <= room
        return text if has_room or len(self.staged) == 1 else f"{len(self.staged)} faults"
