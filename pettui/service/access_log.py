"""The access log: one JSON line a request, which never holds a key or a name."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pettui.service.errors import encode
from pettui.service.keys import KEY_HASH

if TYPE_CHECKING:
    from typing import TextIO

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A path outside the interface may hold anything, a key or a name too, and so may a method.
_PATH = re.compile(r"/v1/pets(/[0-9]{1,19})?")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"


class AccessLog:
    """Writes a line for each request of its app: time (UTC), method, path without query,
    status (null when nobody was left to be answered), milliseconds, bytes of the answer's body,
    and the short hash of the key (null without a known one).
    """

    def __init__(self, app: ASGIApp, stream: TextIO) -> None:
        self._app = app
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer, and write the line whatever becomes of it."""
        started = time.perf_counter()
        status: int | None = None
        size = 0

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counted)
        finally:
            milliseconds = round((time.perf_counter() - started) * 1000, 3)
            line = encode(_line(scope, status, milliseconds, size))
            with suppress(OSError):  # a log that nobody takes must not cost the answer
                self._stream.write(line + "\n")
                self._stream.flush()


def _line(
    scope: Scope, status: int | None, milliseconds: float, size: int
) -> dict[str, str | float | None]:
    method, path = scope["method"], scope["path"]
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "method": method if method in _METHODS else OTHER,
        "path": path if _PATH.fullmatch(path) else OTHER,
        "status": status,
        "milliseconds": milliseconds,
        "bytes": size,
        "key": scope.get(KEY_HASH),
    }
