"""A survey of a file: its columns, what stands in them how often, and a guess what they are.

Nothing is read by a guess. It is what a user sees of a file whose columns are not called as an
export calls them, and confirms or changes.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.models.statuses import STATUSES
from pettui.text.folding import fold
from pettui.text.safe import safe
from pettui.transfer.files import TransferError, failure
from pettui.transfer.mapping import (
    CATEGORY,
    FIELDS,
    NAME,
    NO_COLUMN,
    OTHERS,
    POSITIONS,
    STATUS,
    UNDECIDED,
    MappingError,
    ReadingOptions,
    column_reference,
    columns_by_field,
    folded,
    own_columns,
    repeated_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


SAMPLES: Final = 3  # values of a column that are shown
VALUES: Final = 200  # different ones of a column that are counted
_LONG: Final = 200  # characters; no value of a category or a status has more
_SEARCHED: Final = 20  # first records, in which the header is
_SHOWN: Final = 120  # characters of a line
_GUESSED: Final = 20  # values that a guess names


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a CSV, or a member of the objects of JSON."""

    number: int  # from 1
    name: str  # as it is called in the file; "" without a name
    reference: str  # how a mapping names it
    samples: tuple[str, ...]  # the first values that differ
    filled: int  # lines in which it has a value
    # How often each value stands there, "" for none; None where there are more than VALUES.
    values: Mapping[str, int] | None


@dataclass(frozen=True, slots=True)
class Survey:
    """What is in a file, before it is said what it means."""

    columns: tuple[Column, ...]
    lines: int  # that are no header, nor above it
    first: str  # the first line, or the first object's names
    titles: tuple[str, ...]  # the lines above the header
    guess: ReadingOptions  # with what was said already; UNDECIDED where a value means nothing
    digest: str  # of the text; ``check_import`` says where it is another one by then
    is_json: bool = False  # columns are members of objects, and there is no header
    remarks: tuple[str, ...] = ()  # on the file, such as which sheet it is of; not yet safe to draw

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns: files of the same program have the same."""
        return tuple(column.name for column in self.columns)

    @property
    def has_positions(self) -> bool:
        """Whether columns without names may be name, category and status, one after the other.

        They are not where the first one has numbers alone, such as ids: then only the user knows.
        """
        return bool(self.columns) and _are_names(self.columns[0])

    def columns_of(self, options: ReadingOptions, field: str) -> tuple[Column, ...]:
        """Return the columns of a field: those that are said, or else those that are called so."""
        header, own = self.header, own_columns(self.header)
        if not options.has_header:
            header = tuple(str(column.number) for column in self.columns)
            own = dict(POSITIONS) if self.has_positions else dict.fromkeys(FIELDS)
        try:
            names, category, status = columns_by_field(header, options.mapping, own)
        except MappingError:  # of a file with other columns
            return ()
        found = {NAME: names, CATEGORY: (category,), STATUS: (status,)}[field]
        return tuple(column for column in self.columns if column.number - 1 in found)

    def counts_of(self, options: ReadingOptions, field: str) -> Mapping[str, int] | None:
        """Return how often each value of category or status stands in the file.

        None where there are too many of them; empty where no column has any.
        """
        found = self.columns_of(options, field)
        return found[0].values if found else MappingProxyType({})

    def undecided(
        self, options: ReadingOptions, field: str, categories: Mapping[int, str]
    ) -> dict[str, int]:
        """Return the values of category or status that mean nothing yet, the most frequent first.

        Args:
            options: as they are so far.
            field: CATEGORY or STATUS.
            categories: the profile's names by number.
        """
        mapping = options.mapping
        known = {folded(value): meaning for value, meaning in mapping.meanings(field).items()}
        default = known.get(OTHERS, UNDECIDED)
        means_something = _understood(field, categories)
        counts = self.counts_of(options, field) or {}
        found = {
            value: count
            for value, count in counts.items()
            if known.get(folded(value), default) == UNDECIDED
            and (folded(value) in known or not means_something(value))
        }
        return dict(sorted(found.items(), key=lambda item: -item[1]))


class UnmappedError(TransferError):
    """No header or option says what columns are; nothing is read by their position."""

    def __init__(self, name: str, reason: str, survey: Survey) -> None:
        """Keep what is in the file, for the user, who can name them."""
        super().__init__(f"{failure('read', name, reason)}: {safe(survey.first, _SHOWN)}", reason)
        self.reason = reason
        self.survey = survey


# What is in the columns


@dataclass(slots=True)
class _Counting:
    """The values of a column so far."""

    samples: dict[str, str] = field(default_factory=dict)  # folded → as it stands there
    counts: Counter[str] | None = field(default_factory=Counter)
    filled: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, value: str) -> None:
        if value:
            self.filled += 1
            if len(self.samples) < SAMPLES:
                self.samples.setdefault(folded(value[:_LONG]), value[:_LONG])
        if self.counts is not None:
            self.counts[value] += 1
            if len(self.counts) > VALUES or len(value) > _LONG:
                self.counts = None


def survey_of(
    rows: Iterable[Sequence[str]],
    header: Sequence[str],
    options: ReadingOptions,
    categories: Mapping[int, str],
    *,
    first: str,
    titles: Sequence[str] = (),
    digest: str = "",
    is_named: bool = True,
    is_json: bool = False,
) -> Survey:
    """Return the survey of a file's rows.

    Args:
        rows: of cells below the header.
        header: the names of the columns, which may be fewer than cells.
        options: what is said already, and goes before any guess.
        categories: the profile's names by number.
        first: the first line of the file.
        titles: the lines above the header.
        digest: of the text.
        is_named: whether columns are called by these names, and not by numbers alone.
        is_json: whether they are members of objects, which have no numbers.
    """
    counting: list[_Counting] = [_Counting() for _ in header]
    count = 0
    for count, cells in enumerate(rows, start=1):
        more = len(cells) - len(counting)
        counting += [_Counting(counts=Counter([""] * (count - 1))) for _ in range(more)]
        for each, cell in zip(counting, cells, strict=False):
            each.add(cell.strip())
        for each in counting[len(cells) :]:
            each.add("")
    names = [header[index].strip() if index < len(header) else "" for index in range(len(counting))]
    columns = tuple(
        Column(
            index + 1,
            name,
            name if is_json else column_reference(index, names) if is_named else str(index + 1),
            tuple(each.samples.values()),
            each.filled,
            None if each.counts is None else MappingProxyType(_by_fold(each.counts)),
        )
        for index, (name, each) in enumerate(zip(names, counting, strict=True))
    )
    survey = Survey(columns, count, first[:_SHOWN], tuple(titles), options, digest, is_json)
    return replace(survey, guess=_guess(survey, options, categories))


def _by_fold(counts: Counter[str]) -> dict[str, int]:
    """Return counts in which values that differ in case and blanks are one."""
    spelling: dict[str, str] = {}
    found: Counter[str] = Counter()
    for value, count in counts.items():
        found[spelling.setdefault(folded(value), value)] += count
    return dict(found)


def header_index(records: Sequence[Sequence[str]]) -> int:
    """Return which of the first records is most likely the header: titles may stand above it."""
    filled = [sum(bool(cell.strip()) for cell in cells) for cells in records[:_SEARCHED]]
    if not filled:
        return 0
    fields = [
        sum(any(_likeness(cell, each) for cell in cells) for each in FIELDS)
        for cells in records[:_SEARCHED]
    ]
    # A title is one cell, or a few; a header has about as many as the rows below it.
    most = max(filled)
    likely = [index for index, count in enumerate(filled) if 2 * count > most]
    return max(likely, key=lambda index: (fields[index], -index))


def seems_an_animal(cells: Sequence[str], categories: Mapping[int, str]) -> bool:
    """Whether a record seems to be an animal, and no header: it has numbers, or a known value."""
    if any(_likeness(cell, field) for cell in cells for field in FIELDS):
        return False
    known = {folded(name) for name in categories.values()} | set(STATUSES)
    return any(_DIGITS.fullmatch(cell.strip()) or folded(cell) in known for cell in cells)


# A guess


_DIGITS: Final = re.compile(r"[+-]?[0-9][0-9.,:/ -]*")
_WORD: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# What columns are called in en, de, fr, es, it, pt, nl, pl, el, da and sk, without accents.
_TABLE: Final = """\
name     | category species type kind             | status state outcome availability
rufname  | kategorie tierart gattung              | zustand verfugbarkeit
nom      | categorie espece                       | statut etat disponibilite
nombre   | categoria especie tipo                 | estado situacion disponibilidad
nome     | specie                                 | stato disponibilita
         |                                        | situacao disponibilidade
naam     | soort diersoort                        | toestand beschikbaarheid
imie nazwa | gatunek kategoria rodzaj             | stan dostepnosc
ονομα    | ειδος κατηγορια                        | κατασταση διαθεσιμοτητα
navn     | kategori dyreart                       | tilstand tilgaengelighed
meno nazov | druh                                 | stav dostupnost
"""
_WORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        field: frozenset(
            word.casefold() for row in _TABLE.splitlines() for word in row.split("|")[index].split()
        )
        for index, field in enumerate(FIELDS)
    }
)
_OF_OTHERS: Final = frozenset(
    (
        *("owner", "besitzer", "halter", "proprietaire", "dueno", "proprietario", "eigenaar"),
        *("wlasciciel", "majitel", "breed", "race", "rasse", "raza", "razza", "ras", "rasa"),
        *("street", "city", "shelter", "file", "user", "contact", "date", "sex", "sexe"),
        *("gender", "geschlecht", "sexo", "sesso", "age", "color", "colour"),
    )
)
"""In the name of a column these say that it is of something else."""
_COMPOUND: Final = "name"
_LEAST: Final = 4  # letters of a word that a longer one ends with
_TOTALS: Final = frozenset(
    (
        *("total", "totals", "subtotal", "grand total", "sum", "summe", "gesamt", "gesamtsumme"),
        *("insgesamt", "zwischensumme", "somme", "total general", "suma", "totale", "soma"),
        *("totaal", "subtotaal", "razem", "ogolem", "συνολο", "i alt", "ialt", "spolu", "celkom"),
    )
)


def is_total(name: str) -> bool:
    """Whether a name is a word for a total, as stands below a list."""
    return fold(name).strip(" :.=") in _TOTALS


def _likeness(header: str, field: str) -> int:
    """Return how much a column's name is one of a field; 0 for not at all."""
    words = _WORD.findall(fold(_CAMEL.sub(" ", header.strip()[:_SHOWN])))
    known = _WORDS[field]
    if not words or not _OF_OTHERS.isdisjoint(words):
        return 0
    matching = [word for word in words if word in known]
    if len(words) == 1 and matching:
        return 6
    if matching:
        of_animals = not _ANIMALS.isdisjoint(words)
        return 3 + of_animals + (words[-1] in matching)
    if field == NAME:  # Hundename, HundenameText
        return int(any(_COMPOUND in word for word in words))
    return int(any(words[-1].endswith(word) for word in known if len(word) >= _LEAST))


_ANIMALS: Final = frozenset({"animal", "pet", "dog", "tier", "dier", "zwierze", "ζωου", "dyr"})


def _guess(
    survey: Survey, options: ReadingOptions, categories: Mapping[int, str]
) -> ReadingOptions:
    """Return options with a guess for what they, and the columns' own names, do not say."""
    mapping = options.mapping
    taken = {each.number for wanted in FIELDS for each in _sure(survey, options, wanted)}
    free = [column for column in survey.columns if column.number not in taken]
    for wanted in (STATUS, NAME, CATEGORY):  # what is told by values first
        is_none = wanted == STATUS and mapping.status is not None
        is_fixed = wanted == CATEGORY and mapping.fixed_category is not None
        if is_none or is_fixed or _sure(survey, options, wanted):
            continue
        chances = [(_chance(column, wanted, categories), column) for column in free]
        chance, best = max(chances, key=itemgetter(0), default=(0, None))
        if best is None or chance <= 0:
            continue
        free.remove(best)
        is_at_its_place = best.number == FIELDS.index(wanted) + 1 and survey.has_positions
        if options.has_header or not is_at_its_place:
            mapping = mapping.with_column(best.reference, wanted)
    if not (options.has_header or survey.has_positions) and mapping.status is None:
        mapping = replace(mapping, status=NO_COLUMN)
    options = replace(options, mapping=mapping)
    for wanted in (CATEGORY, STATUS):
        undecided = filter(None, survey.undecided(options, wanted, categories))
        for value in islice(undecided, _GUESSED):
            meaning = _meaning(value, categories) if wanted == CATEGORY else UNDECIDED
            mapping = mapping.with_meaning(wanted, value, meaning)
    return replace(options, mapping=mapping)


def _sure(survey: Survey, options: ReadingOptions, field: str) -> tuple[Column, ...]:
    """Return the columns of a field that need not be guessed."""
    is_mapped = bool(options.mapping.columns_of(field))
    is_named = options.has_header and repeated_name(survey.header) is None
    return survey.columns_of(options, field) if is_mapped or is_named else ()


def _chance(column: Column, field: str, categories: Mapping[int, str]) -> float:
    """Return how likely a column is a field; 0 or less for not at all."""
    if not column.filled:
        return 0
    named = _likeness(column.name, field)
    if field == NAME:
        return named if _are_names(column) else 0
    if column.values is None:  # as many different ones as names
        return 0
    share = sum(
        count
        for value, count in column.values.items()
        if value and not _DIGITS.fullmatch(value) and _tells(value, field, categories)
    )
    by_values = 10 if 2 * share >= column.filled else 0
    return named + by_values


def _are_names(column: Column) -> bool:
    return any(not _DIGITS.fullmatch(sample) for sample in column.samples)


def _tells(value: str, field: str, categories: Mapping[int, str]) -> bool:
    """Whether a value tells that its column is this field: Dog does, where Dogs are a category."""
    if field == CATEGORY and _meaning(value, categories) != UNDECIDED:
        return True
    return _understood(field, categories)(value)


def _understood(field: str, categories: Mapping[int, str]) -> Callable[[str], bool]:
    """Return what says whether a value means something by itself."""
    if field == STATUS:
        return lambda value: not value or value.strip().lower() in STATUSES
    names = {folded(name) for name in categories.values()}
    return lambda value: bool(_DIGITS.fullmatch(value)) or folded(value) in names


def _meaning(value: str, categories: Mapping[int, str]) -> str:
    """Return the category that a value seems to be: the profile may name it in the plural."""
    known = {folded(name): name for name in categories.values()}
    word = folded(value)
    forms = (f"{word}s", f"{word}es", word.removesuffix("s"), f"{word.removesuffix('y')}ies")
    return next((known[each] for each in forms if each in known), UNDECIDED)
