"""PastedLines: a list of animals that were pasted or are in a file, bad lines first."""

from __future__ import annotations

import csv
from collections import Counter
from io import StringIO
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.reactive import reactive

from pettui.models.statuses import WIDEST_WORD, look_of
from pettui.rows.widths import Width, divided
from pettui.text.amounts import counted
from pettui.transfer.lines import BadLine, GoodLine, ImportLine, Position, by_reason
from pettui.transfer.mapping import CATEGORY, ReadingOptions
from pettui.transfer.meaning import MISSING
from pettui.tui.transfer.paste_reading import texts_of
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.runs import Run, name_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from textual.geometry import Region, Size
    from textual.strip import Strip

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import NewPet
    from pettui.tui.session.categories import Categories

TEXT_CHARACTERS = 80  # of bad lines
TEXTS = 10  # bad lines that are quoted
SIGN = 2  # cells
LEFT_OUT = ReadingOptions(delimiter="\t", has_header=False)
ADVICE = "type the category of those without one above"


class PastedLines(LineWidget):
    """Lists every line; only those in sight are built."""

    refusal: reactive[str] = reactive("", layout=True)  # why they could not be added; raw
    # Categories that match what is typed for those without one
    offers: reactive[str] = reactive("", layout=True)
    _heads: Sequence[Sequence[Run]]  # for the width that is drawn

    def __init__(
        self,
        glyphs: GlyphSet,
        lines: Sequence[ImportLine],
        categories: Categories,
        known: Mapping[tuple[str, int], str],
        text: str = "",
        *,
        are_alike: bool = False,
    ) -> None:
        """List the lines.

        Args:
            glyphs: of the terminal.
            lines: in the order of the paste.
            categories: of the profile.
            known: where animals are already, in words, by name and category.
            text: what was pasted, from which bad lines are quoted; raw.
            are_alike: they are meant to be: none is another one's twin.
        """
        super().__init__(glyphs)
        self.categories = categories
        self._known = known
        self._are_alike = are_alike
        self._text = text
        self._texts = texts_of(text, [line for line in lines if isinstance(line, BadLine)])
        self.show_lines(lines)

    def show_lines(self, lines: Sequence[ImportLine]) -> None:
        """Show these lines instead."""
        self.bad = [line for line in lines if isinstance(line, BadLine)]
        self._faults = by_reason(self.bad)
        self.good = [line for line in lines if isinstance(line, GoodLine)]
        self.pets = [line.new_pet for line in self.good]
        self._twins = self._find_twins()
        self._columns = LineColumns(self.glyphs, self.categories, self.good)
        self.refresh(layout=True)

    def _find_twins(self) -> dict[Position, str]:
        """Return where the lines are that are there already: another line, the list, the outbox."""
        seen: set[tuple[str, int]] = set()
        twins = {}
        for line in self.good:
            key = line.new_pet.name, line.new_pet.category_id
            if (place := self._known.get(key, "")) or (key in seen and not self._are_alike):
                twins[line.position] = place
            seen.add(key)
        return twins

    @property
    def twins(self) -> Sequence[GoodLine]:
        """The lines that are there already."""
        return [line for line in self.good if line.position in self._twins]

    def text_of(self, lines: Iterable[ImportLine]) -> str:
        """Return lines as they can be pasted again, read as LEFT_OUT."""
        lines = [*lines]
        texts = texts_of(self._text, [line for line in lines if isinstance(line, BadLine)])
        rows = StringIO()
        writer = csv.writer(rows, delimiter="\t", lineterminator="\n")
        for line in lines:
            if isinstance(line, GoodLine):
                pet = line.new_pet
                writer.writerow((pet.name, pet.category_id, pet.status or ""))
            elif line.cells:
                writer.writerow(line.cells)
            else:
                rows.write(f"{texts.get(line.position.line, '')}\n")
        return rows.getvalue()

    @property
    def summary(self) -> str:
        """How many animals there are, and in how many categories."""
        return pets_summary(self.pets, self.categories)

    def _heads_for(self, width: int) -> list[list[Run]]:
        wrap, glyphs = self.glyphs.wrap, self.glyphs
        texts = [(f"{glyphs.error} {glyphs.line(self.refusal)}", "error")] if self.refusal else []
        texts.append((glyphs.line(self.summary), "strong"))
        if self.bad:
            wrong = (
                "1 line has an error"
                if len(self.bad) == 1
                else f"{len(self.bad):,} lines have errors"
            )
            texts.append((f"{glyphs.error} {wrong}", "error"))
        if any(map(lacks_category, self.bad)):
            texts.append((f"{glyphs.notice} {ADVICE}", "notice"))
        if self.offers:
            texts.append((self.offers, "muted"))
        for place, count in Counter(self._twins.values()).items():
            one, many = ("is", "are") if place else ("stands", "stand")
            where = f"already {place}" if place else "here twice"
            verb = one if count == 1 else many
            texts.append((f"{glyphs.notice} {count:,} {verb} {where}", "notice"))
        heads = [[(row, style)] for text, style in texts for row in wrap(text, width, 4)]
        return [*heads, []]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the number of lines."""
        return len(self._heads_for(width)) + len(self._faults) + len(self.good)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines in sight; no other is built."""
        self._heads = self._heads_for(self.size.width)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw a line: of the summary, then a bad one, then an animal."""
        bad = y - len(self._heads)
        good = bad - len(self._faults)
        if bad < 0:
            runs = self._heads[y]
        elif good < 0:
            runs = self._bad_row(bad)
        else:
            runs = self._row(good) if good < len(self.good) else []
        return self.strip(runs, self.size.width, self.rich_style)

    def _bad_row(self, index: int) -> list[Run]:
        line, *others = self._faults[index].lines
        reason = self.glyphs.line(line.sentence)
        numbers = [each.position.line for each in self._faults[index].lines[:TEXTS]]
        texts = f" {self.glyphs.dot} ".join(self._texts.get(number, "") for number in numbers)
        text = self.glyphs.line(texts, TEXT_CHARACTERS)
        more = f" and {len(others):,} more" if others else ""
        label = f"{self.glyphs.error} {line.position.label}{more}{GAP}"
        return [(label, "error"), (f"{reason}{GAP}", ""), (text, "muted")]

    def _row(self, index: int) -> list[Run]:
        line = self.good[index]
        sign = self.glyphs.notice if line.position in self._twins else ""
        runs = self._columns.runs(line, self.size.width - SIGN)
        return [(self.glyphs.fit(sign, SIGN), "notice"), *runs]


def pets_summary(pets: Sequence[NewPet], categories: Categories) -> str:
    """Return how many animals there are, and in how many categories; raw."""
    used = Counter(pet.category_id for pet in pets)
    if len(used) == 1:
        return f"{counted(len(pets))} in category {categories.label(pets[0].category_id)}"
    return f"{counted(len(pets))} in {len(used)} categories" if used else "no animal"


def lacks_category(line: ImportLine) -> bool:
    """Whether a line is bad since it has no category."""
    return isinstance(line, BadLine) and (line.field, line.reason) == (CATEGORY, MISSING)


NAME_MOST: Final = 40  # cells
NAME_LEAST: Final = 8
CATEGORY_MOST: Final = 20
WORDED_FROM: Final = 48  # cells: below, a status is its glyph alone
GAP: Final = "  "


class LineColumns:
    """The cells that columns need for these lines."""

    def __init__(self, glyphs: GlyphSet, categories: Categories, lines: Sequence[GoodLine]) -> None:
        self._glyphs, self._categories = glyphs, categories
        pets = [line.new_pet for line in lines]
        self._number = max((len(str(line.position.number)) for line in lines), default=1)
        self._name = min(max((cell_len(self._named(pet)[0]) for pet in pets), default=0), NAME_MOST)
        labels = (cell_len(self._label(pet)) for pet in pets)
        self._category = min(max(labels, default=0), CATEGORY_MOST)

    def runs(self, line: GoodLine, width: int, *, is_muted: bool = False) -> list[Run]:
        """Return a line in so many cells at most, where they are not too few."""
        glyphs, pet, is_worded = self._glyphs, line.new_pet, width >= WORDED_FROM
        status_width = 2 + WIDEST_WORD if is_worded else 1
        around = self._number + status_width + 3 * len(GAP)
        columns = (Width(self._name, least={1: NAME_LEAST}), Width(self._category, least={2: 0}))
        _, (name_width, category_width) = divided(columns, width - around)
        name, style = self._named(pet)
        status = glyphs.status_text(pet.status, is_worded=is_worded)
        return [
            (f"{line.position.number:>{self._number}}{GAP}", "muted"),
            (glyphs.fit(name, name_width), "muted" if is_muted else style),
            (f"{GAP}{glyphs.fit(self._label(pet), category_width)}{GAP}", "muted"),
            (glyphs.fit(status, status_width), look_of(pet.status).style),
        ]

    def _named(self, pet: NewPet) -> Run:
        return name_run(self._glyphs, pet.name, NAME_MOST * 2)

    def _label(self, pet: NewPet) -> str:
        return self._glyphs.line(self._categories.label(pet.category_id), CATEGORY_MOST * 2)
