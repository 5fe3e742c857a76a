"""uvicorn's server, with connections and signals of our own; see ``uvicorn_names``."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pettui.service.server.acceptor import Acceptor
from pettui.service.server.connection_deadlines import DEFAULT_CONNECTIONS
from pettui.service.server.http_protocol import ServiceProtocol
from pettui.signals import handled, has_terminal

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from types import FrameType

    from starlette.types import ASGIApp

    from pettui.service.http.body import BodyLimits
    from pettui.service.server.certificates import ServerCertificate
    from pettui.service.server.connection_deadlines import ConnectionLimits
    from pettui.service.server.watched_socket import WatchedSocket

logger = logging.getLogger(__name__)


class StoppableServer(uvicorn.Server):
    """uvicorn's server, which exits normally after a signal."""

    def __init__(
        self,
        config: uvicorn.Config,
        started: Callable[[], object],
        *,
        certificate: ServerCertificate | None = None,
        limits: ConnectionLimits = DEFAULT_CONNECTIONS,
    ) -> None:
        super().__init__(config)
        self._announce, self._certificate, self._limits = started, certificate, limits
        self._had_terminal = has_terminal()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept requests, and announce that."""
        self._loop.set_exception_handler(log_loop_error)
        self._acceptor = Acceptor(
            sockets or [],
            self._protocol,
            self.server_state.connections,  # type: ignore[arg-type]
            lambda: None if self._certificate is None else self._certificate.context,
            self._limits,
        )
        self.servers = [self._acceptor]  # type: ignore[list-item]
        self._acceptor.start()
        self.started = True
        self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish running requests for a while, then close what is left."""
        await super().shutdown(sockets)
        await self._acceptor.end()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal, at once at a second SIGINT; afterwards none is raised again."""
        self._loop = asyncio.get_running_loop()  # before the signal handlers that need it
        ending = dict.fromkeys((signal.SIGINT, signal.SIGTERM), self.handle_exit)
        with handled({**ending, signal.SIGHUP: self._hang_up}):
            yield

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        """Reload the certificate; stop if the terminal that the server was started on is gone."""
        if self._had_terminal and not has_terminal():
            self.handle_exit(number, frame)
        elif self._certificate is not None:
            self._loop.call_soon_threadsafe(self._certificate.reload)

    def _protocol(self, client_socket: WatchedSocket) -> asyncio.Protocol:
        return ServiceProtocol(self.config, self.server_state, client_socket, self._limits)


def log_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an uncaught exception; lack of memory, which is not a bug, in one line."""
    if isinstance(context.get("exception"), MemoryError):
        logger.error("a connection was dropped: there is no memory left")
    else:
        loop.default_exception_handler(context)


def service_config(app: ASGIApp, limits: BodyLimits) -> uvicorn.Config:
    """Return uvicorn's settings, all explicit."""
    return uvicorn.Config(
        app,
        http=H11Protocol,  # not used: the acceptor creates the protocols
        loop="asyncio",
        ws="none",
        lifespan="off",
        workers=1,  # whatever WEB_CONCURRENCY says
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=DEFAULT_CONNECTIONS.keep_alive_seconds,
        # Longer than the slowest body, so that running requests get their response.
        timeout_graceful_shutdown=int(limits.seconds) + 5,
    )
