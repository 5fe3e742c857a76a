"""What comes over a connection behind an answer is taken for the answer to no other question."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import httpx

_PROTOCOL: Final = attrgetter("_httpcore_stream._stream._connection._h11_state")


async def drop_if_left_over(response: httpx.Response) -> None:
    """Close the connection of an answer that was read, where more came over it than that.

    httpcore looks at the socket before it uses a connection again, but not at what it has read
    from there already: an answer that was sent twice would be shown for that to the next question,
    and each answer from then on for the one after.
    """
    network_stream = response.extensions.get("network_stream")
    if network_stream is not None and _is_left_over(response):
        await network_stream.aclose()


def _is_left_over(response: httpx.Response) -> bool:
    """Ask h11, which knows; neither httpx nor httpcore passes it on, hence their private names.

    Where those are others, something may be left over: then no connection is used twice, and the
    test that reads share one fails.
    """
    try:
        rest, _ = _PROTOCOL(response.stream).trailing_data
    except AttributeError:
        return True
    return bool(rest)
