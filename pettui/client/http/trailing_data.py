"""Data after the end of a response is never taken for the response to the next request."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import httpx

_PROTOCOL: Final = attrgetter("_httpcore_stream._stream._connection._h11_state")


async def close_if_trailing(response: httpx.Response) -> None:
    """Close the connection of a response that was read if more than that came over it.

    httpcore checks the socket before it uses a connection again, but not what it has already read
    from it: a response that was sent twice would be taken for that to the next request, and so on
    with each that follows.
    """
    network_stream = response.extensions.get("network_stream")
    if network_stream is not None and _has_trailing_data(response):
        await network_stream.aclose()


def _has_trailing_data(response: httpx.Response) -> bool:
    """Whether h11 has more data; neither httpx nor httpcore exposes it, hence their private names.

    If those change, there may be some: then no connection is used twice, and the test that reads
    share one fails.
    """
    try:
        trailing, _ = _PROTOCOL(response.stream).trailing_data
    except AttributeError:
        return True
    return bool(trailing)
