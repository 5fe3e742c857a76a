"""The next page of a list, and whether the client loads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.client.parsing.addresses import origin_of, resolved, same_origin
from pettui.client.parsing.links import first_target, links

if TYPE_CHECKING:
    from pettui.client.http_messages import Response

_SHOWN: Final = 100  # characters of an origin
LIST_MEGABYTES: Final = 40  # of one list, all its pages: 10,000 animals of 4 kB


def next_link(response: Response) -> tuple[str | None, tuple[str, ...]]:
    """Return the next page's absolute address or None, and why a link is not followed.

    Source: RFC 8288. Only the service's own origin is followed, since the key goes along, and no
    address twice in one chain of pages.
    """
    target = first_target(links(v for name, v in response.headers if name == "link"), "next")
    if target is None:
        return None, ()
    try:
        address = resolved(response.address, target)
    except ValueError:
        return None, ("the service's link to its next page is not an address: not followed",)
    if not same_origin(response.request.address, address):
        origin = origin_of(address)[:_SHOWN]
        return None, (f"the service links its next page to {origin}: not followed",)
    return _within_chain(address, response)


def _within_chain(address: str, response: Response) -> tuple[str | None, tuple[str, ...]]:
    visited = {*response.request.visited, response.request.address, response.address}
    if address in visited:
        return None, ("the service's next page is one that came before: not followed",)
    if len(response.request.visited) + 1 >= response.limits.pages:
        return None, (
            f"the service's list does not end after {response.limits.pages} pages: not followed",
        )
    if response.request.bytes_before + len(response.body) >= LIST_MEGABYTES * 1_000_000:
        return None, (f"more than {LIST_MEGABYTES} MB in this list: the rest is not loaded",)
    return address, ()
