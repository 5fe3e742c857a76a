"""From a question to the pages that answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models import PetStatus

if TYPE_CHECKING:
    from pettui.client import OnWait, PetClient, PetPage
    from pettui.tui.listing import Question


async def load_pages(
    client: PetClient, question: Question, so_far: tuple[PetPage, ...], on_wait: OnWait
) -> tuple[PetPage, ...]:
    """Ask for as many pages as the question wants, or the service links (listPets).

    Args:
        client: who asks.
        question: what is asked.
        so_far: pages of the same question that are there already.
        on_wait: told before each pause between two tries.

    Raises:
        PetClientError: one of them was not answered; those before it are dropped.
    """
    status = PetStatus(question.status) if question.status else None
    pages = so_far or (await client.list_pets(question.limit, status, on_wait=on_wait),)
    while len(pages) < question.pages and pages[-1].next_link:
        pages = (*pages, await client.list_next_pets(pages[-1], on_wait=on_wait))
    return pages
