"""Where the service listens: addresses, ports and certificates."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pettui.service import SetupError
from pettui.service.http.body import DEFAULT_LIMITS
from pettui.service.server.certificates import ServerCertificate
from pettui.service.server.connection_deadlines import DEFAULT_CONNECTIONS
from pettui.service_addresses import is_loopback

if TYPE_CHECKING:
    from pettui.service.http.body import BodyLimits
    from pettui.service.server.connection_deadlines import ConnectionLimits
    from pettui.service_addresses import Network


class ListenError(SetupError):
    """An address, a port or a certificate that can't be used."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where and how to serve."""

    database: str  # a path, :memory: or postgresql://…
    host: str = "127.0.0.1"
    port: int = 8080  # 0 for any that is free
    tls_certificate: Path | None = None  # PEM, with the chain
    tls_key: Path | None = None  # PEM; None if it is in the certificate's file
    insecure: bool = False  # allows plain HTTP beyond this machine
    trusted_proxies: tuple[Network, ...] = ()  # whose X-Forwarded-For the log believes
    limits: BodyLimits = DEFAULT_LIMITS
    connections: ConnectionLimits = DEFAULT_CONNECTIONS


def listen(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on every address of a host; for any free port, on one.

    Raises:
        ListenError: the address is in use, not this machine's, or malformed.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        wanted = list(dict.fromkeys((family, address) for family, _, _, _, address in found))
        return [_listening(*one) for one in (wanted if port else wanted[:1])]
    except (OSError, UnicodeError) as error:  # the latter: a part of the name has a wrong length
        reason = (isinstance(error, OSError) and error.strerror) or "no such address"
        message = f"cannot listen on {host}:{port}: {reason}; choose another --host or --port"
        raise ListenError(message) from error


def _listening(family: int, address: Any) -> socket.socket:
    # asyncio turns Nagle's algorithm off only with an explicit protocol; else each response would
    # wait 40 ms for the client to acknowledge its headers.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener


def refuse_clear_text(options: ServeOptions) -> None:
    """Refuse plain HTTP beyond this machine: keys would be sent unencrypted.

    Raises:
        ListenError: neither TLS nor ``--insecure`` was given.
    """
    if options.insecure or options.tls_certificate or is_loopback(options.host):
        return
    raise ListenError(
        f"host {options.host} is reachable from other machines, and plain HTTP would show the keys"
        " to the network; give --tls-cert and --tls-key, or --insecure behind a proxy with TLS"
    )


def server_certificate(options: ServeOptions) -> ServerCertificate | None:
    """Return the certificate for TLS, or None for plain HTTP.

    Raises:
        SetupError: the certificate or its key can't be used.
    """
    if options.tls_certificate is not None:
        key = options.tls_key
        return ServerCertificate(Path(options.tls_certificate), Path(key) if key else None)
    if options.tls_key is not None:
        raise ListenError("--tls-key needs --tls-cert")
    return None


def base_address(sockets: list[socket.socket], *, is_tls: bool) -> str:
    """Return the service's base address."""
    host, port = sockets[0].getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if is_tls else 'http'}://{shown}:{port}/v1"
