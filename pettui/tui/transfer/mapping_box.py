"""The box that asks what the columns of a file are, and the one that asks what its values mean.

Both show a guess, which nothing is read by before Enter.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual.containers import Vertical

from pettui.keyboard import actions
from pettui.models.statuses import STATUSES, look_of, status_word
from pettui.rows.widths import Width, divided
from pettui.settings.settings import MAPPING_HEADER
from pettui.text.amounts import counted
from pettui.transfer.files import TransferError
from pettui.transfer.mapping import (
    CATEGORY,
    FIELDS,
    NAME,
    OTHERS,
    SKIP,
    STATUS,
    UNDECIDED,
    UNSET,
    ColumnMapping,
    MappingError,
    folded,
    option_values,
    options_of,
)
from pettui.transfer.survey import Column, Survey
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.boxes import StyledLines
from pettui.tui.session.categories import Categories, SeveralFitError
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.row_table import RowTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.binding import BindingType
    from textual.events import Resize

    from pettui.appearance.glyphs import GlyphSet
    from pettui.transfer.mapping import ReadingOptions
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Run

TAKEN: Final = "taken"
MEANINGS: Final = (*FIELDS, None)  # in the order of space
NAME_MOST: Final = 24  # cells of a column's name
NAME_LENGTH: Final = 40  # characters that a saved mapping's name can have
VALUE_MOST: Final = 30  # cells
VALUE_LEAST: Final = 8
IS_LEAST: Final = 14  # cells of what a value means
SHORT_FROM: Final = 20  # rows of the terminal: below, only what is asked stands above the table
SAMPLES_FROM: Final = 56  # cells: below, the samples of the cursor's column stand under the table
AROUND: Final = 8  # rows of a box around those of its table, with its border
TITLES: Final = 2  # lines above the header that are shown
GAP: Final = "  "
EMPTY: Final = "(empty)"
ALL_LINES: Final = "(every line)"
ANY_OTHER: Final = "(any other)"
LEFT_OUT: Final = "left out"
LEAVE_OUT: Final = "-"
"""What is typed for a value whose lines are left out."""


class ColumnTable(RowTable[Column]):
    """One column of the file a row: what it is, its name, and the first values that differ."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.MAPPING_ROWS, moves="mapping_")

    def __init__(self, glyphs: GlyphSet, meaning_of: Callable[[Column], str | None]) -> None:
        super().__init__(glyphs)
        self._meaning_of = meaning_of

    def header(self, width: int) -> Sequence[Run]:
        """Return the titles of the columns."""
        samples = f"{GAP}Values" if width >= SAMPLES_FROM else ""
        title = self.glyphs.fit("Column", self._name_width)
        return [(f"  {'Is':<{self._is_width}}{GAP}{title}{samples}", "table-header")]

    def runs_of(self, row: Column, sign: str, width: int) -> Sequence[Run]:
        """Return what a column is, its name, and samples where they have room."""
        glyphs, meaning = self.glyphs, self._meaning_of(row)
        word = meaning or glyphs.dot
        name = glyphs.fit(glyphs.line(title_of(row), NAME_MOST * 2), self._name_width)
        room = width - 2 - self._is_width - self._name_width - 2 * len(GAP)
        samples = samples_of(glyphs, row) if width >= SAMPLES_FROM else ""
        return [
            (f"{sign} ", ""),
            (f"{word:<{self._is_width}}{GAP}", "accent" if meaning else "muted"),
            (name, "strong" if meaning else ""),
            (f"{GAP}{glyphs.cut(samples, max(room, 0))}", "muted"),
        ]

    @property
    def _name_width(self) -> int:
        widths = (cell_len(self.glyphs.line(title_of(each), NAME_MOST * 2)) for each in self.rows)
        return min(max(widths, default=0), NAME_MOST)

    @property
    def _is_width(self) -> int:
        return max(len(self._meaning_of(each) or "") for each in self.rows) if self.rows else 0


def title_of(column: Column) -> str:
    """Return how a column is called, raw; by its number where it has no name."""
    return column.name or f"(column {column.number})"


def samples_of(glyphs: GlyphSet, column: Column) -> str:
    """Return the first values of a column that differ, safe to draw."""
    shown = (glyphs.line(sample, VALUE_MOST) for sample in column.samples)
    return f" {glyphs.dot} ".join(shown) or "(no values)"


class MappingScreen(BoxScreen):
    """What the columns of a file are: a guess, which is confirmed or changed.

    Returns TAKEN; what was said stands in ``options``, and has no UNDECIDED.
    """

    AUTO_FOCUS = ""
    BOX = Vertical
    HINT = (
        "{take_mapping} Go on  {as_name} Name  {as_category} Category  {as_status} Status  "
        "{view_values} Values  {keep_mapping} Keep  {without_header} No header  "
        "{close_mapping} Close"
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.MAPPING_BOX,
        as_name=f"set_meaning('{NAME}')",
        as_category=f"set_meaning('{CATEGORY}')",
        as_status=f"set_meaning('{STATUS}')",
        close_mapping="dismiss",
    )

    def __init__(
        self,
        session: UserSession,
        file: str,
        survey: Survey,
        read_again: Callable[[ReadingOptions], Survey],
    ) -> None:
        """Show a file's columns.

        Args:
            session: in which mappings and categories are known.
            file: its name, raw.
            survey: of the file, with a guess, before which goes what was kept of its columns.
            read_again: returns the survey with other options; it blocks, and raises TransferError.
        """
        glyphs = session.glyphs
        self._session, self._file = session, file
        self._saved, saved = saved_for(session, survey)
        self.survey, self.options = survey, survey.guess
        if saved is not None:
            self.options = replace(saved, encoding=survey.guess.encoding or saved.encoding)
        self._categories = session.categories
        self._read_again = read_again
        self._confirmed: set[str] = set()  # the fields whose values' meanings the user has seen
        self._heads = StyledLines(glyphs)
        self._samples = StyledLines(glyphs)
        self.table = ColumnTable(glyphs, self.meaning_of)
        super().__init__(glyphs, file, [self._heads, self.table, self._samples])

    def on_mount(self) -> None:
        """Show the columns; Textual calls the base's handler too."""
        self.table.tells_cursor = True
        self._show_columns()
        self.set_focus(self.table)

    def _show_columns(self) -> None:
        columns = self.survey.columns
        first = next((each for each in columns if self.meaning_of(each)), None)
        self.table.put_rows(columns, 0 if first is None else columns.index(first))
        self.box.styles.height = len(columns) + AROUND  # at most what the style sheet has
        self._show_around()

    def on_resize(self, event: Resize) -> None:  # noqa: ARG002 - as the base has it
        """Show what there is room for; Textual calls the base's handler too."""
        self._show_around()

    def on_row_table_highlighted(self) -> None:
        """Show the values of the column under the cursor, too."""
        self._show_around()

    def _show_around(self) -> None:
        survey, glyphs, size = self.survey, self.glyphs, self.app.size
        remarks = [(glyphs.line(remark), "notice") for remark in survey.remarks]
        titles = [
            (f"above: {glyphs.line(title, VALUE_MOST * 2)}", "muted")
            for title in survey.titles[:TITLES]
        ]
        asked = "Which column is what?"
        if self.options.has_header:
            asked += " Nothing is read by a guess."
        is_tall = size.height >= SHORT_FROM
        what = "without a header"
        if survey.is_json:
            what = "whose names are not pettui's own"
        elif self.options.has_header:
            what = "below its header, which is not pettui's own"
        lines = counted(survey.lines, "object" if survey.is_json else "line")
        facts = [*remarks, *titles, (f"{lines} {what}.", "muted")]
        saved = [(f"as it was kept: {self._saved}", "good")] if self._saved else []
        self._heads.texts = [*(facts if is_tall else ()), *saved, (asked, "strong")]
        column = self.table.highlighted
        is_narrow = self.table.size.width < SAMPLES_FROM
        self._samples.texts = (
            [(samples_of(glyphs, column), "muted")] if column is not None and is_narrow else []
        )

    # What a column is

    def meaning_of(self, column: Column) -> str | None:
        """Return what a column is, one of MEANINGS."""
        own = (each for each in FIELDS if column in self.survey.columns_of(self.options, each))
        return next(own, None)

    def action_set_meaning(self, meaning: str) -> None:
        """Say what the column under the cursor is; the same key takes that back."""
        if (column := self.table.highlighted) is not None:
            self._become(column, None if self.meaning_of(column) == meaning else meaning)

    def action_next_meaning(self) -> None:
        """Say that the column under the cursor is the next thing that one can be."""
        if (column := self.table.highlighted) is not None:
            index = MEANINGS.index(self.meaning_of(column)) + 1
            self._become(column, MEANINGS[index % len(MEANINGS)])

    def _become(self, column: Column, meaning: str | None) -> None:
        mapping = self._with_own_columns().with_column(column.reference, meaning)
        before, self.options = self.options, replace(self.options, mapping=mapping)
        for field in (CATEGORY, STATUS):  # what values mean is said of those of one column
            if self.survey.columns_of(before, field) != self.survey.columns_of(self.options, field):
                self._confirmed.discard(field)
                mapping = mapping.with_meanings(field, {})
        self.options = replace(self.options, mapping=mapping)
        self.table.refresh()
        self._show_around()

    def _with_own_columns(self) -> ColumnMapping:
        """Return the mapping in which the columns that are called as ours are named, too.

        Otherwise a column could not be taken from a field: it would be found by its name again.
        """
        mapping = self.options.mapping
        for field in FIELDS:
            for column in self.survey.columns_of(self.options, field):
                if mapping.field_of(column.reference) != field:
                    mapping = mapping.with_column(column.reference, field)
        return mapping

    async def action_without_header(self) -> None:
        """Read the first line as an animal, or as the header again."""
        options = replace(self.survey.guess, has_header=not self.options.has_header)
        options = replace(options, mapping=ColumnMapping(), header_line=None)
        try:
            self.survey = await asyncio.to_thread(self._read_again, options)
        except TransferError as error:
            self.show_remark(self.glyphs.line(str(error)))
            return
        self.options = self.survey.guess
        self._show_columns()

    async def action_keep_mapping(self) -> None:
        """Keep what is said so far under the file's name, for the next file with these columns."""
        keep = self._session.keep_mapping
        if keep is None:
            return
        name, options = mapping_name(self._file), self._decided()
        values = {**option_values(options), MAPPING_HEADER: [*self.survey.header]}
        try:
            await asyncio.to_thread(keep, name, values, self._new_categories(options.mapping))
        except ValueError as error:
            self.show_remark(self.glyphs.line(str(error)))
            return
        self._session.mappings[name] = values
        self.show_remark(f"kept as {name}, for the next file with these columns")

    def _decided(self) -> ReadingOptions:
        return replace(self.options, mapping=self.options.mapping.decided())

    def _new_categories(self, mapping: ColumnMapping) -> dict[int, str]:
        """Return the names that the file has for numbers that the profile does not name."""
        found: dict[int, str] = {}
        for value, meaning in mapping.categories.items():
            if meaning.isdecimal() and value not in ("", OTHERS):
                number = int(meaning)
                if not self._categories.name(number):
                    found.setdefault(number, value)
        return found

    # What values mean, and the end

    def _is_asked(self, field: str) -> bool:
        values = ValuesScreen.rows_of(self.survey, self.options, field, self._categories)
        is_open = any(row.meaning == UNDECIDED and row.is_asked for row in values)
        return is_open or bool(values and field not in self._confirmed)

    def why_not(self, action: str) -> str | None:
        """Return why it does not go on, or there are no values to be shown."""
        if action == "take_mapping" and not self.survey.columns_of(self.options, NAME):
            return "no column is the name yet"
        if action == "keep_mapping" and self._session.keep_mapping is None:
            return "nothing is kept here"
        if action == "without_header" and self.survey.is_json:
            return "objects have no header"
        column = self.table.highlighted
        is_asked = column is not None and self.meaning_of(column) in (CATEGORY, STATUS)
        if action == "view_values" and not is_asked:
            return "only a category's and a status's values are asked about"
        return super().why_not(action)

    async def action_view_values(self) -> None:
        """Ask what the values of the column under the cursor mean."""
        if (column := self.table.highlighted) is not None:
            await self._ask(str(self.meaning_of(column)), goes_on=False)

    async def action_take_mapping(self) -> None:
        """Ask what values mean that do not say it themselves, and close."""
        if asked := [field for field in (CATEGORY, STATUS) if self._is_asked(field)]:
            await self._ask(asked[0], goes_on=True)
        else:
            self.options = self._decided()
            self.dismiss(TAKEN)

    async def _ask(self, field: str, *, goes_on: bool) -> None:
        box = ValuesScreen(self.glyphs, self.survey, self.options, field, self._categories)

        async def answered(result: str | None) -> None:
            self.options = box.options
            if result == TAKEN:
                self._confirmed.add(field)
                if goes_on:
                    await self.action_take_mapping()

        await self.app.push_screen(box, answered)


def saved_for(session: UserSession, survey: Survey) -> tuple[str, ReadingOptions | None]:
    """Return the name of the mapping that was saved for these columns, and what it says."""
    for name, values in {**session.settings.mappings, **session.mappings}.items():
        if survey.header and tuple(values.get(MAPPING_HEADER, ())) == survey.header:
            with suppress(MappingError):  # written by hand; the command says what is wrong
                return name, options_of(values)
    return "", None


def mapping_name(file: str) -> str:
    """Return a name that a mapping can have, as much like a file's as that goes."""
    stem = file.rpartition(".")[0] or file
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:NAME_LENGTH] or "file"


class ValueRow(NamedTuple):
    """A value of category or status."""

    value: str  # as it stands in the file; OTHERS for any other
    lines: int | None  # that have it; None: not counted
    meaning: str  # UNDECIDED, SKIP, UNSET, a status, or a category's number or name

    @property
    def is_for_all(self) -> bool:
        """Whether it is the one category of all lines."""
        return self.value == OTHERS and self.lines is not None

    @property
    def is_asked(self) -> bool:
        """Whether the user has to say what it means."""
        return self.value != OTHERS or self.is_for_all


class ValueTable(RowTable[ValueRow], can_focus=False):
    """One value a row: how often it stands in the file, and what it means."""

    def __init__(self, glyphs: GlyphSet, field: str, categories: Categories) -> None:
        super().__init__(glyphs)
        self._field = field
        self._categories = categories

    def identity(self, row: ValueRow) -> str:
        """Return the value."""
        return row.value

    def runs_of(self, row: ValueRow, sign: str, width: int) -> Sequence[Run]:
        """Return a value, how many lines have it, and what it means."""
        count = "" if row.lines is None else f"{row.lines:,}"
        meaning, style = self._meaning(row)
        value, lines = self._columns(width)
        return [
            (f"{sign} ", ""),
            (self.glyphs.fit(self._shown(row), value), ""),
            (f"{GAP}{count:>{lines}}{GAP}", "muted"),
            (meaning, style),
        ]

    def header(self, width: int) -> Sequence[Run]:
        """Return the titles of the columns."""
        value, lines = self._columns(width)
        title = self.glyphs.fit("Value", value)
        return [(f"  {title}{GAP}{'Lines':>{lines}}{GAP}Is", "table-header")]

    def _columns(self, width: int) -> list[int]:
        """Return the cells of a value and of how many lines have it; the meaning gets the rest."""
        value = max(len("Value"), *(cell_len(self._shown(each)) for each in self.rows), 0)
        lines = max(len("Lines"), *(len(f"{each.lines or 0:,}") for each in self.rows), 0)
        columns = [
            Width(min(value, VALUE_MOST), least={1: VALUE_LEAST}),
            Width(lines, gap=len(GAP)),
            Width(IS_LEAST, gap=len(GAP)),
        ]
        return divided(columns, width - 2)[1][:2]

    def _shown(self, row: ValueRow) -> str:
        words = {"": EMPTY, OTHERS: ANY_OTHER if len(self.rows) > 1 else ALL_LINES}
        return words.get(row.value) or self.glyphs.line(row.value, VALUE_MOST * 2)

    def _meaning(self, row: ValueRow) -> Run:
        if row.meaning == UNDECIDED and not row.is_asked:
            return "as it says", "muted"
        if row.meaning == UNDECIDED:
            return f"{self.glyphs.notice} {UNDECIDED}", "notice"
        if row.meaning == SKIP:
            return LEFT_OUT, "muted"
        if self._field == STATUS:
            status = next((each for each in STATUSES if each == row.meaning), None)
            return self.glyphs.status_text(status, is_worded=True), look_of(status).style
        number = self._categories.number_in(row.meaning)
        label = row.meaning if number is None else self._categories.label(number)
        return self.glyphs.line(label, VALUE_MOST * 2), ""


class ValuesScreen(BoxScreen):
    """What values mean: one is typed, Enter takes it, and the cursor goes to the next one."""

    AUTO_FOCUS = ""
    BOX = Vertical
    HINT = "{take_value} Take  {close_values} Back"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        (*actions.VALUES_BOX, *actions.VALUE_ROWS), moves="value_", close_values="dismiss"
    )

    def __init__(
        self,
        glyphs: GlyphSet,
        survey: Survey,
        options: ReadingOptions,
        field: str,
        categories: Categories,
    ) -> None:
        self.options = options
        self._survey, self._field, self._categories = survey, field, categories
        self._heads = StyledLines(glyphs)
        self._offers = StyledLines(glyphs)
        self.table = ValueTable(glyphs, field, categories)
        placeholder = f"{self._what}, or {LEAVE_OUT} leaves its lines out"
        self.line = FormInput(glyphs, placeholder=placeholder, id="value-line")
        content = [self._heads, self.table, self.line, self._offers]
        super().__init__(glyphs, f"What the {field} is", content)

    @property
    def _what(self) -> str:
        if self._field == STATUS:
            return "a status"
        return "number or name" if self._categories.has_names else "a number"

    @staticmethod
    def rows_of(
        survey: Survey, options: ReadingOptions, field: str, categories: Categories
    ) -> list[ValueRow]:
        """Return the values that mean nothing by themselves, the most frequent first.

        A category that no column has is asked for, once for all lines; a status is not.
        """
        mapping = options.mapping
        known = mapping.meanings(field)
        counts = survey.counts_of(options, field)
        if not survey.columns_of(options, field):
            if field == STATUS:
                return []
            return [ValueRow(OTHERS, survey.lines, mapping.fixed_category or UNDECIDED)]
        meanings = {folded(value): meaning for value, meaning in known.items()}
        bare = replace(options, mapping=mapping.with_meanings(field, {}))
        asked = {} if counts is None else survey.undecided(bare, field, categories.names)
        for value, meaning in known.items():
            if value != OTHERS and meaning != UNDECIDED:
                asked.setdefault(value, (counts or {}).get(value, 0))
        rows = [
            ValueRow(value, None if counts is None else count, meanings.get(folded(value), ""))
            for value, count in asked.items()
        ]
        others = meanings.get(OTHERS, UNDECIDED)
        rows = [row if row.meaning else row._replace(meaning=others) for row in rows]
        is_offered = len(rows) > 1 or counts is None or OTHERS in known
        return [*rows, ValueRow(OTHERS, None, others)] if is_offered else rows

    def on_mount(self) -> None:
        """Show the values; Textual calls the base's handler too."""
        self._show_values(0)
        self.box.styles.height = len(self.table.rows) + AROUND
        self._to_next(0)
        self.set_focus(self.line)
        self.on_input_changed()

    def _rows(self) -> list[ValueRow]:
        return self.rows_of(self._survey, self.options, self._field, self._categories)

    def _show_values(self, cursor: int | None = None) -> None:
        rows = self._rows()
        self.table.put_rows(rows, cursor)
        left = [row for row in rows if row.meaning == UNDECIDED and row.is_asked]
        if any(row.is_for_all for row in rows):
            text = f"No column is the {self._field}: which one do all lines have?"
        elif left:
            lines = counted(sum(row.lines or 0 for row in left), "line")
            text = f"{counted(len(left), 'value')} of {lines} not known yet"
        else:
            text = "Is that right? Enter goes on."
        self._heads.texts = [(text, "notice" if left else "good")]

    def _to_next(self, start: int) -> bool:
        """Go to the next value that means nothing yet; return whether there is one."""
        rows = self.table.rows
        for index in [*range(start, len(rows)), *range(start)]:
            if rows[index].meaning == UNDECIDED and rows[index].is_asked:
                self.table.move_to(index)
                return True
        return False

    def on_input_changed(self) -> None:
        """Show what the letters typed so far could be."""
        self._offers.texts = [(text, "muted") for text in self._offered(self.line.value)]

    def _offered(self, typed: str) -> list[str]:
        if typed.strip() == LEAVE_OUT:
            return ["these lines are left out"]
        if self._field == STATUS:
            return [", ".join(_fitting_statuses(typed))]
        labels = map(self._categories.label, self._categories.matching(typed)[:9])
        return [self.glyphs.line(", ".join(labels))]

    def action_move(self, by: int) -> None:
        """Move among the values: the line has the focus."""
        self.table.action_move(by)

    def action_move_page(self, by: float) -> None:
        """Move by pages."""
        self.table.action_move_page(by)

    def why_not(self, action: str) -> str | None:
        """Return why what is typed is not taken."""
        if action == "take_value":
            row, typed = self.table.highlighted, self.line.value.strip()
            if row is None:
                return None
            if not typed:
                is_open = row.meaning == UNDECIDED and row.is_asked
                return f"type {self._what}, or {LEAVE_OUT}" if is_open else None
            try:
                self._meaning_of(typed)
            except ValueError as error:
                return self.glyphs.line(str(error))
        return super().why_not(action)

    def _meaning_of(self, typed: str) -> str:
        """Return what is typed as a mapping has it; raises ValueError, with words."""
        if typed == LEAVE_OUT:
            return SKIP
        if self._field == CATEGORY:
            return str(self._categories.number_of(typed))
        found = _fitting_statuses(typed)
        if len(found) != 1:
            every = _fitting_statuses("")
            raise SeveralFitError(f"one of {', '.join(every)}")
        return found[0]

    def action_take_value(self) -> None:
        """Take what is typed, and go to the next value; without any left, close."""
        row, typed = self.table.highlighted, self.line.value.strip()
        if row is not None and typed:
            self._take(row.value, self._meaning_of(typed))
            self.line.put("")
            at = self.table.cursor
            self._show_values()
            if not self._to_next(at + 1):
                self.show_remark("all known: Enter goes on")
        elif not self._to_next(self.table.cursor + 1):
            self.dismiss(TAKEN)

    def _take(self, value: str, meaning: str) -> None:
        mapping = self.options.mapping
        if self._field == CATEGORY and not self._survey.columns_of(self.options, CATEGORY):
            mapping = replace(mapping, fixed_category=None if meaning == SKIP else meaning)
        else:
            mapping = mapping.with_meaning(self._field, value, meaning)
        self.options = replace(self.options, mapping=mapping)


def _fitting_statuses(typed: str) -> list[str]:
    """Return the statuses, and UNSET, that begin with what is typed."""
    word = typed.strip().casefold()
    words: Mapping[str, str] = {**{each: each for each in STATUSES}, UNSET: status_word(None)}
    return [each for each, name in words.items() if each.startswith(word) or name.startswith(word)]
