"""Finding: which rows contain the typed words, and where."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from pettui.client import UnreadablePet
from pettui.presentation.rows.folding import CHARACTERS_MAXIMUM, fold, folded_clusters
from pettui.statuses import status_word

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pettui.models import Pet
    from pettui.presentation.rows.row_view import Element

Span: TypeAlias = tuple[int, int]
"""Start and end of a part of a text, in indices of the raw text; never half a grapheme cluster."""

_NOWHERE: Final[tuple[Span, ...]] = ()


@dataclass(frozen=True, slots=True)
class FoldedElement:
    """The searchable texts of a row, folded once."""

    text: str  # name, id, category's number and name, status; one a line: no word spans two
    name: str  # to sort by: white space of any length is one blank


UNREADABLE: Final = FoldedElement("", "")  # contains no word


@dataclass(frozen=True, slots=True)
class Highlights:
    """Where words were found in a row."""

    id: tuple[Span, ...] = _NOWHERE  # in its digits
    name: tuple[Span, ...] = _NOWHERE
    category_id: tuple[Span, ...] = _NOWHERE  # in its digits
    category_name: tuple[Span, ...] = _NOWHERE
    status: tuple[Span, ...] = _NOWHERE  # in its word


NOTHING_FOUND: Final = Highlights()


def folded_pet(pet: Pet, category_name: Callable[[int], str]) -> FoldedElement:
    """Return the folded texts of an animal."""
    name = fold(pet.name)
    status = fold(status_word(pet.status))
    category = fold(category_name(pet.category_id))
    text = f"{name}\n{pet.id}\n{pet.category_id}\n{category}\n{status}"
    return FoldedElement(text, " ".join(name.split()))


def folded_words(typed: str) -> tuple[str, ...]:
    """Return the typed words, folded, each once; a word that folds to nothing is left out."""
    words = typed[:CHARACTERS_MAXIMUM].split()
    return tuple(dict.fromkeys(filter(None, map(fold, words))))


def narrows(words: Collection[str], before: Collection[str]) -> bool:
    """Whether rows that contain these words are among those that contain the earlier ones."""
    return all(any(earlier in word for word in words) for earlier in before)


def matching(
    indexes: Sequence[int], folded: Sequence[FoldedElement], words: Collection[str]
) -> Sequence[int]:
    """Return the indexes whose rows contain all words, in the same order."""
    for word in words:
        indexes = [index for index in indexes if word in folded[index].text]
    return indexes


def highlights(
    element: Element, words: Collection[str], category_name: Callable[[int], str]
) -> Highlights:
    """Return where the folded words are in a row; slow, so only for rows that are drawn."""
    if not words or isinstance(element, UnreadablePet):
        return NOTHING_FOUND
    return Highlights(
        id=found_spans(str(element.id), words),
        name=found_spans(element.name, words),
        category_id=found_spans(str(element.category_id), words),
        category_name=found_spans(category_name(element.category_id), words),
        status=found_spans(status_word(element.status), words),
    )


def found_spans(text: str, words: Collection[str]) -> tuple[Span, ...]:
    """Return where the folded words are in a text, in order; overlapping spans are joined."""
    whole = fold(text)
    if not any(word in whole for word in words):
        return _NOWHERE
    pieces = list(folded_clusters(text))
    starts, length = [], 0  # of the folded clusters in the folded text
    for _, _, folded in pieces:
        starts.append(length)
        length += len(folded)
    spans: list[Span] = []
    for start, end in sorted(_occurrences(whole, words)):
        first = pieces[bisect_right(starts, start) - 1]
        last = pieces[bisect_right(starts, end - 1) - 1]
        if spans and first[0] < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], last[1]))
        else:
            spans.append((first[0], last[1]))
    return tuple(spans)


def _occurrences(text: str, words: Collection[str]) -> Iterator[Span]:
    for word in words:
        start = text.find(word)
        while start >= 0:
            yield start, start + len(word)
            start = text.find(word, start + 1)
