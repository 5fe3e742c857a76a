"""PastedLines: a list of animals that were pasted or are in a file, bad lines first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, overload

from rich.cells import cell_len

from pettui.statuses import WIDEST_WORD, look_of
from pettui.text import counted
from pettui.transfer.lines import CATEGORY, MISSING, BadLine, GoodLine
from pettui.tui.runs import Run, name_run
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pettui.glyphs import GlyphSet
    from pettui.models import NewPet
    from pettui.transfer.lines import ImportLine
    from pettui.tui.lists.categories import Categories
    from pettui.tui.runs import Section

NAME_MOST = 40  # cells
NAME_LEAST = 8
TEXT_CHARACTERS = 80  # of bad lines
TEXTS = 10  # bad lines that are quoted
CATEGORY_MOST = 20
WORDED_FROM = 48  # cells
SIGN = 2  # cells
GAP = "  "
ADVICE = "go back, enter their category, and paste again"


@dataclass(frozen=True, slots=True)
class _Columns:
    """The cells of each column."""

    number: int
    name: int
    category: int
    is_worded: bool  # statuses with their words


class PastedLines(LineWidget):
    """Lists every line; only those in sight are drawn."""

    def __init__(
        self,
        glyphs: GlyphSet,
        lines: Sequence[ImportLine],
        texts: Mapping[int, str],
        categories: Categories,
        is_known: Callable[[NewPet], bool],
    ) -> None:
        """List the lines.

        Args:
            glyphs: of the terminal.
            lines: in the order of the paste.
            texts: of the bad lines, by number; raw.
            categories: of the profile.
            is_known: whether an animal of this name and category exists already.
        """
        super().__init__(glyphs)
        self._texts = texts
        self._categories = categories
        self._is_known = is_known
        self.refusal = ""  # why they could not be added; raw
        self.show_lines(lines)

    def show_lines(self, lines: Sequence[ImportLine]) -> None:
        """Show these lines instead."""
        self.bad = [line for line in lines if isinstance(line, BadLine)]
        self._faults = _by_reason(self.bad)
        self.good = [line for line in lines if isinstance(line, GoodLine)]
        self.pets = [line.new_pet for line in self.good]
        self._known = {index for index, pet in enumerate(self.pets) if self._is_known(pet)}
        names = (cell_len(self._name_of(pet)[0]) for pet in self.pets)
        labels = (cell_len(self._label_of(pet)) for pet in self.pets)
        self._name_width = min(max(names, default=0), NAME_MOST)
        self._label_width = min(max(labels, default=0), CATEGORY_MOST)
        self.refresh(layout=True)

    def show_refusal(self, reason: str) -> None:
        """Show above the lines why they could not be added."""
        self.refusal = reason
        self.refresh(layout=True)

    @property
    def summary(self) -> str:
        """How many animals there are, and in how many categories."""
        count = len(self.pets)
        animals = counted(count)
        used = Counter(pet.category_id for pet in self.pets)
        if len(used) == 1:
            return f"{animals} in category {self._categories.label(self.pets[0].category_id)}"
        return f"{animals} in {len(used)} categories" if used else "no animal"

    def _heads(self, width: int) -> list[list[Run]]:
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
        if any(line.field == CATEGORY and line.reason == MISSING for line in self.bad):
            texts.append((f"{glyphs.notice} {ADVICE}", "notice"))
        if self._known:
            verb = "is" if len(self._known) == 1 else "are"
            texts.append((f"{glyphs.notice} {len(self._known):,} {verb} already listed", "notice"))
        heads = [[(row, style)] for text, style in texts for row in wrap(text, width, 4)]
        return [*heads, []]

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines; each is built when it is drawn."""
        columns = self._columns(width)
        row = partial(self._row, columns=columns)
        return _Rows(self._heads(width), len(self._faults), len(self.good), self._bad_row, row)

    def _columns(self, width: int) -> _Columns:
        """Divide the width; the name gets what the other columns leave."""
        number = max((len(str(_number(line))) for line in self.good[-1:]), default=1)
        is_worded = width >= WORDED_FROM
        status = 2 + WIDEST_WORD if is_worded else 1
        room = width - SIGN - number - self._label_width - status - 3 * len(GAP)
        name = min(self._name_width, max(room, NAME_LEAST))
        return _Columns(number, name, self._label_width, is_worded)

    def cut_sections(self) -> list[Section]:
        """Return the summary; the lines themselves are scrolled."""
        return [("Animals", self.summary)]

    def _bad_row(self, index: int) -> list[Run]:
        line, *others = self._faults[index]
        reason = self.glyphs.line(f"{line.field} {line.reason}".strip())
        numbers = [each.position.line for each in self._faults[index][:TEXTS]]
        texts = f" {self.glyphs.dot} ".join(self._texts.get(number, "") for number in numbers)
        text = self.glyphs.line(texts, TEXT_CHARACTERS)
        more = f" and {len(others):,} more" if others else ""
        label = f"{self.glyphs.error} {line.position.label}{more}{GAP}"
        return [(label, "error"), (f"{reason}{GAP}", ""), (text, "muted")]

    def _row(self, index: int, *, columns: _Columns) -> list[Run]:
        line, glyphs = self.good[index], self.glyphs
        pet = line.new_pet
        sign = glyphs.notice if index in self._known else ""
        name, style = self._name_of(pet)
        status = glyphs.status_glyph(pet.status)
        if columns.is_worded:
            status = f"{status} {glyphs.status_word(pet.status)}"
        return [
            (glyphs.fit(sign, SIGN), "notice"),
            (f"{_number(line):>{columns.number}}{GAP}", "muted"),
            (glyphs.fit(name, columns.name), style),
            (f"{GAP}{glyphs.fit(self._label_of(pet), columns.category)}{GAP}", "muted"),
            (status, look_of(pet.status).style),
        ]

    def _name_of(self, pet: NewPet) -> Run:
        return name_run(self.glyphs, pet.name, NAME_MOST * 2)

    def _label_of(self, pet: NewPet) -> str:
        return self.glyphs.line(self._categories.label(pet.category_id), CATEGORY_MOST * 2)


def _number(line: GoodLine) -> int:
    return line.position.element or line.position.line


def _by_reason(lines: Iterable[BadLine]) -> list[list[BadLine]]:
    """Return the lines with the same error together: it is shown once."""
    found: defaultdict[tuple[str, str], list[BadLine]] = defaultdict(list)
    for line in lines:
        found[line.field, line.reason].append(line)
    return [*found.values()]


class _Rows(Sequence[Sequence[Run]]):
    """The summary, then the bad lines, then the animals."""

    def __init__(
        self,
        heads: Sequence[Sequence[Run]],
        bad: int,
        good: int,
        bad_row: Callable[[int], Sequence[Run]],
        row: Callable[[int], Sequence[Run]],
    ) -> None:
        self._heads = heads
        self._bad = bad
        self._good = good
        self._bad_row = bad_row
        self._row = row

    def __len__(self) -> int:
        return len(self._heads) + self._bad + self._good

    @overload
    def __getitem__(self, index: int) -> Sequence[Run]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Run]]: ...
    def __getitem__(self, index: int | slice) -> Sequence[Run] | Sequence[Sequence[Run]]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if index < len(self._heads):
            return self._heads[index]
        index -= len(self._heads)
        return self._bad_row(index) if index < self._bad else self._row(index - self._bad)
