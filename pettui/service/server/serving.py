"""The service over HTTP: ``serve`` listens until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import AsyncExitStack, ExitStack, closing, redirect_stderr
from typing import TYPE_CHECKING, Final

from pettui.logs import EventLog, EventStream, LogWriter, logged
from pettui.service.http.app import create_app
from pettui.service.server.http_server import StoppableServer, service_config
from pettui.service.server.listening import (
    ListenError,
    ServeOptions,
    base_address,
    listen,
    refuse_clear_text,
    server_certificate,
)
from pettui.service.server.signals import StartingSignals
from pettui.service.stores import open_store

__all__ = [
    "ListenError",
    "ServeOptions",
    "StoppableServer",
    "refuse_clear_text",
    "serve",
    "service_config",
]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TextIO

    from pettui.models import NewPet
    from pettui.service.known_keys import Keys
    from pettui.service.server.certificates import ServerCertificate

SWITCH_INTERVAL: Final = 0.0005  # seconds; the writing thread must not wait long for the event loop


def serve(
    options: ServeOptions,
    keys: Iterable[str] | Keys,
    samples: Iterable[NewPet] = (),
    *,
    access_log: TextIO | None = None,
    announce: Callable[[str], None] | None = None,
    signals: StartingSignals | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; then finish running requests and close the database.

    SIGHUP reloads the certificate; keys are reloaded whenever their file changes.

    Args:
        options: where and how.
        keys: the accepted bearer keys, or an object that knows them.
        samples: stored if the database is empty.
        access_log: gets a JSON line for each request; None for standard output.
        announce: called with the base address once requests are accepted.
        signals: already handled by the caller, or None.

    Raises:
        SetupError: it can't start.
        SystemExit: a signal came before requests were accepted.
    """
    refuse_clear_text(options)
    sys.setswitchinterval(SWITCH_INTERVAL)
    with ExitStack() as opened:
        if signals is None:
            signals = opened.enter_context(StartingSignals().handled())
        log = opened.enter_context(closing(LogWriter(access_log or sys.stdout)))
        process_log = opened.enter_context(closing(LogWriter(sys.stderr)))
        process_events = opened.enter_context(closing(EventLog(process_log)))
        opened.enter_context(logged(process_events))
        opened.enter_context(redirect_stderr(EventStream(process_events)))
        # uvicorn warns of every malformed request, and psycopg of every try to connect.
        for noisy in ("uvicorn.error", "psycopg.pool"):
            logging.getLogger(noisy).setLevel(logging.ERROR)
        certificate = server_certificate(options)
        asyncio.run(
            _serve(
                options,
                keys,
                samples,
                certificate,
                EventLog(log),
                announce=announce,
                signals=signals,
            )
        )


async def _serve(
    options: ServeOptions,
    keys: Iterable[str] | Keys,
    samples: Iterable[NewPet],
    certificate: ServerCertificate | None,
    event_log: EventLog,
    *,
    announce: Callable[[str], None] | None,
    signals: StartingSignals,
) -> None:
    async with AsyncExitStack() as opened:
        # The port comes first: if it is in use, no file is created.
        sockets = [opened.enter_context(one) for one in listen(options.host, options.port)]
        store = await open_store(options.database, samples)
        opened.push_async_callback(store.close)
        app = create_app(store, keys, limits=options.limits, event_log=event_log)
        server = StoppableServer(
            service_config(app, options.limits),
            lambda: announce and announce(base_address(sockets, is_tls=certificate is not None)),
            certificate=certificate,
            limits=options.connections,
        )
        signals.hand_over(server)
        if signals.is_reload_due and certificate is not None:
            certificate.reload()
        await server.serve(sockets)
