"""The access log: one event a request, without keys and names of animals."""

from __future__ import annotations

import ipaddress
import re
import time
from typing import TYPE_CHECKING, Final

from pettui.service.endpoints import PET_ID
from pettui.service.keys import KEY_NAME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from pettui.logs import EventLog, Field
    from pettui.service.keys import Keys
    from pettui.service.metrics import Metrics
    from pettui.service_addresses import Network

_PATH = re.compile(r"/v1/pets(/[0-9]{1,19})?")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
HIDDEN: Final = "***"
PATH_MAXIMUM: Final = 200  # characters
_LIKE_A_KEY = re.compile(r"[\w.~+=-]{20}")
HOPS_MAXIMUM: Final = 20  # proxies, one behind the other


class AccessLog:
    """Middleware that writes a ``request`` for each request; docs/logs.md has its fields."""

    def __init__(
        self,
        app: ASGIApp,
        event_log: EventLog,
        keys: Keys,
        trusted_proxies: Collection[Network] = (),
        metrics: Metrics | None = None,
    ) -> None:
        self._app = app
        self._event_log = event_log
        self._keys = keys
        self._trusted_proxies = trusted_proxies
        self._metrics = metrics

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
            seconds = time.perf_counter() - started
            if self._metrics is not None:
                self._metrics.count(scope, status, seconds)
            fields: dict[str, Field] = {
                **self._origin(scope),
                "key": scope.get(KEY_NAME),
                "method": scope["method"] if scope["method"] in _METHODS else OTHER,
                "path": shown_path(scope["path"], self._keys),
                "status": status,
                "milliseconds": round(seconds * 1000, 3),
                "bytes": size,
            }
            if PET_ID in scope:
                fields["id"] = scope[PET_ID]
            self._event_log.write_line("request", fields)

    def _origin(self, scope: Scope) -> Mapping[str, Field]:
        """Return the client's address, and the proxy's if that said it."""
        peer = scope["client"][0] if scope.get("client") else None
        if peer is None or not self._trusted_proxies:
            return {"address": peer}
        values = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        address = client_address(peer, values, self._trusted_proxies)
        return {"address": address} if address == peer else {"address": address, "proxy": peer}


def client_address(peer: str, forwarded: Iterable[bytes], trusted: Collection[Network]) -> str:
    """Return who sent a request first, as far as trusted proxies know.

    Each proxy appends whom it got the request from, so the list is read from its end, and what an
    address says that is not a trusted proxy's is not believed.

    Args:
        peer: the address that connected.
        forwarded: the values of X-Forwarded-For, in order.
        trusted: the networks of proxies.
    """
    address = peer
    entries = b",".join(forwarded).decode("latin-1").rsplit(",", HOPS_MAXIMUM)
    for entry in reversed(entries[-HOPS_MAXIMUM:]):
        parsed = _address(address)
        if parsed is None or not any(parsed in network for network in trusted):
            break
        before = _address(entry.strip())
        if before is None:
            break
        address = str(before)
    return address


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address, with a port or without; None for anything else."""
    host = re.fullmatch(r"\[([^]]*)\](?::[0-9]+)?|([0-9.]+):[0-9]+", text)
    try:
        parsed = ipaddress.ip_address(text if host is None else host[1] or host[2])
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv4Address):
        return parsed
    # Without its zone, which may be any text.
    return parsed.ipv4_mapped or ipaddress.IPv6Address(int(parsed))


def shown_path(path: str, keys: Keys) -> str:
    """Return a path as it is logged.

    Below /v1 only what the interface has is shown: a client may have put a name there. Elsewhere
    it shows what somebody was looking for, but no part that is a key, or as long as one.
    """
    if _PATH.fullmatch(path):
        return path
    if path == "/v1" or path.startswith("/v1/"):
        return OTHER
    if len(path) > PATH_MAXIMUM:
        path = path[:PATH_MAXIMUM].rpartition("/")[0] + "/…"
    return "/".join(HIDDEN if _is_secret(part, keys) else part for part in path.split("/"))


def _is_secret(part: str, keys: Keys) -> bool:
    if _LIKE_A_KEY.search(part):
        return True
    return bool(part) and keys.name_of(part.encode(errors="replace")) is not None
