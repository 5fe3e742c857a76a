"""The access log: one event a request, without keys and names of animals."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Final

from pettui.service.endpoints import IS_REPEATED, PET_ID
from pettui.service.keys import KEY_NAME, KEY_REFUSED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from starlette.types import Scope

    from pettui.service.errors import TextResponse
    from pettui.service.metrics import Metrics
    from pettui.system.addresses import Network
    from pettui.system.logs import EventLog, Field

_PATH = re.compile(r"/v1/pets(/[0-9]{1,19})?|/healthz|/openapi\.yaml")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
HOPS_MAXIMUM: Final = 20  # proxies, one behind the other


class AccessLog:
    """Writes a ``request`` for each request; docs/logs.md has its fields."""

    def __init__(
        self,
        event_log: EventLog,
        trusted_proxies: Collection[Network] = (),
        metrics: Metrics | None = None,
    ) -> None:
        """Begin a log.

        Args:
            event_log: gets an event for each request.
            trusted_proxies: networks whose X-Forwarded-For is believed.
            metrics: count what the log has.
        """
        self._event_log = event_log
        self._trusted_proxies = trusted_proxies
        self._metrics = metrics

    def write(self, scope: Scope, response: TextResponse | None, seconds: float) -> None:
        """Write the line of a request; without a response, its client was gone."""
        status = None if response is None else response.status
        if self._metrics is not None:
            self._metrics.count(scope, status, seconds)
        fields: dict[str, Field] = {
            **self._origin(scope),
            "key": scope.get(KEY_NAME),
            "method": scope["method"] if scope["method"] in _METHODS else OTHER,
            "path": shown_path(scope["path"]),
            "status": status,
            "milliseconds": round(seconds * 1000, 3),
            "bytes": 0 if response is None else len(response.sent_body(scope)),
        }
        if KEY_REFUSED in scope:
            fields["reason"] = scope[KEY_REFUSED]
        if PET_ID in scope:
            fields["id"] = scope[PET_ID]
        if IS_REPEATED in scope:
            fields["repeated"] = True
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


def shown_path(path: str) -> str:
    """Return a path that the service has, and ``other`` for any that may hold a key or a name."""
    return path if _PATH.fullmatch(path) else OTHER
