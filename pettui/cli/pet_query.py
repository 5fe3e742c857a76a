"""Which animals a command line means, and how they come: page by page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from pettui.configuration.errors import ConfigurationError
from pettui.models.pets import Pet, PetStatus, int64_of
from pettui.rows.columns import Column, column_named
from pettui.settings.settings import LIMIT_DEFAULT, LIMIT_MAXIMUM, Settings
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from pettui.cli.one_shot import Call
    from pettui.cli.output import StandardError
    from pettui.client import PetClient, PetPage


_REASONS_NAMED: Final = 3  # of unreadable rows


class UnreadableRows:
    """The rows of a list that are no animals, counted as its pages come."""

    def __init__(self) -> None:
        self.count = 0
        self._reasons: set[str] = set()  # that were said

    @property
    def sentence(self) -> str:
        """How many there are: "2 rows are not animals"."""
        return (
            "1 row is not an animal" if self.count == 1 else f"{self.count:,} rows are not animals"
        )

    def warn(self, page: PetPage, stderr: StandardError) -> None:
        """Count those of a page, and name the first row of each reason."""
        from pettui.client import UnreadablePet

        unreadable = [row for row in page.rows if isinstance(row, UnreadablePet)]
        self.count += len(unreadable)
        if not page.pets:  # a remark of the page says it, and why
            self._reasons.update(row.reason for row in unreadable)
        for row in unreadable:
            if row.reason not in self._reasons and len(self._reasons) < _REASONS_NAMED:
                self._reasons.add(row.reason)
                stderr.warn(f"row {row.index + 1} is not an animal and is left out: {row.reason}")


@dataclass(frozen=True, slots=True)
class PetQuery:
    """The query of a command line."""

    statuses: frozenset[str] = frozenset()  # none for all of them
    words: str = ""
    column: Column | None = None
    is_reversed: bool = False
    limit: int | None = None  # animals at most, of those that are found
    page_size: int = LIMIT_MAXIMUM
    is_page: bool = False  # the first one alone

    def chosen(self, pets: Iterable[Pet], settings: Settings) -> Iterable[Pet]:
        """Return the matching animals, in the order of the query."""
        if self.statuses:  # the service is asked for one, or for all, and may not filter
            pets = tuple(pet for pet in pets if pet.status in self.statuses)
        if not self.words and self.column is None:
            return pets
        from pettui.rows.shown import RowView, SortedBy, shown_rows

        names = settings.profile.categories
        order = () if self.column is None else (SortedBy(self.column, self.is_reversed),)
        view = RowView(self.words, order)
        elements = shown_rows(tuple(pets), view, lambda each: names.get(each, "")).elements
        return (pet for pet in elements if isinstance(pet, Pet))


def pet_query(call: Call, *, is_page: bool) -> PetQuery:
    """Return the query of a command's arguments.

    Args:
        call: of list or export.
        is_page: unless more is asked for, one page is meant.

    Raises:
        ConfigurationError: an argument cannot be used.
    """
    arguments = call.arguments
    column, limit = column_named(arguments.sort), arguments.limit
    # What is looked for, or comes first when sorted, may be on any page.
    words = arguments.find or ""
    statuses = frozenset(arguments.status or ())
    is_selective = bool(words) or column is not None or len(statuses) > 1
    is_page = is_page and not (arguments.all or is_selective or limit)
    size = (call.settings.limit or LIMIT_DEFAULT) if is_page else LIMIT_MAXIMUM
    return PetQuery(
        statuses=statuses,
        words=words,
        column=column,
        is_reversed=arguments.reverse,
        limit=limit,
        page_size=arguments.page_size or min(size, size if is_selective else limit or size),
        is_page=is_page,
    )


async def chosen_pets(
    listed: AsyncIterator[tuple[Pet, ...]], query: PetQuery, settings: Settings
) -> AsyncIterator[tuple[Pet, ...]]:
    """Return the animals of pages that a query means, as they come or, sorted, at the end.

    If a page fails, what came before it is returned, and then that is raised.
    """
    from pettui.client import PetClientError

    unsorted: list[Pet] = []  # all of them, if they are to be sorted
    rest, failure = query.limit, None
    try:
        async for pets in listed:
            if query.column is not None:
                unsorted.extend(pets)
                continue
            found = tuple(islice(query.chosen(pets, settings), rest))
            yield found
            if rest is not None and not (rest := rest - len(found)):
                return
    except PetClientError as error:
        failure = error
    if unsorted:
        yield tuple(islice(query.chosen(unsorted, settings), rest))
    if failure is not None:
        raise failure


async def pages(
    client: PetClient, query: PetQuery, stderr: StandardError, unreadable: UnreadableRows
) -> AsyncIterator[tuple[Pet, ...]]:
    """Return the animals of each page, and say what is odd about it. Raises PetClientError."""
    status = PetStatus(*query.statuses) if len(query.statuses) == 1 else None
    count, is_unfiltered, told = 0, False, set[str]()
    async for page in client.all_pages(query.page_size, status, on_wait=stderr.retry):
        if page.is_first:
            stderr.notices(page.notices)
        for remark in page.remarks:
            kind = re.sub("[0-9]+", "", remark)  # of all pages alike, but for its numbers
            if remark != page.unfiltered and kind not in told:
                told.add(kind)
                stderr.warn(remark)
        if page.unfiltered and not is_unfiltered:
            is_unfiltered = True
            stderr.warn(f"the service does not filter by status: what is not {status} is left out")
        unreadable.warn(page, stderr)
        yield page.pets
        count += len(page.pets)
        if page.next_link is not None:
            if query.is_page:
                stderr.notice("there are more animals; --all lists them")
            else:
                stderr.progress(counted(count))
        elif page.may_go_on:
            stderr.warn(
                "the service links to no further page;"
                f" there may be more than these {len(page.rows)}"
            )
        if query.is_page:
            break


def pet_id_of(text: str, name: str = "ID") -> int:
    """Return an id of a command line. Raises ConfigurationError."""
    if re.fullmatch(r"-?[0-9]+", text) is None:
        raise ConfigurationError(name, "must be a whole number", value=text)
    try:
        return int64_of(text)
    except ValueError as error:
        raise ConfigurationError(name, str(error), value=text) from None
