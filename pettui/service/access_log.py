"""The access log: one event a request, without keys and names of animals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pettui.service.endpoints import IS_REPEATED, PET_ID
from pettui.service.keys import KEY, KnownKey

if TYPE_CHECKING:
    from starlette.types import Scope

    from pettui.service.errors import TextResponse
    from pettui.service.metrics import Metrics
    from pettui.system.logs import EventLog, Field

_PATH = re.compile(r"/v1/pets(/[0-9]{1,19})?|/healthz|/openapi\.yaml")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"


class AccessLog:
    """Writes a ``request`` for each request; docs/logs.md has its fields."""

    def __init__(self, event_log: EventLog, metrics: Metrics | None = None) -> None:
        self._event_log = event_log
        self._metrics = metrics  # counts what the log has

    def write(self, scope: Scope, response: TextResponse | None, seconds: float) -> None:
        """Write the line of a request; without a response, its client was gone."""
        status = None if response is None else response.status
        if self._metrics is not None:
            self._metrics.count(scope, status, seconds)
        key: KnownKey | None = scope.get(KEY)
        fields: dict[str, Field] = {
            "address": scope["client"][0] if scope.get("client") else None,
            "key": None if key is None else key.name,
            "method": scope["method"] if scope["method"] in _METHODS else OTHER,
            "path": shown_path(scope["path"]),
            "status": status,
            "milliseconds": round(seconds * 1000, 3),
            "bytes": 0 if response is None else len(response.sent_body(scope)),
        }
        if key is not None and key.has_expired:
            fields["reason"] = "expired"
        if PET_ID in scope:
            fields["id"] = scope[PET_ID]
        if IS_REPEATED in scope:
            fields["repeated"] = True
        self._event_log.write_line("request", fields)


def shown_path(path: str) -> str:
    """Return a path that the service has, and ``other`` for any that may hold a key or a name."""
    return path if _PATH.fullmatch(path) else OTHER
