"""The line of a find: what a row must contain, or must not.

``status:sold cat:3 -rex id>50 "two words"``: words in any text, or in a column's texts, which its
name or the beginning of that names; numbers are compared. A ``-`` before a term leaves its rows
out. What stands in quotation marks, and all that is none of this, is plain text. So is what only
folding would make a field or a hyphen.
"""

from __future__ import annotations

import operator
import re
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.rows.columns import CATEGORY, COLUMNS
from pettui.text.folding import CHARACTERS_MAXIMUM, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pettui.rows.columns import CategoryName, Column

_ABBREVIATION: Final = 2  # letters of a column's name at least
_FIELDS: Final = MappingProxyType(
    {
        column.name[:length]: column
        for column in reversed(COLUMNS)  # of two that begin alike, the first is meant
        for length in range(_ABBREVIATION, len(column.name) + 1)
    }
    | {column.field.lower(): column for column in COLUMNS}  # as commands head their output
)
_NUMBERS: Final = (name for name, column in _FIELDS.items() if column.is_number)
# With the number before the value; of two that begin alike, the longer one is first.
_COMPARISONS: Final = MappingProxyType(
    {">=": operator.le, "<=": operator.ge, ">": operator.lt, "<": operator.gt}
)
_TERM: Final = (
    r"(?=\S)(?P<minus>-(?=\S))?"
    rf"(?:(?P<field>(?ai:{'|'.join(_FIELDS)})):"
    rf"|(?P<number>(?ai:{'|'.join(_NUMBERS)}))"
    rf"(?P<compared>{'|'.join(_COMPARISONS)})(?=-?[0-9]*(?:\s|$)))?"
    r'(?:"(?P<quoted>[^"]*)"?|(?P<bare>\S*))'
)
_NUMBER: Final = r"-?[0-9]+"


class Term(NamedTuple):
    """What a row must contain or, excluded, must not."""

    text: str  # folded; "" for a number
    column: Column | None = None  # None for any text of the row
    compared: str = ""  # how, with the number; "" for equal to it
    number: int = 0
    is_excluded: bool = False

    def test(self, category_name: CategoryName) -> Callable[[Any], bool]:
        """Return what says whether a value of the term's column is meant, excluded or not."""
        column, text = self.column, self.text
        if column is None or not text:
            compares = partial(_COMPARISONS.get(self.compared, operator.eq), self.number)
            return lambda value: value is not None and compares(value)
        contains = cache(lambda texts: any(text in fold(each) for each in texts))
        return lambda value: contains(column.texts(value, category_name))


def terms_of(typed: str) -> tuple[Term, ...]:
    """Return the terms of a line, each once; what folds to nothing, or has no value, is none."""
    terms = map(_term, re.finditer(_TERM, typed[:CHARACTERS_MAXIMUM]))
    return tuple(dict.fromkeys(term for term in terms if term is not None))


def words_in(terms: Collection[Term], column: Column) -> tuple[str, ...]:
    """Return the folded words that are looked for in the texts of a column."""
    shown = (term for term in terms if not term.is_excluded and term.column in (None, column))
    return tuple(term.text for term in shown if term.text)


def toggled_category(typed: str, category_id: int | None) -> str:
    """Return a line that finds a category besides, or without it if it is looked for already.

    None is all of them: a line without any.
    """
    terms: list[str] = []
    is_there = False
    for found in re.finditer(_TERM, typed[:CHARACTERS_MAXIMUM]):
        term = _term(found) or Term("")
        is_category = term == Term("", CATEGORY, number=term.number)
        if is_category and category_id in (None, term.number):
            is_there = True
        else:
            terms.append(found[0])
    if not is_there and category_id is not None:
        terms.append(f"{CATEGORY.name[:3]}:{category_id}")
    return " ".join(terms)


def _term(found: re.Match[str]) -> Term | None:
    name, compared = found["field"] or found["number"] or "", found["compared"] or ""
    column, is_excluded = _FIELDS.get(name.lower()), found["minus"] is not None
    bare = found["bare"] or ""
    if column is not None and column.is_number and re.fullmatch(_NUMBER, bare):
        return Term("", column, compared, int(bare), is_excluded)
    text = "" if compared else fold(found["quoted"] or bare)
    # The texts of a row stand one on a line: what is looked for never spans two.
    return Term(text.replace("\n", " "), column, is_excluded=is_excluded) if text.strip() else None
