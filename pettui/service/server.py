"""``serve``: the service over HTTP/1.1 and TLS, from its start to its end.

uvicorn turns the requests of a connection into ASGI (``connection``). It has no options for a bound
on connections, deadlines of TLS handshakes and certificates that are read again: so it does not
accept connections itself, and its ``Server`` is not used.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import sys
import time
from contextlib import (
    AsyncExitStack,
    ExitStack,
    closing,
    redirect_stderr,
    suppress,
)
from dataclasses import dataclass, replace
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pettui.service import SetupError
from pettui.service.access_log import AccessLog
from pettui.service.app import are_usable, create_app
from pettui.service.certificates import ServerCertificate
from pettui.service.connection import (
    DEFAULT_CONNECTION_LIMITS,
    ConnectionLimits,
    CountingSocket,
    ServiceProtocol,
    ServiceState,
)
from pettui.service.database_trouble import DatabaseTrouble
from pettui.service.endpoints import BODY_SECONDS_MAXIMUM
from pettui.service.stores import described, open_store
from pettui.service.stores.store import Store, StoreAwayError, StoreUnavailableError
from pettui.system import systemd
from pettui.system.addresses import Network, is_loopback, spellings
from pettui.system.files import reason_of
from pettui.system.listening import OPTIONS, addresses_of, bound, listen_errors
from pettui.system.logs import EventLog, EventStream, LogWriter, logged

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Collection, Iterable

    from starlette.types import ASGIApp

    from pettui.models.pets import NewPet
    from pettui.service.keys import KeyFile, ServedKeys
    from pettui.service.metrics import Metrics
    from pettui.system.signals import ServiceSignals

SWITCH_INTERVAL: Final = 0.0005  # seconds; the writing thread must not wait long for the event loop
TICK: Final = 0.5  # seconds between two checks of all deadlines
USES_SECONDS: Final = 60.0  # between two writings of when keys were used last
BACKLOG: Final = 1024  # connections that wait to be accepted
ENDING_SECONDS: Final = BODY_SECONDS_MAXIMUM + 5  # so that a slow body gets its response
LAST_SECONDS: Final = 1.0  # for the last request of a connection when the service ends
STALLED_SECONDS: Final = 5.0  # for a client to go on receiving its response then
PAUSE: Final = 0.05  # seconds, while there is no room for another connection
METRICS_LIMITS: Final = ConnectionLimits(maximum=16)
LOG_EVERY: Final = 60.0  # seconds, of connections that cannot be accepted

logger = logging.getLogger(__name__)


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
    trusted_proxies: tuple[Network, ...] = ()  # whose X-Forwarded-For is believed
    metrics: tuple[str, int] | None = None  # where to serve them; None for none
    sockets: tuple[socket.socket, ...] = ()  # that listen already; then host and port do not count
    connection_limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS


def serve(
    options: ServeOptions,
    keys: ServedKeys,
    samples: Iterable[NewPet],
    *,
    announce: Callable[[str], None],
    signals: ServiceSignals,
) -> None:
    """Serve until SIGTERM or SIGINT; then finish running requests and close the database.

    SIGHUP reloads the certificate; keys are reloaded whenever their file changes. systemd is told
    what happens. Standard output gets a JSON line for each request, standard error all else.

    Args:
        options: where and how.
        keys: the accepted bearer keys.
        samples: stored if the database is empty.
        announce: called with the base address once requests are accepted.
        signals: already handled by the caller.

    Raises:
        SetupError: it can't start.
        SystemExit: a signal came before requests were accepted.
    """
    refuse_clear_text(options)
    sys.setswitchinterval(SWITCH_INTERVAL)
    with ExitStack() as opened:
        log = opened.enter_context(closing(LogWriter(sys.stdout)))
        process_log = opened.enter_context(closing(LogWriter(sys.stderr)))
        process_events = opened.enter_context(closing(EventLog(process_log)))
        opened.enter_context(logged(process_events))
        opened.enter_context(redirect_stderr(EventStream(process_events)))
        # uvicorn warns of every malformed request, and psycopg of every try to connect.
        for noisy in ("uvicorn.error", "psycopg.pool"):
            logging.getLogger(noisy).setLevel(logging.ERROR)
        certificate = certificate_of(options)
        logs = EventLog(log), process_events
        served = _serve(
            options, keys, samples, certificate, logs, announce=announce, signals=signals
        )
        asyncio.run(served)


async def _serve(
    options: ServeOptions,
    keys: ServedKeys,
    samples: Iterable[NewPet],
    certificate: ServerCertificate | None,
    logs: tuple[EventLog, EventLog],  # of requests, and of all else
    *,
    announce: Callable[[str], None],
    signals: ServiceSignals,
) -> None:
    async with AsyncExitStack() as opened:
        # The port comes first: if it is in use, no file is created.
        listening = options.sockets or listen(options.host, options.port)
        sockets = [opened.enter_context(one) for one in listening]
        metrics = None
        if options.metrics is not None:
            shown = [opened.enter_context(one) for one in listen(*options.metrics, "--metrics")]
            metrics = await _opened_metrics(opened, shown)
        trouble = DatabaseTrouble(described(options.database))
        store = await open_store(options.database, samples, may_be_away=True)
        opened.push_async_callback(store.close)
        app = create_app(
            store,
            keys,
            trouble=trouble,
            access_log=AccessLog(logs[0], metrics),
        )
        server = Server(
            app,
            certificate,
            options.connection_limits,
            trusted_proxies=options.trusted_proxies,
        )
        if metrics is not None:
            _watch(metrics, server, trouble, certificate, keys, logs=logs)
        tending = asyncio.create_task(tend_keys(keys.file))
        opened.callback(keys.file.uses.save)
        opened.callback(tending.cancel)
        signals.hand_over(server)
        address = base_address(sockets, is_tls=certificate is not None)

        def started() -> None:
            announce(address)
            if metrics is not None:
                host, port = shown[0].getsockname()[:2]
                logs[1].write("metrics", host=host, port=port)
            systemd.tell_ready()

        if store.is_ready:
            await server.serve(sockets, started)
            return
        systemd.tell_status("waits for its database")
        opening = asyncio.create_task(_open_late(store, trouble, server))
        await server.serve(sockets, started)
        opening.cancel()
        with suppress(asyncio.CancelledError):
            await opening  # raises StoreError if the database came, and can't be used


def _watch(
    metrics: Metrics,
    server: Server,
    trouble: DatabaseTrouble,
    certificate: ServerCertificate | None,
    keys: ServedKeys,
    *,
    logs: Iterable[EventLog],
) -> None:
    """Have the metrics tell of a server and of what it needs, as they are at that time."""
    watch, count = metrics.watch, metrics.watch_count
    watch("pettui_store_usable", "Whether the store can be used.", lambda: trouble.is_over)
    usable = "Whether the keys can be told from others."
    watch("pettui_keys_usable", usable, lambda: are_usable(keys))
    watch("pettui_connections", "Open connections.", server.connections.__len__)
    if certificate is not None:
        end = "When the certificate expires, in seconds since 1970."
        watch("pettui_certificate_expiry_time_seconds", end, lambda: certificate.end)
    malformed = "Connections that were closed since what came is not HTTP."
    count("pettui_malformed_requests", malformed, lambda: server.malformed)
    dropped = "Lines that the logs lost."
    count("pettui_log_lines_dropped", dropped, lambda: sum(log.dropped for log in logs))
    metrics.watch_keys(keys.file)


async def _open_late(store: Store, trouble: DatabaseTrouble, server: Server) -> None:
    """Wait for a database; a service that cannot use the one that comes is stopped."""
    try:
        await wait_for(store, trouble)
        systemd.tell_status("")
    finally:
        if not store.is_ready:
            server.stop()


async def tend_keys(keys: KeyFile) -> None:
    """Save when keys were used last, and warn of their end, once a minute until cancelled."""
    while True:
        try:
            keys.warn_daily()
            await asyncio.to_thread(keys.uses.save)  # a disk may take its time
        except Exception:  # a bug, and no reason to end; no request needs any of this
            logger.exception("keys that end were not warned of, or their last uses not saved")
        await asyncio.sleep(USES_SECONDS)


async def _opened_metrics(opened: AsyncExitStack, sockets: list[socket.socket]) -> Metrics:
    """Serve metrics on a second address, until the end of a block."""
    from pettui.service.metrics import Metrics  # noqa: PLC0415 - takes a tenth of a second

    metrics = Metrics()
    page = Server(metrics.page(), None, METRICS_LIMITS, ending_seconds=1.0)
    serving = asyncio.create_task(page.serve(sockets, lambda: None))

    async def stop() -> None:
        page.stop()
        await serving

    opened.push_async_callback(stop)
    return metrics


class Server:
    """Accepts connections until it is stopped: as many as there is room for.

    The next ones wait to be accepted.
    """

    def __init__(
        self,
        app: ASGIApp,
        certificate: ServerCertificate | None = None,
        limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
        *,
        ending_seconds: float = ENDING_SECONDS,
        trusted_proxies: Collection[Network] = (),
    ) -> None:
        self._limits = limits
        self._config = uvicorn.Config(
            app,
            http=HttpToolsProtocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            workers=1,  # whatever WEB_CONCURRENCY says
            proxy_headers=bool(trusted_proxies),
            forwarded_allow_ips=[
                text for network in trusted_proxies for text in spellings(network)
            ],
            server_header=False,
        )
        self._config.load()
        self._state = ServiceState()
        self.connections: set[Any] = self._state.connections  # each adds itself
        self._certificate = certificate
        self._capacity = min(self._limits.maximum, max(1, _descriptors() // 2))
        self._ending_seconds = ending_seconds
        self._opening: dict[asyncio.Task[None], float] = {}  # since when
        self._short_at = -LOG_EVERY  # of descriptors, the last time
        self._is_urgent = False
        self._stop = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    @property
    def malformed(self) -> int:
        """How many malformed requests it got."""
        return self._state.malformed

    def stop(self, *, at_once: bool = False) -> None:
        """Accept no more connections and end soon, or at once; a signal handler may call this."""
        self._is_urgent = self._is_urgent or (at_once and self._stop.is_set())
        self._loop.call_soon_threadsafe(self._stop.set)

    def reload(self) -> None:
        """Read the certificate again; a signal handler may call this."""
        self._loop.call_soon_threadsafe(self._reload)

    def _reload(self) -> None:
        systemd.tell_reloading()
        if self._certificate is not None:
            self._certificate.reload()
        systemd.tell_ready()

    async def serve(self, listeners: list[socket.socket], started: Callable[[], object]) -> None:
        """Serve until it is stopped; then finish running requests, and close what is left."""
        self._loop.set_exception_handler(log_loop_error)
        for listener in listeners:
            listener.setblocking(False)
            self._listen(listener)
        started()
        while not self._stop.is_set():
            self._tick()
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._stop.wait()
        systemd.tell_stopping()
        for listener in listeners:
            self._loop.remove_reader(listener)
            listener.close()
        await self._end()

    async def _end(self) -> None:
        """Let running requests end, and close all connections.

        One that was just accepted may send its request: it was not refused, and who comes later
        is another process's, if that has the same socket.
        """
        self._limits = replace(
            self._limits, idle_seconds=LAST_SECONDS, stalled_seconds=STALLED_SECONDS
        )
        end = time.monotonic() + self._ending_seconds
        while (self.connections or self._state.tasks or self._opening) and time.monotonic() < end:
            if self._is_urgent:
                break
            for connection in tuple(self.connections):
                if not connection.transport.is_closing():
                    connection.shutdown()
            self._tick()
            await asyncio.sleep(PAUSE)
        for task in self._opening:
            task.cancel()
        for connection in tuple(self.connections):
            connection.transport.abort()
        if tasks := {*self._state.tasks, *self._opening}:
            await asyncio.wait(tasks, timeout=1.0)
        await asyncio.sleep(0)  # for the transports to close their sockets

    def _listen(self, listener: socket.socket) -> None:
        if not self._stop.is_set():
            self._loop.add_reader(listener, self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        if self._is_full():
            self._pause(listener)
            return
        try:
            accepted, _ = listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:  # no descriptors, no memory, no network
            self._log_shortage(error)
            self._pause(listener)
            return
        task = self._loop.create_task(self._open(CountingSocket(accepted)))
        self._opening[task] = time.monotonic()
        task.add_done_callback(self._opening.pop)

    def _pause(self, listener: socket.socket) -> None:
        self._loop.remove_reader(listener)
        self._loop.call_later(PAUSE, self._listen, listener)

    async def _open(self, client: CountingSocket) -> None:
        """Give a connection its protocol, over TLS after the handshake."""
        protocol = partial(ServiceProtocol, self._config, self._state, client)
        context = None if self._certificate is None else self._certificate.context
        try:
            await self._loop.connect_accepted_socket(protocol, client, ssl=context)
        except BaseException as error:
            client.close()
            # Its frames and asyncio's TLS objects (0.3 MB) refer to each other: a cycle that would
            # be collected only after hundreds of them.
            error.__traceback__ = None
            if not isinstance(error, OSError):  # errors of the client's, also in TLS, are no news
                raise

    def _is_full(self) -> bool:
        return len(self.connections) + len(self._opening) >= self._capacity

    def _log_shortage(self, error: OSError) -> None:
        now = time.monotonic()
        if now - self._short_at >= LOG_EVERY:
            count = len(self.connections) + len(self._opening)
            logger.error("no connection can be accepted: %s; %d are open", reason_of(error), count)
        self._short_at = now

    def _tick(self) -> None:
        """Write the date of the next responses, and close connections that are overdue."""
        if self._certificate is not None:
            self._certificate.warn_daily()
        self._state.default_headers = [(b"date", formatdate(usegmt=True).encode())]
        now = time.monotonic()
        for connection in tuple(self.connections):  # each on its own: one may raise
            self._loop.call_soon(connection.check, now, self._limits)
        for task, since in self._opening.items():
            if now - since > self._limits.idle_seconds:
                task.cancel()


def listen(host: str, port: int, options: str = OPTIONS) -> list[socket.socket]:
    """Return sockets that listen on every address of a host; for any free port, on one.

    Args:
        host: a name or an address.
        port: 0 for a free one.
        options: that choose another address.

    Raises:
        ListenError: the address is in use, not this machine's, or malformed.
    """
    with listen_errors(host, port, ListenError, options):
        return [bound(*one, backlog=BACKLOG) for one in addresses_of(host, port)]


def refuse_clear_text(options: ServeOptions) -> None:
    """Refuse plain HTTP beyond this machine: keys would be sent unencrypted.

    Raises:
        ListenError: neither TLS nor ``--insecure`` was given.
    """
    if options.insecure or options.tls_certificate:
        return
    hosts = [one.getsockname()[0] for one in options.sockets] or [options.host]
    reachable = [host for host in hosts if not is_loopback(host)]
    if not reachable:
        return
    raise ListenError(
        f"host {reachable[0]} is reachable from other machines, and plain HTTP would show the keys"
        " to the network; give --tls-cert and --tls-key, or --insecure behind a proxy with TLS"
    )


def certificate_of(options: ServeOptions) -> ServerCertificate | None:
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


def log_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an uncaught exception; lack of memory, which is not a bug, in one line."""
    if isinstance(context.get("exception"), MemoryError):
        logger.error("a connection was dropped: there is no memory left")
    else:
        loop.default_exception_handler(context)


def _descriptors() -> int:
    """Return how many descriptors the process may open; connections get half of them."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft


RETRY_SECONDS: Final = 5.0
LOG_SECONDS: Final = 30.0


async def wait_for(store: Store, trouble: DatabaseTrouble) -> None:
    """Try again until the database is there; the log has the reason, each half minute.

    Raises:
        StoreError: there it is, and it can't be used.
    """
    logged = time.monotonic()
    while not store.is_ready:
        try:
            with trouble.watched(is_read=True):
                await _prepared(store)
        except StoreUnavailableError as error:
            if time.monotonic() - logged >= LOG_SECONDS:
                logged = time.monotonic()
                logger.warning("the database is still awaited: %s", error)
            await asyncio.sleep(RETRY_SECONDS)


async def _prepared(store: Store) -> None:
    try:
        await store.prepare()
    except StoreAwayError as error:
        raise StoreUnavailableError(str(error)) from None
