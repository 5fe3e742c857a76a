"""HeaderBar: which store this is, in words and colour, and how old what is shown is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.reactive import reactive

from pettui.tui.widgets.line_widget import Bar
from pettui.tui.wording.text_runs import GAP, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.settings import Profile
    from pettui.tui.look import Look


SPINNER = 2  # cells
PLACE_MINIMUM = 8  # cells of the store's name, which tells more than how long an answer took


class HeaderBar(Bar):
    """The first row of every screen."""

    age: reactive[str] = reactive("")  # of what is shown: "12:01:03 · 38 ms"
    staged: reactive[str] = reactive("")  # what goes wrong in a demo since somebody said so
    waiting: reactive[str] = reactive("")  # the spinner's present frame; "" at rest

    def __init__(self, look: Look, profile: Profile, place: str, title: str = "") -> None:
        super().__init__(look)
        self._label = f" {look.line(profile.label, 24)} "
        self._colour = f"label-{profile.colour}"
        self._place = look.line(place, 200)
        self._title = title

    def left(self) -> Sequence[Run]:
        """Give label and place; the title is what stays of it where there is no room."""
        runs: list[Run] = [(self._label, self._colour), (" ", "")]
        if self.staged:
            runs += [(f" {self.staged} ", "label-yellow"), (" ", "")]
        if self._title:
            runs += [(f"{self._title}  ", "strong")]
        return [*runs, (self._place, "muted")]

    def right(self) -> Sequence[Run]:
        """Give the spinner and the age, as much of it as leaves room for label and place."""
        age = f"as of {self.age}" if self.age else ""
        title = f"{self._title}  " if self._title else ""
        staged = f" {self.staged}  " if self.staged else ""
        room = self.drawn_width - cell_len(self._label + title + staged) - GAP - SPINNER
        if age and room < cell_len(age) + PLACE_MINIMUM:
            age = age.partition(f" {self.look.dot}")[0]
        if cell_len(age) > room:
            age = self.age.partition(" ")[0]
        return [
            (f"{self.waiting} " if self.waiting else "", "accent"),
            (f"{age} " if age else "", "muted"),
        ]
