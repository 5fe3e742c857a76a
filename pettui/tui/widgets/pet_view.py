"""PetView: one animal in full, for the preview pane and the detail screen."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.client import UnreadablePet
from pettui.columns import BESIDE_NAME, FIELDS
from pettui.tui.lists.listing import WantedPet
from pettui.tui.runs import Run, name_run, width_of
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.columns import Column
    from pettui.glyphs import GlyphSet
    from pettui.models import Pet
    from pettui.rows import Element
    from pettui.tui.runs import Section

LABEL = 10  # cells
GLYPH = 2  # cells
NAME_ROWS = 4
OTHER_ROWS = 6
OTHERS_MAXIMUM = 50
SECTIONS_MAXIMUM = 100
EXCERPT_CHARACTERS = 2000


class PetView(LineWidget):
    """Name, id, category, status, and whatever else the service sent."""

    element: reactive[Element | WantedPet | None] = reactive(None, repaint=False)
    source: reactive[str] = reactive("")  # "from the list, 12:01:03"
    remark: reactive[str] = reactive("")  # "no longer there"
    changed: reactive[frozenset[str]] = reactive(frozenset())  # columns that differ from the list

    def __init__(
        self,
        glyphs: GlyphSet,
        category_name: Callable[[int], str],
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(glyphs, id=id)
        self._category_name = category_name

    def watch_element(self) -> None:
        """Redraw the lines that differ from the previous animal's."""
        if self.display:
            self.refresh_changed_lines()

    def on_show(self) -> None:
        """Draw the current animal."""
        self.refresh()

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the fields, one or more rows each, indented by one cell."""
        if self.element is None or width < 3:
            return []
        if isinstance(self.element, UnreadablePet):
            return self._unreadable(self.element, width - 2)
        if isinstance(self.element, WantedPet):
            rows = [[(f" Animal {self.element.id}", "title")]]
        else:
            rows = self._pet(self.element, width - 2)
        if self.remark:
            rows += [[], [(f" {self.glyphs.notice} ", "notice"), (self.remark, "notice")]]
        if self.source:
            rows += [[], [(" ", ""), (self.glyphs.cut(self.source, width - 2), "muted")]]
        return rows

    def cut_sections(self) -> list[Section]:
        """Return the full text of the fields that are cut."""
        pet = self.element
        if pet is None or isinstance(pet, UnreadablePet | WantedPet):
            return []
        width, glyphs = self.drawn_width - 2, self.glyphs
        name_is_whole = glyphs.has_room(pet.name, width, NAME_ROWS, EXCERPT_CHARACTERS)
        cut = [("Name", pet.name)] * (not name_is_whole)
        for column in BESIDE_NAME:
            text = " ".join(column.texts(column.value(pet), self._category_name))
            if not glyphs.has_room(text, width - LABEL - GLYPH, 1):
                cut.append((column.titles[0], text))
        others = [
            (name, text)
            for index, (name, text) in enumerate(self._other_texts(pet).items())
            if index >= OTHERS_MAXIMUM or not self._other_has_room(name, text, width)
        ]
        return [*cut, *others[:SECTIONS_MAXIMUM]]

    def _other_has_room(self, name: str, text: str, width: int) -> bool:
        whole = f"{name}: {text}"
        return self.glyphs.has_room(whole, width - LABEL, OTHER_ROWS, EXCERPT_CHARACTERS)

    def _pet(self, pet: Pet, width: int) -> list[list[Run]]:
        glyphs = self.glyphs
        name, style = name_run(glyphs, pet.name, EXCERPT_CHARACTERS)
        rows: list[list[Run]] = [
            [(" ", ""), (line, style or "title")] for line in glyphs.wrap(name, width, NAME_ROWS)
        ]
        if "name" in self.changed:
            rows[-1].append(self._mark())
        rows.append([])
        rows += [self._field(column, pet, width) for column in BESIDE_NAME]
        rows += self._others(pet, width)
        return rows

    def _field(self, column: Column, pet: Pet, width: int) -> list[Run]:
        runs: list[Run] = [(f" {column.titles[0]:<{LABEL}}", "muted")]
        style = ""
        if column.look is not None:
            look = column.look(column.value(pet))
            style = look.style
            runs.append((f"{self.glyphs.glyph_of(look)} ", look.sign_style))
        text = column.line(pet, self._category_name, self.glyphs)
        runs.append((self.glyphs.cut(text, width - width_of(runs) + 1), style))
        return [*runs, self._mark()] if column.name in self.changed else runs

    def _mark(self) -> Run:
        return (f"  {self.glyphs.changed} changed", "changed")

    def _others(self, pet: Pet, width: int) -> list[list[Run]]:
        others = self._other_texts(pet)
        texts = [self._other(name, others[name]) for name in islice(others, OTHERS_MAXIMUM)]
        if len(others) > OTHERS_MAXIMUM:
            texts.append(f"{len(others) - OTHERS_MAXIMUM} more fields")
        room = width - LABEL
        lines = [line for text in texts for line in self.glyphs.wrap(text, room, OTHER_ROWS)]
        return [
            [(f" {'' if index else 'Others':<{LABEL}}", "muted"), (line, "")]
            for index, line in enumerate(lines)
        ]

    def _other_texts(self, pet: Pet) -> dict[str, str]:
        """Return the texts of the fields that are no columns."""
        return {name: text for name, text in pet.other_texts.items() if name not in FIELDS}

    def _other(self, name: str, text: str) -> str:
        return self.glyphs.line(f"{name}: {text}", EXCERPT_CHARACTERS)

    def _unreadable(self, unreadable: UnreadablePet, width: int) -> list[list[Run]]:
        glyphs = self.glyphs
        texts = [
            (f"Row {unreadable.index + 1} is not an animal", "error", 2),
            (glyphs.line(unreadable.reason), "", 4),
            ("", "", 1),
            (glyphs.line(unreadable.excerpt, EXCERPT_CHARACTERS), "muted", 12),
        ]
        return [
            [(" ", ""), (line, style)]
            for text, style, rows in texts
            for line in glyphs.wrap(text, width, rows)
        ]
