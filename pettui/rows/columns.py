"""The columns of an animal, from left to right: each is declared here, and nowhere else.

The table, its header and widths, find and sort, the preview, what ``pettui list`` shows on a
terminal and the words of ``--sort`` follow from COLUMNS; what programs read does not. What the
interface does not know of an animal can be a column, too: ``Pet.others`` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from sys import maxsize
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pettui.models.pets import PetStatus, shown
from pettui.models.statuses import WIDEST_WORD, Look, look_of, status_word
from pettui.text.folding import fold, natural_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import Pet

    CategoryName: TypeAlias = Callable[[int], str]  # the profile's; "" for none
    Key: TypeAlias = tuple[int, str, str]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Column:
    """A column: what it shows of an animal, how that is found and sorted, and its width."""

    name: str  # to sort by; its beginning is enough to find by
    titles: tuple[str, ...]  # over the column, and shorter ones for less room
    field: str  # in the interface
    value: Callable[[Pet], Any]
    texts: Callable[[Any, CategoryName], tuple[str, ...]]  # of a value, as people see it; raw
    sort_key: Callable[[Any, FoldedPet], Key | None]  # of a value; without one it comes last
    folded: Callable[[FoldedPet], str] | None = None  # its texts, where they are kept folded
    least: int = 1  # cells of the widest first text
    cut_to: int | None = None  # cells, before other columns are cut; None: it is shown whole
    usual: int  # cells at least, where there is room for all the texts
    longest: int = 500  # characters of a text, more of which are cut
    widest: int = maxsize  # cells of glyph and texts, more of which are cut
    all_from: int = 0  # cells of the screen; below it only the glyph or the first text is shown
    is_number: bool = False  # find compares it
    is_at_right: bool = False
    style: str = ""
    look: Callable[[Any], Look] | None = None  # of a value: its own style, and a glyph before it
    empty: str = ""  # in place of no text

    def line(self, pet: Pet, category_name: CategoryName, glyphs: GlyphSet) -> str:
        """Return the texts of an animal on one line, safe to draw."""
        texts = self.texts(self.value(pet), category_name)
        lines = (glyphs.line(text, self.longest) for text in texts)
        return " ".join(filter(None, lines)) or self.empty


class FoldedPet(NamedTuple):
    """The texts of an animal, folded once."""

    text: str  # all of them, one a line: no word spans two
    name: str  # to find in: white space of any length is one blank
    sort_name: str  # to sort by: numbers as people count


def folded_pet(pet: Pet, category_name: CategoryName) -> FoldedPet:
    """Return the folded texts of an animal."""
    name = fold(pet.name)
    texts = (
        fold(text)
        for column in BESIDE_NAME
        for text in column.texts(column.value(pet), category_name)
    )
    in_line = " ".join(name.split())
    return FoldedPet("\n".join((name, *texts)), in_line, natural_key(in_line))


def _number_key(number: int, _: FoldedPet) -> Key:
    return number, "", ""


def _name_key(name: str, folded: FoldedPet) -> Key | None:
    """Return None for a name of white space only: it is shown as no name."""
    return (0, folded.sort_name, name) if folded.name or name.strip() else None


_STATUSES: Final[Mapping[str, Key]] = MappingProxyType(
    {status: (index, "", "") for index, status in enumerate(PetStatus)}
)


def _status_key(status: str | None, _: FoldedPet) -> Key | None:
    """Return the key of a status: the interface's in its order, then unknown ones by text."""
    if status is None:
        return None
    return _STATUSES.get(status) or (len(_STATUSES), fold(status), status)


ID: Final = Column(
    name="id",
    titles=("Id",),
    field="id",
    value=attrgetter("id"),
    texts=lambda number, _: (str(number),),
    sort_key=_number_key,
    least=3,
    usual=4,
    is_number=True,
    is_at_right=True,
    style="muted",
)
NAME: Final = Column(
    name="name",
    titles=("Name",),
    field="name",
    value=attrgetter("name"),
    texts=lambda name, _: (name,),
    sort_key=_name_key,
    folded=attrgetter("name"),
    least=8,
    cut_to=8,
    usual=8,
    empty="(no name)",
)
CATEGORY: Final = Column(
    name="category",
    titles=("Category", "Cat"),
    field="categoryId",
    value=attrgetter("category_id"),
    texts=lambda number, category_name: (str(number), category_name(number)),
    sort_key=_number_key,
    least=3,
    cut_to=len("7 Small pets"),
    usual=len("Category ▲"),
    is_number=True,
    all_from=80,
    style="muted",
)
STATUS: Final = Column(
    name="status",
    titles=("Status",),
    field="status",
    value=attrgetter("status"),
    texts=lambda status, _: (status_word(status),),
    sort_key=_status_key,
    usual=2 + WIDEST_WORD,
    longest=40,
    widest=16,  # of a status that this version does not know
    all_from=60,
    look=look_of,
)
COLUMNS: Final = (ID, NAME, CATEGORY, STATUS)
BESIDE_NAME: Final = tuple(column for column in COLUMNS if column is not NAME)
FIELDS: Final = frozenset(column.field for column in COLUMNS)


def field_column(name: str) -> Column:
    """Return a column for a field that the interface does not know; rows are not sorted by it."""
    return Column(
        name=name,
        titles=(name,),
        field=name,
        value=lambda pet: shown(pet.others[name]) if name in pet.others else "",
        texts=lambda text, _: (text,),
        sort_key=lambda _, __: None,
        usual=len(name),
        style="muted",
    )


def column_named(name: str | None) -> Column | None:
    """Return a column by its name; None for another one."""
    return next((column for column in COLUMNS if column.name == name), None)
