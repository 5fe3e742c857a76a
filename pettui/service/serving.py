"""The service over HTTP: ``serve`` listens until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, Final

import uvicorn

from pettui.service.app import create_app
from pettui.service.databases import open_store
from pettui.service.http_protocol import ServiceProtocol
from pettui.service.listening import (
    ListenError,
    ServeOptions,
    base_address,
    listen,
    refuse_clear_text,
    tls_context,
)

__all__ = ["ListenError", "ServeOptions", "refuse_clear_text", "serve"]

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from starlette.types import ASGIApp

    from pettui.models import NewPet
    from pettui.service.body import BodyLimits
    from pettui.service.keys import Keys

KEEP_ALIVE: Final = 15  # seconds that an idle connection is kept
HEADER_SIZE: Final = 32 * 1024  # bytes
SWITCH_INTERVAL: Final = 0.0005  # seconds; the writing thread must not wait for the event loop


def serve(
    options: ServeOptions,
    keys: Iterable[str] | Keys,
    samples: Iterable[NewPet] = (),
    *,
    access_log: TextIO | None = None,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; answers in flight are finished, and the database closed.

    Args:
        options: where and how.
        keys: the bearer keys that are let in, or an object that knows them.
        samples: put into the database if it is empty.
        access_log: a JSON line a request; standard output where None.
        announce: told the base address once requests are taken.

    Raises:
        SetupError: it can't start; one line says why and what to do.
    """
    refuse_clear_text(options)
    context = tls_context(options)
    sys.setswitchinterval(SWITCH_INTERVAL)
    logging.basicConfig(format="pettui: %(message)s", stream=sys.stderr)
    # uvicorn warns of every malformed request; what a client sends is no matter for our log.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    asyncio.run(
        _serve(
            options,
            keys=keys,
            samples=samples,
            context=context,
            access_log=access_log or sys.stdout,
            announce=announce,
        )
    )


async def _serve(
    options: ServeOptions,
    *,
    keys: Iterable[str] | Keys,
    samples: Iterable[NewPet],
    context: ssl.SSLContext | None,
    access_log: TextIO,
    announce: Callable[[str], None] | None,
) -> None:
    async with AsyncExitStack() as opened:
        # The port comes first: where it is taken, no file is made.
        sockets = [opened.enter_context(one) for one in listen(options.host, options.port)]
        store = await open_store(options.database, samples)
        opened.push_async_callback(store.close)
        app = create_app(store, keys, limits=options.limits, access_log=access_log)
        config = service_config(app, options.limits, context)
        server = StoppableServer(
            config, lambda: announce and announce(base_address(sockets, context))
        )
        await server.serve(sockets)


def service_config(
    app: ASGIApp, limits: BodyLimits, context: ssl.SSLContext | None
) -> uvicorn.Config:
    """Give uvicorn's settings, each chosen."""
    return uvicorn.Config(
        app,
        http=ServiceProtocol,
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        # Longer than the slowest body: what has begun is answered, and not cut.
        timeout_graceful_shutdown=int(limits.seconds) + 5,
        h11_max_incomplete_event_size=HEADER_SIZE,
        ssl_context_factory=None if context is None else lambda _config, _default: context,
    )


class StoppableServer(uvicorn.Server):
    """uvicorn's server, which after a signal ends as if it had been asked, and not killed."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], object]) -> None:
        super().__init__(config)
        self._announce = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take requests, and say so."""
        await super().startup(sockets)
        self._announce()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal, at once at the second SIGINT; it is not raised again afterwards."""
        signals = (signal.SIGINT, signal.SIGTERM)
        former = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
