"""Finding: words as typed → which texts hold them, and where."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from pettui.client import UnreadablePet
from pettui.tui.look import NOT_SET
from pettui.tui.rows.folding import CHARACTERS_MAXIMUM, fold, folded_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pettui.models import Pet
    from pettui.tui.rows.row_view import Element

Span: TypeAlias = tuple[int, int]
"""Start and end of a part of a text, in indices of the text as it came; never half a cluster."""

_NOWHERE: Final[tuple[Span, ...]] = ()


@dataclass(frozen=True, slots=True)
class FoldedElement:
    """The texts of a row that words are looked for in, folded once."""

    text: str  # name, id, category's number and name, status; a line each: no word has a break
    name: str  # to sort by: white space is one blank


UNREADABLE: Final = FoldedElement("", "")  # holds no word


@dataclass(frozen=True, slots=True)
class Highlights:
    """Where words were found in the texts of a row."""

    id: tuple[Span, ...] = _NOWHERE  # in its digits
    name: tuple[Span, ...] = _NOWHERE
    category_id: tuple[Span, ...] = _NOWHERE  # in its digits
    category_name: tuple[Span, ...] = _NOWHERE
    status: tuple[Span, ...] = _NOWHERE  # in its word


NOTHING_FOUND: Final = Highlights()


def status_text(pet: Pet) -> str:
    """Return the status in a word: as sent, where it was sent."""
    return NOT_SET if pet.status is None else str(pet.status)


def folded_pet(pet: Pet, category_name: Callable[[int], str]) -> FoldedElement:
    """Return the folded texts of an animal."""
    name = fold(pet.name)
    status = NOT_SET if pet.status is None else fold(pet.status)
    category = fold(category_name(pet.category_id))
    text = f"{name}\n{pet.id}\n{pet.category_id}\n{category}\n{status}"
    return FoldedElement(text, " ".join(name.split()))


def folded_words(typed: str) -> tuple[str, ...]:
    """Return the words that were typed, each once; what folds to nothing is not looked for."""
    words = typed[:CHARACTERS_MAXIMUM].split()
    return tuple(dict.fromkeys(filter(None, map(fold, words))))


def narrows(words: Collection[str], before: Collection[str]) -> bool:
    """Whether rows that hold these words are among those that held the ones before."""
    return all(any(earlier in word for word in words) for earlier in before)


def matching(
    indexes: Sequence[int], folded: Sequence[FoldedElement], words: Collection[str]
) -> Sequence[int]:
    """Return those of the indexes whose rows hold all words, in the same order."""
    for word in words:
        indexes = [index for index in indexes if word in folded[index].text]
    return indexes


def highlights(
    element: Element, words: Collection[str], category_name: Callable[[int], str]
) -> Highlights:
    """Return where words (folded) stand in a row; for a row that is drawn, not for each."""
    if not words or isinstance(element, UnreadablePet):
        return NOTHING_FOUND
    return Highlights(
        id=found_spans(str(element.id), words),
        name=found_spans(element.name, words),
        category_id=found_spans(str(element.category_id), words),
        category_name=found_spans(category_name(element.category_id), words),
        status=found_spans(status_text(element), words),
    )


def found_spans(text: str, words: Collection[str]) -> tuple[Span, ...]:
    """Return where words (folded) stand in a text, in order; those that overlap are one."""
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
