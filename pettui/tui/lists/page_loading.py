"""From a query to the pages that answer it, each as it comes."""

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
        client: who asks.
        query: what is asked; its number of pages is no bound.
        before: the page that the first one is linked by. None is the beginning of the list.
        on_wait: told before each pause between two tries.

    Raises:
        PetClientError: one of them was not answered; those before it were yielded.
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
    """Return as many pages as the query wants, or the service links.

    Args:
        client: who asks.
        query: what is asked.
        so_far: pages of the same query that are there already.
        on_wait: told before each pause between two tries.
        on_page: told of each page as it comes.

    Raises:
        PetClientError: one of them was not answered; those before it are dropped.
    """
    pages = so_far
    if len(pages) < query.pages:
        async with aclosing(
            each_page(client, query, pages[-1] if pages else None, on_wait)
        ) as come:
            async for page in come:
                pages = (*pages, page)
                on_page(page)
                if len(pages) >= query.pages:
                    break
    return pages
