"""Ports that a test may name before its servers listen, and while they do not."""

from __future__ import annotations

import socket
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def reserved_ports(count: int) -> Iterator[list[int]]:
    """Yield ports that nobody gets who asks for any, and that refuse until a server listens.

    A socket that is bound and does not listen sees to both. A server that names the port gets it
    even so, since both have SO_REUSEADDR.
    """
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("127.0.0.1", 0))
        yield [one.getsockname()[1] for one in sockets]


@contextmanager
def reserved_port() -> Iterator[int]:
    """Yield one such port."""
    with reserved_ports(1) as [port]:
        yield port
