"""What is odd about a response that can be used all the same, in words; not yet safe to draw."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pettui.client.http_messages import Response
    from pettui.client.results import UnreadablePet
    from pettui.models import Pet


def status_remarks(response: Response) -> Iterator[str]:
    """Yield a remark if a success has another status than the interface says."""
    expected = response.request.expected_status
    if response.status != expected:
        yield f"the service answered {response.status} instead of {expected}"


def list_remarks(
    response: Response, rows: Sequence[Pet | UnreadablePet], pets: Sequence[Pet], count: int
) -> Iterator[str]:
    """Yield what is odd about a list as a whole.

    Args:
        response: of listPets.
        rows: those that are loaded.
        pets: those among them that are animals.
        count: how many rows the response has.
    """
    request = response.request
    if request.limit is not None and count > request.limit:
        shown = f"; the first {len(rows)} are shown" if count > len(rows) else ""
        yield f"the service sent {count} animals instead of at most {request.limit}{shown}"
    elif count > len(rows):
        yield too_many_rows(response)
    others = sum(request.status not in (None, pet.status) for pet in pets)
    if others:
        yield f"{others} of another status than {request.status}"
    twice = [pet_id for pet_id, times in Counter(pet.id for pet in pets).items() if times > 1]
    if twice:
        yield f"id {twice[0]} occurs more than once" + (", and others" if twice[1:] else "")


def too_many_rows(response: Response) -> str:
    """Return the remark about a list that is longer than what is loaded of it."""
    return f"more than {response.limits.rows} animals in this list: the rest is not loaded"


def added_pet_remarks(response: Response, pet: Pet) -> Iterator[str]:
    """Yield a remark for each field of an added animal that is not what was sent."""
    new_pet = response.request.new_pet
    if new_pet is None:
        return
    for name, sent, kept in (
        ("name", new_pet.name, pet.name),
        ("categoryId", new_pet.category_id, pet.category_id),
        ("status", new_pet.status or pet.status, pet.status),
    ):
        if sent != kept:
            yield f"the service stored another {name} than was sent"
