"""Loading the pages of a query."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from pettui.models import PetStatus

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from pettui.client import OnWait, PetClient, PetPage
    from pettui.tui.lists.listing import ListQuery


async def each_page(
    client: PetClient, query: ListQuery, before: PetPage | None, on_wait: OnWait
) -> AsyncGenerator[PetPage, None]:
    """Yield the pages of a query, as many as the service links (listPets).

    Args:
        client: of the service.
        query: its number of pages does not matter.
        before: the page before the first one that is yielded; None starts with the first page.
        on_wait: called before each pause between two attempts.

    Raises:
        PetClientError: a request failed; the pages before it were yielded.
    """
    status = PetStatus(query.status) if query.status else None
    page = before
    if page is None:
        page = await client.list_pets(query.limit, status, on_wait=on_wait)
        yield page
    while page.next_link is not None:
        page = await client.list_next_pets(page, on_wait=on_wait)
        yield page


async def load_pages(
    client: PetClient,
    query: ListQuery,
    so_far: tuple[PetPage, ...],
    on_wait: OnWait,
    on_page: Callable[[PetPage], None],
) -> tuple[PetPage, ...]:
    """Return as many pages as the query wants, or fewer if the service links no more.

    Args:
        client: of the service.
        query: how many pages, and of what.
        so_far: pages of the same query that are loaded already.
        on_wait: called before each pause between two attempts.
        on_page: called with each page as it comes.

    Raises:
        PetClientError: a request failed; the pages before it are dropped.
    """
    pages = so_far
    if len(pages) < query.pages:
        async with aclosing(
            each_page(client, query, pages[-1] if pages else None, on_wait)
        ) as next_pages:
            async for page in next_pages:
                pages = (*pages, page)
                on_page(page)
                if len(pages) >= query.pages:
                    break
    return pages
