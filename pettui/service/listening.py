"""Where the service listens: addresses, ports and certificates."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from pettui.service.body import DEFAULT_LIMITS
from pettui.service.connection_limits import DEFAULT_CONNECTIONS
from pettui.service.store import SetupError

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.service.body import BodyLimits
    from pettui.service.connection_limits import ConnectionLimits


class ListenError(SetupError):
    """An address, a port or a certificate that can't be used."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where and how to serve."""

    database: str  # a path, or postgresql://…
    host: str = "127.0.0.1"
    port: int = 8080  # 0 for any that is free
    tls_certificate: Path | None = None  # PEM, with the chain
    tls_key: Path | None = None  # PEM; None when it stands in the certificate's file
    insecure: bool = False  # plain http beyond this machine
    limits: BodyLimits = DEFAULT_LIMITS
    connections: ConnectionLimits = DEFAULT_CONNECTIONS


def listen(host: str, port: int) -> list[socket.socket]:
    """Give sockets that listen on every address of a host; on one, for any free port.

    Raises:
        ListenError: the address is taken, not ours, or none at all.
    """
    place = f"{host}:{port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        wanted = list(dict.fromkeys((family, address) for family, _, _, _, address in found))
        return [_listening(*one) for one in (wanted if port else wanted[:1])]
    except OSError as error:
        reason = error.strerror or "no such address"
        message = f"cannot listen on {place}: {reason}; choose another --host or --port"
        raise ListenError(message) from error


def _listening(family: int, address: Any) -> socket.socket:
    # The protocol is named, or asyncio would not turn Nagle's algorithm off: each answer would
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
    """Refuse plain http beyond this machine: keys would travel in the clear.

    Raises:
        ListenError: neither TLS nor ``--insecure`` was asked for.
    """
    if options.insecure or options.tls_certificate or _is_loopback(options.host):
        return
    raise ListenError(
        f"host {options.host} is not this machine alone, and plain http would show the keys to"
        " the network; give --tls-cert and --tls-key, or --insecure behind a proxy with TLS"
    )


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def tls_context(options: ServeOptions) -> ssl.SSLContext | None:
    """Give what TLS needs, or None for plain http.

    Raises:
        ListenError: the certificate or its key can't be used.
    """
    if options.tls_certificate is None:
        if options.tls_key is not None:
            raise ListenError("--tls-key needs --tls-cert")
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # An encrypted key would ask for its password on a terminal that may not be there.
        context.load_cert_chain(options.tls_certificate, options.tls_key, password=lambda: b"")
    except OSError as error:
        reason = error.strerror
        if isinstance(error, ssl.SSLError):
            reason = "it must hold a certificate and a key that belong together, in PEM"
        place = f"--tls-cert {options.tls_certificate}"
        raise ListenError(f"{place} can't be used: {reason}") from error
    return context


def base_address(sockets: list[socket.socket], context: ssl.SSLContext | None) -> str:
    """Give the base address that a client is told."""
    host, port = sockets[0].getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{'http' if context is None else 'https'}://{shown}:{port}/v1"
