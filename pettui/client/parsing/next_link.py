"""Which page follows an answer of listPets, and whether the client goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.client.parsing.addresses import origin_of, resolved, same_origin
from pettui.client.parsing.links import first_target, links

if TYPE_CHECKING:
    from pettui.client.http_messages import Response

_SHOWN: Final = 100  # characters of an origin
LIST_MEGABYTES: Final = 40  # of one list, all its pages: 10,000 animals of 4 kB


def next_link(answer: Response) -> tuple[str | None, tuple[str, ...]]:
    """Give the next page's address, absolute, or None, and why it is not followed if it is not.

    Source: RFC 8288. Only the service's own origin is followed, since the key goes along, and no
    address twice in one chain of pages.
    """
    target = first_target(links(v for name, v in answer.headers if name == "link"), "next")
    if target is None:
        return None, ()
    try:
        address = resolved(answer.address, target)
    except ValueError:
        return None, ("the service's link to its next page is no address: not followed",)
    if not same_origin(answer.question.address, address):
        origin = origin_of(address)[:_SHOWN]
        return None, (f"the service links its next page to {origin}: not followed",)
    return _within_chain(address, answer)


def _within_chain(address: str, answer: Response) -> tuple[str | None, tuple[str, ...]]:
    visited = {*answer.question.visited, answer.question.address, answer.address}
    if address in visited:
        return None, ("the service's next page is one that came before: not followed",)
    if len(answer.question.visited) + 1 >= answer.limits.pages:
        return None, (
            f"the service's list does not end after {answer.limits.pages} pages: not followed",
        )
    if answer.question.bytes_before + len(answer.body) >= LIST_MEGABYTES * 1_000_000:
        return None, (f"more than {LIST_MEGABYTES} MB in this list: the rest is not loaded",)
    return address, ()
