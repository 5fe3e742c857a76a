"""PetQuery: which animals a command lists, and the pages that contain them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pettui.cli.parsers.one_shot_parsers import SORTED_BY, one_of
from pettui.columns import column_named
from pettui.configuration import ConfigurationError
from pettui.models import STATUSES
from pettui.settings import LIMIT_DEFAULT, LIMIT_MAXIMUM, Limits, Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from pettui.cli.one_shot.one_shot_command import OneShotCall
    from pettui.cli.one_shot.standard_error import StandardError
    from pettui.client import PetClient, PetPage
    from pettui.columns import Column
    from pettui.models import Pet

PAGES_MAXIMUM: Final = 10_000  # of one list: a million animals
_UNREADABLE_NAMED: Final = 3  # of a page


class IncompleteListError(Exception):
    """All pages were asked for, and the service links one that cannot be followed."""


@dataclass(frozen=True, slots=True)
class PetQuery:
    """The query of a command line."""

    status: str | None
    words: str
    column: Column | None
    is_reversed: bool
    limit: int
    takes_all: bool  # all linked pages

    @property
    def is_selective(self) -> bool:
        """Whether animals that were not loaded could change what is printed of the others."""
        return bool(self.words) or self.is_sorted

    @property
    def is_sorted(self) -> bool:
        """Whether animals can only be printed when all have come."""
        return self.column is not None

    def chosen(self, pets: Iterable[Pet], settings: Settings) -> Iterator[Pet]:
        """Return the matching animals, in the order of the query."""
        if not self.words and self.column is None:
            return iter(pets)
        from pettui.models import Pet
        from pettui.rows import Direction, RowView, shown_rows

        names = settings.profile.categories
        view = RowView(
            self.words,
            self.column,
            Direction.DESCENDING if self.is_reversed else Direction.ASCENDING,
        )
        elements = shown_rows(tuple(pets), view, lambda each: names.get(each, "")).elements
        return (pet for pet in elements if isinstance(pet, Pet))


def pet_query(call: OneShotCall, *, takes_all_by_default: bool) -> PetQuery:
    """Return the query of a command's arguments.

    Args:
        call: of list or export.
        takes_all_by_default: without a limit, all pages are meant.

    Raises:
        ConfigurationError: an argument cannot be used.
    """
    arguments = call.arguments
    column = column_named(one_of(SORTED_BY, "--sort", arguments.sort))
    if arguments.reverse and column is None:
        raise ConfigurationError("--reverse", "needs --sort")
    # What is looked for, or comes first when sorted, may be on any page.
    is_selective = bool(arguments.find) or column is not None
    takes_all = arguments.all or (
        arguments.limit is None and (takes_all_by_default or is_selective)
    )
    return PetQuery(
        status=one_of(STATUSES, "--status", arguments.status),
        words=arguments.find or "",
        column=column,
        is_reversed=arguments.reverse,
        limit=LIMIT_MAXIMUM
        if takes_all and arguments.limit is None
        else call.settings.limit or LIMIT_DEFAULT,
        takes_all=takes_all,
    )


def with_more_pages(settings: Settings) -> Settings:
    """Return settings that allow a list more pages than the app would show."""
    limits, usual = settings.limits, Limits()
    limits = replace(limits, pages=PAGES_MAXIMUM)
    if limits.rows == usual.rows:  # and nobody chose another number
        limits = replace(limits, rows=PAGES_MAXIMUM * LIMIT_MAXIMUM)
    return replace(settings, limits=limits)


async def pages(
    client: PetClient, query: PetQuery, stderr: StandardError
) -> AsyncIterator[tuple[Pet, ...]]:
    """Load the pages, and return the animals of each that were on no earlier one.

    Raises:
        PetClientError: one of them failed.
        IncompleteListError: all were asked for, and there are more; raised after the last one.
    """
    from pettui.models import PetStatus

    status = PetStatus(query.status) if query.status else None
    page = await client.list_pets(query.limit, status, on_wait=stderr.retry)
    stderr.notices(page.notices)
    seen: set[int] = set()
    while True:
        _warn(page, stderr)
        pets = tuple(pet for pet in page.pets if pet.id not in seen)
        seen.update(pet.id for pet in pets)
        yield pets
        if page.next_link is None or not query.takes_all:
            break
        stderr.progress(counted(len(seen)))
        page = await client.list_next_pets(page, on_wait=stderr.retry)
    _note_missing_pages(page, query, stderr)


def counted(count: int) -> str:
    """Return a number of animals, such as "1 animal"."""
    return "1 animal" if count == 1 else f"{count:,} animals"


def _warn(page: PetPage, stderr: StandardError) -> None:
    from pettui.client import UnreadablePet

    for remark in page.remarks:
        stderr.warn(remark)
    unreadable = [row for row in page.rows if isinstance(row, UnreadablePet)]
    for row in unreadable[:_UNREADABLE_NAMED]:
        stderr.warn(f"row {row.index + 1} is not an animal and is left out: {row.reason}")
    if len(unreadable) > _UNREADABLE_NAMED:
        stderr.warn(f"{len(unreadable) - _UNREADABLE_NAMED} more rows are not animals")


def _note_missing_pages(page: PetPage, query: PetQuery, stderr: StandardError) -> None:
    if query.takes_all:
        if len(page.rows) >= query.limit and page.next_link is None and page.is_first:
            stderr.notice(
                "the service links to no further page;"
                f" there may be more than these {len(page.rows)}"
            )
        if page.is_cut:
            raise IncompleteListError("the list is incomplete")
    elif page.next_link is not None and query.is_selective:
        # Also in a pipe, where nobody sees that what was looked for may be on another page.
        stderr.notice(
            f"there are more animals: only the first {len(page.rows)} were looked at;"
            " --all looks at every page"
        )
    elif page.next_link is not None and stderr.is_watched:
        stderr.notice("there are more animals; --all lists them")
