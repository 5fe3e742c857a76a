"""From a query to the pages that answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models import PetStatus

if TYPE_CHECKING:
    from pettui.client import OnWait, PetClient, PetPage
    from pettui.tui.listing import ListQuery


async def load_pages(
    client: PetClient, query: ListQuery, so_far: tuple[PetPage, ...], on_wait: OnWait
) -> tuple[PetPage, ...]:
    """Ask for as many pages as the query wants, or the service links (listPets).

    Args:
        client: who asks.
        query: what is asked.
        so_far: pages of the same query that are there already.
        on_wait: told before each pause between two tries.

    Raises:
        PetClientError: one of them was not answered; those before it are dropped.
    """
    status = PetStatus(query.status) if query.status else None
    pages = so_far or (await client.list_pets(query.limit, status, on_wait=on_wait),)
    while len(pages) < query.pages and pages[-1].next_link:
        pages = (*pages, await client.list_next_pets(pages[-1], on_wait=on_wait))
    return pages
