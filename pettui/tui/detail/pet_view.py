"""PetView: one animal in full; PetKnown: beside it, what is known of it here."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual.reactive import reactive

from pettui.client import UnreadablePet
from pettui.models.pets import Pet
from pettui.models.statuses import look_of
from pettui.outbox.receipts import Added, Source
from pettui.rows.columns import BESIDE_NAME, CATEGORY, FIELDS, ID, STATUS, Column
from pettui.text.amounts import time_text
from pettui.tui.session.wording import FORM, OUTBOX
from pettui.tui.widgets.appearance import WIDE
from pettui.tui.widgets.coloured_json import json_rows
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing
from pettui.tui.widgets.runs import Run, Section, cut_runs, name_run, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pettui.outbox.entries import Entry
    from pettui.rows.shown import Element
    from pettui.tui.session.session import UserSession


class WantedPet(NamedTuple):
    """An animal of which only the id is known yet."""

    id: int
    status: None = None


class AddedHere(NamedTuple):
    """What the receipt has of an animal, and the entry that it was, if the outbox still has it."""

    added: Added
    entry: Entry | None


NAME_ROWS = 4
TEXT_ROWS = 4
OTHER_ROWS = 6
OTHERS_MAXIMUM = 50
SECTIONS_MAXIMUM = 100
EXCERPT_CHARACTERS = 2000
LARGE_FROM: Final = (46, 24)  # cells of a line and rows of the screen, for status and category
TILE, TILE_SIDE, GAP = 24, 3, 2  # cells of a ground, beside its text, between two
ROOMY: Final = 30  # rows of the screen, from which on there is a blank one between facts
HOW: Final = MappingProxyType(
    {
        Source.FORM.value: f"in the {FORM}",
        Source.PASTE.value: "pasted",
        Source.EARLIER.value: f"from the {OUTBOX}",
        Source.IMPORT.value: "imported",
        Source.COMMAND.value: "with pettui add",
        Source.SERVER.value: "sent by the server",
    }
)


class PetView(CuttingWidget):
    """Name, id, category, status, and whatever else the service sent."""

    LABEL: ClassVar[int] = 12  # cells
    NAMESAKES: ClassVar[int] = 10  # that are listed

    element: reactive[Element | WantedPet | None] = reactive(None, repaint=False)
    source: reactive[str] = reactive("")  # "from the list, 12:01:03"
    remark: reactive[str] = reactive("")  # "no longer there"
    changed: reactive[frozenset[str]] = reactive(frozenset())  # columns that differ from the list

    def __init__(self, session: UserSession, *, id: str) -> None:  # noqa: A002
        super().__init__(session.glyphs, id=id)
        self._session = session
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
        least, height = LARGE_FROM
        is_large = width >= least and self.app.size.height >= height
        fields = (ID,) if is_large else BESIDE_NAME
        return [
            *(self._tiles(pet, width, cut) if is_large else ()),
            *(self._field(column, pet, width, cut) for column in fields),
            *self._others(pet, width, cut),
        ]

    def other_texts(self, pet: Pet) -> Sequence[Section]:
        """Return the fields that are no columns."""
        return [field for field in pet.other_texts.items() if field[0] not in FIELDS]

    # Status and category, large

    def _tiles(self, pet: Pet, width: int, cut: list[Section]) -> list[list[Run]]:
        """Return both, each on a ground of its own, and a blank row."""
        room, look = (width - GAP) // 2, look_of(pet.status)
        tiles: list[tuple[str, str]] = []
        for column, sign, style in (
            (STATUS, f"{self.glyphs.glyph_of(look)} ", look.tile_style),
            (CATEGORY, "", "tile"),
        ):
            mark = self._mark()[0] if column.name in self.changed else ""
            most = room - 2 * TILE_SIDE - cell_len(sign + mark)
            tiles.append((sign + self._text(column, pet, most, cut) + mark, style))
        cells = max(min(TILE, room), *(cell_len(text) + 2 * TILE_SIDE for text, _ in tiles))
        side, (status, category) = " " * TILE_SIDE, (style for _, style in tiles)
        ground = (" " * cells,) * 2
        texts = tuple(self.glyphs.fit(side + text, cells) for text, _ in tiles)
        rows = (
            [(" ", ""), (left, status), (" " * GAP, ""), (right, category)]
            for left, right in (ground, texts, ground)
        )
        return [*rows, []]

    # What the service sent

    def _field(self, column: Column, pet: Pet, width: int, cut: list[Section]) -> list[Run]:
        style = ""
        runs: list[Run] = [(f" {column.titles[0]:<{self.LABEL}}", "muted")]
        if column.look is not None:
            look = column.look(column.value(pet))
            style = look.style
            runs.append((f"{self.glyphs.glyph_of(look)} ", look.sign_style))
        runs.append((self._text(column, pet, width - width_of(runs) + 1, cut), style))
        return [*runs, self._mark()] if column.name in self.changed else runs

    def _text(self, column: Column, pet: Pet, width: int, cut: list[Section]) -> str:
        """Return an animal's text in a column, and add to ``cut`` what of it is not shown."""
        whole = column.line(pet, self._category_name, self.glyphs)
        text = self.glyphs.cut(whole, width)
        texts = column.texts(column.value(pet), self._category_name)
        if text != whole or any(len(each) > column.longest for each in texts):
            cut.append((column.titles[0], " ".join(texts)))
        return text

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
        return self._under("Others", [[(line, "")] for line in lines])

    def _json(self, pet: Pet, width: int) -> list[list[Run]]:
        """Return a blank row and the JSON as it came, where it says what no line of text does.

        That is a value with a structure, and a text that is drawn in another way than it is.
        """
        texts = [pet.name, pet.status or "", *pet.others, *pet.other_texts.values()]
        texts = [each[:EXCERPT_CHARACTERS] for each in texts]
        is_drawn = all(self.glyphs.line(each, EXCERPT_CHARACTERS) == each for each in texts)
        if is_drawn and not any(isinstance(each, dict | list) for each in pet.others.values()):
            return []
        text = pet.to_json()
        is_cut = len(text) > EXCERPT_CHARACTERS
        rows = json_rows(self.glyphs, text[:EXCERPT_CHARACTERS], width - 1, is_cut=is_cut)
        return [[], [(" As it came", "muted")], *([(" ", ""), *row] for row in rows or ())]

    # What is known here

    def _first_seen(self, pet: Pet, width: int) -> list[list[Run]]:
        return self._labelled("First seen", self._session.first_seen_text(pet), width)

    def _same_name(self, pet: Pet, width: int) -> list[list[Run]]:
        """Return the other animals with this name that the list has loaded, in columns."""
        same = self._session.namesakes.of(pet)
        shown = same[: self.NAMESAKES]
        numbers = [str(each.id) for each in shown]
        kinds = [CATEGORY.line(each, self._category_name, self.glyphs) for each in shown]
        words = [self.glyphs.status_word(each.status) for each in shown]
        number, kind = (max(map(cell_len, each), default=0) for each in (numbers, kinds))
        rows: list[list[Run]] = []
        for at, each in enumerate(shown):
            look = look_of(each.status)
            row: list[Run] = [
                (f"{numbers[at]:>{number}}  ", "muted"),
                (self.glyphs.fit(kinds[at], kind), ""),
                (f"  {self.glyphs.glyph_of(look)}", look.sign_style),
                (f" {words[at]}", look.style),
            ]
            rows.append(cut_runs(self.glyphs, row, width - self.LABEL))
        if more := len(same) - len(shown):
            rows.append([(f"{self.glyphs.ellipsis} and {more:,} more", "muted")])
        return self._under("Same name", rows)

    # Rows

    def _labelled(self, label: str, text: str, width: int) -> list[list[Run]]:
        """Return a text beside its label; no row for none."""
        lines = self.glyphs.wrap(text, width - self.LABEL, TEXT_ROWS) if text else []
        return self._under(label, [[(line, "")] for line in lines])

    def _under(self, label: str, rows: Sequence[Sequence[Run]]) -> list[list[Run]]:
        """Return rows behind a label, which stands beside the first one."""
        return [
            [(f" {'' if index else label:<{self.LABEL}}", "muted"), *row]
            for index, row in enumerate(rows)
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


class PetKnown(PetView):
    """When it was first seen and added, what was sent, others with its name, and its JSON."""

    added_here: reactive[AddedHere | None] = reactive(None, layout=True)  # None: that is not known

    def drawing(self, width: int) -> Drawing:
        """Return what is known here; nothing of what is no animal."""
        if not isinstance(self.element, Pet) or width < 3:
            return Drawing(())
        pet, room = self.element, width - 2
        cut: list[Section] = []
        known = (
            self._first_seen(pet, room),
            *self._added(pet, room, cut),
            self._same_name(pet, room),
        )
        facts, json = [*filter(None, known)], self._json(pet, room)
        if not facts and not json:
            return Drawing(())
        columns, height = self.app.size
        is_beside = columns >= WIDE
        rows: list[list[Run]] = [[(" Known here", "title")], []] if is_beside else [[]]
        for index, fact in enumerate(facts):
            rows += [*([[]] if index and is_beside and height >= ROOMY else ()), *fact]
        return Drawing([*rows, *(json if facts else json[1:])], cut)

    def _added(self, pet: Pet, width: int, cut: list[Section]) -> Iterator[list[list[Run]]]:
        """Yield who added the animal, when and how, and what was sent, as the receipt has it."""
        if self.added_here is None:
            return
        (_, at, source, _), entry = self.added_here
        time = time_text(datetime.fromtimestamp(at, UTC), self._session.clock.now())
        how = self.glyphs.line(HOW.get(source, source), 40)
        yield self._under("Added", [[(time, "")], [(f"by you, {how}", "")]])
        if entry is not None:
            sent = Pet(
                id=pet.id, name=entry.name, category_id=entry.category_id, status=entry.status
            )
            name, _ = name_run(self.glyphs, sent.name, EXCERPT_CHARACTERS)
            lines, is_cut = self.glyphs.shown(name, width - self.LABEL, TEXT_ROWS)
            cut += [("Sent", sent.name)] * is_cut
            look = look_of(sent.status)
            kind: list[Run] = [
                (CATEGORY.line(sent, self._category_name, self.glyphs), ""),
                (f" {self.glyphs.dot} ", "muted"),
                (f"{self.glyphs.glyph_of(look)} ", look.sign_style),
                (self.glyphs.status_word(sent.status), look.style),
            ]
            if replace(pet, others={}) != sent:
                kind.append((f"  {self.glyphs.changed} differs", "changed"))
            yield self._under("Sent", [*([(line, "")] for line in lines), kind])
