"""The replacement for getPet once that is gone: GET /pets with the status filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import ErrorBodyError, NoErrorBodyError
from pettui.models import PetStatus
from pettui.settings import LIMIT_MAXIMUM

if TYPE_CHECKING:
    from datetime import date

    from pettui.client import OnWait, PetClient, PetClientError, PetPage
    from pettui.models import Pet
    from pettui.presentation.rows.row_view import WantedPet

GONE_STATUSES = (405, 410, 501)  # for an operation that is no longer served
NOT_FOUND = 404


def is_gone(error: PetClientError, today: date) -> bool:
    """Whether getPet itself is gone; after its removal date a 404 means that too."""
    if not isinstance(error, ErrorBodyError | NoErrorBodyError):
        return False
    if error.status in GONE_STATUSES:
        return True
    is_past = any(notice.sunset and notice.sunset <= today for notice in error.notices)
    return error.status == NOT_FOUND and is_past


async def look_up(
    client: PetClient, pet: Pet | WantedPet, on_wait: OnWait
) -> tuple[PetPage, Pet | None]:
    """Return the list of the animal's status (listPets), and the animal if it is in there.

    A list of at most 100 cannot prove that an animal is gone.

    Raises:
        PetClientError: the request failed.
    """
    status = pet.status if isinstance(pet.status, PetStatus) else None
    page = await client.list_pets(LIMIT_MAXIMUM, status, on_wait=on_wait)
    return page, next((each for each in page.pets if each.id == pet.id), None)
