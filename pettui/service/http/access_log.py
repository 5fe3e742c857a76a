"""The access log: one JSON line a request, without keys and names."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from pettui.service.http.bearer import KEY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from pettui.logs import EventLog, Field

# A path or a method outside the interface may hold anything, even a key or a name.
_PATH = re.compile(r"/v1/pets(/[0-9]{1,19})?")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"


class AccessLog:
    """Middleware that writes a line for each request.

    A line holds the time (UTC), method, path without query, status (null if the client was gone),
    milliseconds, bytes of the response body, and the short hash of the key (null if unknown).
    """

    def __init__(self, app: ASGIApp, event_log: EventLog) -> None:
        self._app = app
        self._event_log = event_log

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
            self._event_log.write_line("request", _fields(scope, status, milliseconds, size))


def _fields(
    scope: Scope, status: int | None, milliseconds: float, size: int
) -> Mapping[str, Field]:
    return {
        "method": scope["method"] if scope["method"] in _METHODS else OTHER,
        "path": scope["path"] if _PATH.fullmatch(scope["path"]) else OTHER,
        "status": status,
        "milliseconds": round(milliseconds, 3),
        "bytes": size,
        "key": scope.get(KEY_NAME),
    }
