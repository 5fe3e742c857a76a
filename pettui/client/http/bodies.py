"""The body of an answer, read within a bound on what it unpacks to."""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING, Final

from pettui.client.http_messages import in_bytes

if TYPE_CHECKING:
    import httpx

_PIECES_AT_ONCE: Final = 64  # of a body, before the screen gets its turn
_EITHER_HEADER: Final = zlib.MAX_WBITS | 32  # zlib finds out by itself whether it is gzip


class Body:
    """What there is of a body so far.

    ``error`` says why there will be no more of it. An answer that is packed though the request
    asked for none (``Accept-Encoding: identity``) is unpacked as far as the bound, and no further:
    64 kB of gzip can hold 60 MB.
    """

    def __init__(self, encoding: str, most: int) -> None:
        self.error: str | None = None
        self._content = bytearray()
        self._most = most
        self._came = False
        self._unpacker = None
        if encoding in ("gzip", "x-gzip", "deflate"):
            self._unpacker = zlib.decompressobj(_EITHER_HEADER)
        elif encoding not in ("", "identity"):
            self.error = f"packed as {encoding[:40]}, which was not asked for"

    def content(self) -> bytes:
        """Give what there is."""
        return bytes(self._content)

    def add(self, piece: bytes) -> None:
        """Take a piece of the body as it came."""
        self._came = True
        room = self._most - len(self._content) + 1
        try:
            self._content += (
                piece if self._unpacker is None else self._unpacker.decompress(piece, room)
            )
        except zlib.error:
            self.error = "damaged in its packing"
        if len(self._content) > self._most:
            del self._content[self._most :]
            self.error = f"more than {in_bytes(self._most)}"

    def end(self) -> None:
        """Take that there is no more."""
        is_cut = self._unpacker is not None and self._came and not self._unpacker.eof
        if is_cut and self.error is None:
            self.error = "cut off in its packing"


async def read(body: Body, response: httpx.Response) -> None:
    """Read an answer's body into ``body``, until its end or its ``error``."""
    count = 0
    async for piece in response.stream:  # type: ignore[union-attr]
        if body.error is not None:
            return
        body.add(piece)
        count += 1
        if count % _PIECES_AT_ONCE == 0:
            await asyncio.sleep(0)
    body.end()
