"""The addresses of a host to listen on, and why one of them can't be used."""

from __future__ import annotations

import errno
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from pettui.system.files import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

OPTIONS: Final = "--host or --port"  # that choose where to listen


def addresses_of(host: str, port: int) -> Sequence[tuple[int, Any]]:
    """Return family and address of all that a host has; for any free port (0), of one.

    Raises:
        OSError, UnicodeError: there is none; the latter for a part of a name that is too long.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    addresses = list(dict.fromkeys((family, address) for family, _, _, _, address in found))
    return addresses if port else addresses[:1]


def bound(
    family: int, address: Any, options: Iterable[tuple[int, int]] = (), backlog: int | None = None
) -> socket.socket:
    """Return a socket that is bound to an address, and listens if it has a backlog.

    Args:
        family: of the address.
        address: one of ``addresses_of``.
        options: further ones of sockets (SOL_SOCKET), with their values.
        backlog: connections that may wait to be accepted; None if it does not listen yet.

    Raises:
        OSError: somebody else has the address, or it is not this machine's.
    """
    # asyncio turns Nagle's algorithm off only with an explicit protocol; else each response would
    # wait 40 ms for the client to acknowledge its headers.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        for option, value in ((socket.SO_REUSEADDR, 1), *options):
            listener.setsockopt(socket.SOL_SOCKET, option, value)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        if backlog is not None:
            listener.listen(backlog)
    except OSError:
        listener.close()
        raise
    return listener


@contextmanager
def listen_errors(
    host: str, port: int, kind: type[Exception], options: str = OPTIONS
) -> Iterator[None]:
    """Raise errors of a kind that say why a host and port, which options name, can't be used."""
    try:
        yield
    except (OSError, UnicodeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "no such address"
        message = f"cannot listen on {host}:{port}: {reason}; choose another {options}"
        raise kind(message) from error


def check_address(
    host: str,
    port: int,
    kind: type[Exception],
    options: str = OPTIONS,
    *,
    taken: tuple[str, int] | None = None,
) -> None:
    """Check that a host is this machine's, and its port allowed; nothing listens.

    Who uses the port does not count, unless this program itself will: it may run already.

    Args:
        host: a name or an address.
        port: 0 for any.
        kind: of the error.
        options: that choose another address.
        taken: where else the program listens.

    Raises:
        Exception: of that kind: it is another machine's, not allowed, or malformed.
    """
    with listen_errors(host, port, kind, options):
        if port and taken == (host, port):
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        for family, address in addresses_of(host, port):
            with socket.socket(family) as unused:
                try:
                    unused.bind(address)
                except OSError as error:
                    if error.errno != errno.EADDRINUSE:
                        raise
