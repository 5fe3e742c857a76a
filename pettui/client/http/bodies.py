"""The body of a response, read within a bound on its decompressed size."""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING, Final

from pettui.client.http_messages import in_bytes

if TYPE_CHECKING:
    import httpx

_CHUNKS_AT_ONCE: Final = 64  # of a body, before the event loop runs other tasks
_ZLIB_OR_GZIP: Final = zlib.MAX_WBITS | 32  # zlib detects which it is


class Body:
    """What was received of a body so far.

    ``error`` says why there will be no more of it. A response that is compressed although the
    request asked for ``Accept-Encoding: identity`` is decompressed up to the bound and no further:
    64 kB of gzip can hold 60 MB.
    """

    def __init__(self, encoding: str, maximum: int) -> None:
        self.error: str | None = None
        self._content = bytearray()
        self._maximum = maximum
        self._has_data = False
        self._decompressor = None
        if encoding in ("gzip", "x-gzip", "deflate"):
            self._decompressor = zlib.decompressobj(_ZLIB_OR_GZIP)
        elif encoding not in ("", "identity"):
            self.error = f"compressed as {encoding[:40]}, which was not asked for"

    def content(self) -> bytes:
        """Return what there is."""
        return bytes(self._content)

    def add(self, chunk: bytes) -> None:
        """Add a chunk of the body as it was received."""
        self._has_data = True
        room = self._maximum - len(self._content) + 1
        try:
            self._content += (
                chunk if self._decompressor is None else self._decompressor.decompress(chunk, room)
            )
        except zlib.error:
            self.error = "damaged in its compression"
        if len(self._content) > self._maximum:
            del self._content[self._maximum :]
            self.error = f"more than {in_bytes(self._maximum)}"

    def end(self) -> None:
        """Note that there is no more."""
        is_cut = self._decompressor is not None and self._has_data and not self._decompressor.eof
        if is_cut and self.error is None:
            self.error = "cut off in its compression"


async def read(body: Body, response: httpx.Response) -> None:
    """Read a response's body into ``body``, until its end or its ``error``."""
    count = 0
    async for chunk in response.stream:  # type: ignore[union-attr]
        if body.error is not None:
            return
        body.add(chunk)
        count += 1
        if count % _CHUNKS_AT_ONCE == 0:
            await asyncio.sleep(0)
    body.end()
