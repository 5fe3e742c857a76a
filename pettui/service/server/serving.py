"""The service over HTTP: ``serve`` listens until it is told to stop."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack, ExitStack, closing
from typing import TYPE_CHECKING, Final

from pettui.log_writer import LogWriter
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
from pettui.service.server.process_log import process_log
from pettui.service.server.signals import StartingSignals
from pettui.service.stores.open_store import open_store

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

    from pettui.log_writer import Log
    from pettui.models import NewPet
    from pettui.service.known_keys import Keys
    from pettui.service.server.certificates import ServerCertificate

SWITCH_INTERVAL: Final = 0.0005  # seconds; the writing thread must not wait for the event loop


def serve(
    options: ServeOptions,
    keys: Iterable[str] | Keys,
    samples: Iterable[NewPet] = (),
    *,
    access_log: TextIO | None = None,
    announce: Callable[[str], None] | None = None,
    signals: StartingSignals | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; answers in flight are finished, and the database closed.

    SIGHUP reads the certificate again; keys are read whenever their file changes.

    Args:
        options: where and how.
        keys: the bearer keys that are let in, or an object that knows them.
        samples: put into the database if it is empty.
        access_log: a JSON line a request; standard output where None.
        announce: told the base address once requests are taken.
        signals: minded by the caller already; None where they are not.

    Raises:
        SetupError: it can't start; one line says why and what to do.
        SystemExit: a signal came before it took requests.
    """
    refuse_clear_text(options)
    sys.setswitchinterval(SWITCH_INTERVAL)
    with ExitStack() as opened:
        if signals is None:
            signals = opened.enter_context(StartingSignals().minded())
        requests = opened.enter_context(closing(LogWriter(access_log or sys.stdout)))
        opened.enter_context(process_log(opened.enter_context(closing(LogWriter(sys.stderr)))))
        certificate = server_certificate(options)
        asyncio.run(
            _serve(
                options,
                keys=keys,
                samples=samples,
                certificate=certificate,
                access_log=requests,
                announce=announce,
                signals=signals,
            )
        )


async def _serve(
    options: ServeOptions,
    *,
    keys: Iterable[str] | Keys,
    samples: Iterable[NewPet],
    certificate: ServerCertificate | None,
    access_log: Log,
    announce: Callable[[str], None] | None,
    signals: StartingSignals,
) -> None:
    async with AsyncExitStack() as opened:
        # The port comes first: where it is taken, no file is made.
        sockets = [opened.enter_context(one) for one in listen(options.host, options.port)]
        store = await open_store(options.database, samples)
        opened.push_async_callback(store.close)
        app = create_app(store, keys, limits=options.limits, access_log=access_log)
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
