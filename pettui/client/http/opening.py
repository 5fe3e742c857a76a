"""Opens the transport to a service: connections, certificates and proxy."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import httpx

from pettui.client.errors import NoAnswerError
from pettui.client.http.transport import Transport
from pettui.client.http.transport_errors import system_reason
from pettui.client.parsing.addresses import host_and_port
from pettui.regular_files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pettui.settings import Limits

CERTIFICATES_MAXIMUM = 4_000_000  # bytes
NO_CERTIFICATE = "it holds no certificate (PEM)"


def open_transport(
    transport: httpx.AsyncBaseTransport | Callable[[], httpx.AsyncBaseTransport] | None,
    base_url: str,
    limits: Limits,
    proxy: str | None,
    ca_file: Path | None,
) -> Transport:
    """Open the transport to a service: the network, unless another, or what makes one, is given.

    Raises:
        NoAnswerError: the CA file, or what the other transport needs, cannot be opened.
    """
    try:
        if transport is None:
            trusted = _trusted(ca_file, base_url)
            return Transport(
                _network(limits, trusted, proxy, keep_alive=limits.connections),
                _network(limits, trusted, proxy, keep_alive=0),
                base_url,
                limits,
            )
        given = transport() if callable(transport) else transport
        return Transport(given, given, base_url, limits)
    except OSError as error:
        reason = f"{error.filename}: {system_reason(error)}" if error.filename else str(error)
    raise NoAnswerError("connect to", host_and_port(base_url), reason)


def _trusted(ca_file: Path | None, base_url: str) -> ssl.SSLContext:
    """Return who is trusted: over plain http nobody, since loading the usual ones takes 20 ms."""
    if ca_file is None and base_url.startswith("http:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_file is None:
        return httpx.create_ssl_context(trust_env=False)
    try:
        content = read_regular_file(ca_file, CERTIFICATES_MAXIMUM).content
        text = content.decode("ascii", "ignore")
        if text:  # with an empty text, the well-known authorities would be trusted
            return ssl.create_default_context(cadata=text)
        problem = NO_CERTIFICATE
    except ssl.SSLError:
        problem = NO_CERTIFICATE
    except OSError as error:
        problem = system_reason(error)
    raise OSError(f"the CA file {ca_file}: {problem}")


def _network(
    limits: Limits, trusted: ssl.SSLContext, proxy: str | None, *, keep_alive: int
) -> httpx.AsyncHTTPTransport:
    is_secure = proxy is not None and proxy.startswith("https:")
    return httpx.AsyncHTTPTransport(
        verify=trusted,
        trust_env=False,
        proxy=proxy and httpx.Proxy(proxy, ssl_context=trusted if is_secure else None),
        limits=httpx.Limits(
            max_connections=limits.connections,
            max_keepalive_connections=keep_alive,
            keepalive_expiry=limits.idle,
        ),
    )
