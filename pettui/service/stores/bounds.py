"""Bounds on requests and responses: whatever was accepted can be listed.

The interface names no bounds. Those of a list keep every response below two million bytes, which
is what pettui's own client accepts by default. A JSON escape has at most six bytes for a byte of
the name. It is never shorter in a request than in a response, so the size of the request that adds
an animal bounds the response with that animal.
"""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

BODY_BYTES: Final = 3 * 512 * 1024  # of a request
NAME_BYTES: Final = BODY_BYTES  # in a response, escaped
PAGE_BYTES: Final = 256 * 1024  # of the names in a page, in UTF-8
SMALL_NAME_BYTES: Final = 2560  # in UTF-8; a hundred and one of them fit into any page
SHOWN_CHARACTERS: Final = 1000  # of a name that is too large for a response


def rows_that_fit(sizes: Iterable[int]) -> int:
    """Return how many rows fit into a page, judged by their names: at least one, if there is one.

    Args:
        sizes: of the names in UTF-8, row by row; only as many as needed are consumed.
    """
    total = count = 0
    for size in sizes:
        total += min(size, NAME_BYTES)
        if count and total > PAGE_BYTES:
            break
        count += 1
    return count


def decoded(name: bytes) -> str:
    """Return a name; bytes that are not UTF-8, of an operator's SQL import, become �."""
    return name.decode(errors="replace")


def bounded_name(start: bytes, size: int) -> str:
    """Return a name as it fits into a response.

    An earlier version accepted names that are too large for a response; such a name is cut, and
    its size is added.

    Args:
        start: of the name in UTF-8, at most NAME_BYTES.
        size: bytes of the whole name.
    """
    if size <= NAME_BYTES:
        name = decoded(start)
        if size * 6 <= NAME_BYTES or len(encode_basestring(name).encode()) - 2 <= NAME_BYTES:
            return name
    shown = start[: SHOWN_CHARACTERS * 4].decode(errors="ignore")[:SHOWN_CHARACTERS]
    return f"{shown}… ({size} bytes)"
