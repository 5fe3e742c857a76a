"""PetView: one animal in full, for the preview pane and the detail screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.reactive import reactive

from pettui.client import UnreadablePet
from pettui.rows.columns import BESIDE_NAME, FIELDS
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing
from pettui.tui.widgets.runs import Run, name_run, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models.pets import Pet
    from pettui.rows.columns import Column
    from pettui.rows.shown import Element
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Section


class WantedPet(NamedTuple):
    """An animal of which only the id is known yet."""

    id: int
    status: None = None


NAME_ROWS = 4
OTHER_ROWS = 6
OTHERS_MAXIMUM = 50
SECTIONS_MAXIMUM = 100
EXCERPT_CHARACTERS = 2000


class PetView(CuttingWidget):
    """Name, id, category, status, and whatever else the service sent."""

    LABEL: ClassVar[int] = 10  # cells

    element: reactive[Element | WantedPet | None] = reactive(None, repaint=False)
    source: reactive[str] = reactive("")  # "from the list, 12:01:03"
    remark: reactive[str] = reactive("")  # "no longer there"
    changed: reactive[frozenset[str]] = reactive(frozenset())  # columns that differ from the list

    def __init__(self, session: UserSession, *, id: str) -> None:  # noqa: A002
        super().__init__(session.glyphs, id=id)
        self._category_name = session.category_name

    def watch_element(self) -> None:
        """Redraw the lines that differ from the previous animal's."""
        if self.display:
            self.refresh_changed_lines()

    def on_show(self) -> None:
        """Draw the current animal."""
        self.refresh()

    def drawing(self, width: int) -> Drawing:
        """Return the fields, one or more rows each, indented by one cell."""
        if self.element is None or width < 3:
            return Drawing(())
        if isinstance(self.element, UnreadablePet):
            return Drawing(self._unreadable(self.element, width - 2))
        cut: list[Section] = []
        if isinstance(self.element, WantedPet):
            rows: list[list[Run]] = [[(f" Animal {self.element.id}", "title")]]
        else:
            rows = self._pet(self.element, width - 2, cut)
        if self.remark:
            rows += [[], [(f" {self.glyphs.notice} ", "notice"), (self.remark, "notice")]]
        if self.source:
            rows += [[], [(" ", ""), (self.glyphs.cut(self.source, width - 2), "muted")]]
        return Drawing(rows, cut[:SECTIONS_MAXIMUM])

    def _pet(self, pet: Pet, width: int, cut: list[Section]) -> list[list[Run]]:
        """Return the rows of an animal, and add to ``cut`` what they do not show whole."""
        lines, is_cut = self.glyphs.shown(pet.name, width, NAME_ROWS, EXCERPT_CHARACTERS)
        cut += [("Name", pet.name)] * is_cut
        name, style = name_run(self.glyphs, pet.name, EXCERPT_CHARACTERS)
        rows: list[list[Run]] = [
            [(" ", ""), (line, style or "title")] for line in ([name] if style else lines)
        ]
        if "name" in self.changed:
            rows[-1].append(self._mark())
        return [*rows, [], *self.facts(pet, width, cut)]

    def facts(self, pet: Pet, width: int, cut: list[Section]) -> list[list[Run]]:
        """Return what stands below the name, and add to ``cut`` what is not shown whole."""
        fields = [self._field(column, pet, width, cut) for column in BESIDE_NAME]
        return [*fields, *self._others(pet, width, cut)]

    def other_texts(self, pet: Pet) -> Sequence[Section]:
        """Return the fields that are no columns."""
        return [field for field in pet.other_texts.items() if field[0] not in FIELDS]

    def _field(self, column: Column, pet: Pet, width: int, cut: list[Section]) -> list[Run]:
        value, style = column.value(pet), ""
        runs: list[Run] = [(f" {column.titles[0]:<{self.LABEL}}", "muted")]
        if column.look is not None:
            look = column.look(value)
            style = look.style
            runs.append((f"{self.glyphs.glyph_of(look)} ", look.sign_style))
        whole = column.line(pet, self._category_name, self.glyphs)
        text = self.glyphs.cut(whole, width - width_of(runs) + 1)
        runs.append((text, style))
        texts = column.texts(value, self._category_name)
        if text != whole or any(len(each) > column.longest for each in texts):
            cut.append((column.titles[0], " ".join(texts)))
        return [*runs, self._mark()] if column.name in self.changed else runs

    def _mark(self) -> Run:
        return (f"  {self.glyphs.changed} changed", "changed")

    def _others(self, pet: Pet, width: int, cut: list[Section]) -> list[list[Run]]:
        """Return the fields that are no columns."""
        others = self.other_texts(pet)
        lines: list[str] = []
        for name, text in others[:OTHERS_MAXIMUM]:
            rows, is_cut = self.glyphs.shown(
                f"{name}: {text}", width - self.LABEL, OTHER_ROWS, EXCERPT_CHARACTERS
            )
            lines += rows
            cut += [(name, text)] * is_cut
        if beyond := others[OTHERS_MAXIMUM:]:
            lines += self.glyphs.wrap(f"{len(beyond)} more fields", width - self.LABEL, OTHER_ROWS)
            cut += beyond
        return [
            [(f" {'' if index else 'Others':<{self.LABEL}}", "muted"), (line, "")]
            for index, line in enumerate(lines)
        ]

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
