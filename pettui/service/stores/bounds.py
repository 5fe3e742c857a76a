"""How much the service takes, and how much it answers with: whatever was taken can be listed.

The interface names no bounds. Those of a list keep every answer below the two million bytes that
pettui's own client takes of one by default. A JSON escape has at most six bytes for one of a name;
in a request it is never shorter than in an answer, so that the body of a new animal bounds the
answer of that animal.
"""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

BODY_BYTES: Final = 3 * 512 * 1024  # of a request
NAME_BYTES: Final = BODY_BYTES  # in an answer, escaped
PAGE_BYTES: Final = 256 * 1024  # of the names in a page, in UTF-8
SMALL_NAME_BYTES: Final = 2560  # in UTF-8; a hundred and one of them fit into any page
SHOWN_CHARACTERS: Final = 1000  # of a name that is too large for an answer


def rows_that_fit(sizes: Iterable[int]) -> int:
    """Return how many rows of a page its names leave room for: one at least, if there is one.

    Args:
        sizes: of the names in UTF-8, row by row; no more of them are asked for than are needed.
    """
    total = count = 0
    for size in sizes:
        total += min(size, NAME_BYTES)
        if count and total > PAGE_BYTES:
            break
        count += 1
    return count


def decoded(name: bytes) -> str:
    """Return a name; what an operator's import left in it that is no UTF-8 is shown as �."""
    return name.decode(errors="replace")


def bounded_name(beginning: bytes, size: int) -> str:
    """Return a name as an answer can hold it.

    Only an earlier version took names that no answer has room for; of such a one its beginning is
    returned, and its size.

    Args:
        beginning: of the name in UTF-8, at most NAME_BYTES.
        size: bytes of the whole name.
    """
    if size <= NAME_BYTES:
        name = decoded(beginning)
        if size * 6 <= NAME_BYTES or len(encode_basestring(name).encode()) - 2 <= NAME_BYTES:
            return name
    shown = beginning[: SHOWN_CHARACTERS * 4].decode(errors="ignore")[:SHOWN_CHARACTERS]
    return f"{shown}… ({size} bytes)"
