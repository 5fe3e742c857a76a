"""The service over HTTP: ``serve`` listens until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import ssl
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from pettui.service.app import DEFAULT_LIMITS, create_app
from pettui.service.databases import open_store
from pettui.service.http_protocol import ServiceProtocol
from pettui.service.store import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import TextIO

    from starlette.types import ASGIApp

    from pettui.models import NewPet
    from pettui.service.body import BodyLimits
    from pettui.service.keys import Keys

KEEP_ALIVE: Final = 15  # seconds that an idle connection is kept
HEADER_SIZE: Final = 32 * 1024  # bytes
SWITCH_INTERVAL: Final = 0.0005  # seconds; the writing thread must not wait for the event loop


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
    context = _tls(options)
    sys.setswitchinterval(SWITCH_INTERVAL)
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
    store = await open_store(options.database, samples)
    try:
        sockets = listen(options.host, options.port)
        app = create_app(store, keys, limits=options.limits, access_log=access_log)
        config = _config(app, options.limits, context)
        server = StoppableServer(config, lambda: announce and announce(_address(sockets, context)))
        await server.serve(sockets)
    finally:
        await store.close()


def _config(app: ASGIApp, limits: BodyLimits, context: ssl.SSLContext | None) -> uvicorn.Config:
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
    listener = socket.socket(family, socket.SOCK_STREAM)
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


def _tls(options: ServeOptions) -> ssl.SSLContext | None:
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


def _address(sockets: list[socket.socket], context: ssl.SSLContext | None) -> str:
    host, port = sockets[0].getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{'http' if context is None else 'https'}://{shown}:{port}/v1"
