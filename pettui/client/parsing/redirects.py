"""Where a redirect leads, and whether the client goes there (RFC 9110, 15.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.client.parsing.addresses import resolved, same_origin

if TYPE_CHECKING:
    from pettui.client.http_messages import Response

_FOLLOWED: Final = frozenset({301, 302, 303, 307, 308})
_SHOWN: Final = 200  # characters of an address


def redirect_target(response: Response) -> str | None:
    """Return the address that is requested next; None where no redirect is followed.

    Only within the service's own origin, since the key goes along, and never for an add, which
    would be sent twice.
    """
    return None if why_not_followed(response) else _target(response)


def why_not_followed(response: Response) -> str | None:
    """Return why a redirect is not followed; None where it is, or where there is none."""
    if not _location(response):
        return None
    target = _target(response)
    if target is None:
        return "it leads to what is not an address"
    if not same_origin(response.request.address, target):
        return f"it leads to another origin, {target[:_SHOWN]}, which the key does not go to"
    if response.request.is_add:
        return f"it leads to {target[:_SHOWN]}, and an add is not sent twice"
    return None


def one_too_many(response: Response) -> str | None:
    """Return why the last redirect of a chain is not followed; None where there is none."""
    target = _target(response)
    return f"it redirects too often, last to {target[:_SHOWN]}" if target else None


def _location(response: Response) -> str:
    return response.header("location") if response.status in _FOLLOWED else ""


def _target(response: Response) -> str | None:
    location = _location(response)
    if not location:
        return None
    try:
        return resolved(response.address, location)
    except ValueError:
        return None
