"""The access log: one JSON line a request, without keys and names."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pettui.service.http.bearer import KEY_HASH

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from pettui.log_writer import Log

# A path or a method outside the interface may hold anything, even a key or a name.
_PATH = re.compile(r"/v1/pets(/[0-9]{1,19})?")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"


class AccessLog:
    """Middleware that writes a line for each request.

    A line holds the time (UTC), method, path without query, status (null if the client was gone),
    milliseconds, bytes of the response body, and the short hash of the key (null if unknown).
    """

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app, and write the line whether it succeeds or fails."""
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
            milliseconds = (time.perf_counter() - started) * 1000
            line = _line(scope, status, milliseconds, size)
            with suppress(OSError):  # a log that cannot be written must not break the response
                self._log.write(line + "\n")
                self._log.flush()


def _line(scope: Scope, status: int | None, milliseconds: float, size: int) -> str:
    """Return the line; no part of it needs JSON's escapes."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    method = scope["method"] if scope["method"] in _METHODS else OTHER
    path = scope["path"] if _PATH.fullmatch(scope["path"]) else OTHER
    key = f'"{scope[KEY_HASH]}"' if KEY_HASH in scope else "null"
    return (
        f'{{"time":"{now}","method":"{method}","path":"{path}","status":{status or "null"},'
        f'"milliseconds":{milliseconds:.3f},"bytes":{size},"key":{key}}}'
    )
