"""A worker: one process of the server, with its apps, connections and sessions."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import resource
import signal
import sys
import threading
import warnings
from base64 import b64decode
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from asyncssh import import_private_key

from pettui.ssh.admission import Slots
from pettui.ssh.app_tasks import AppEndedError
from pettui.ssh.apps.app_factory import AppFactory, Watched
from pettui.ssh.apps.bugs import line_of, traceback_text
from pettui.ssh.apps.served_app import RoutedPrints, ServedApp, SharedResources
from pettui.ssh.apps.stylesheets import ParsedStyles
from pettui.ssh.asyncssh_internals import ServerConnection
from pettui.ssh.connection import connection_options, watch_connections
from pettui.ssh.fair_loop import FairEventLoop, begin_activity
from pettui.ssh.listening_sockets import BACKLOG
from pettui.ssh.options import DRAIN, SshOptions
from pettui.ssh.proxy_protocol import ProxiedConnection
from pettui.ssh.server_state import BUG, CRASHED, STOPPING, ServerState
from pettui.ssh.watchdog import CHECKS, Interrupter, LoopBlockedError
from pettui.ssh.worker_link import MESSAGE_MAXIMUM, encoded
from pettui.system.background_tasks import PAUSE, keep_running, next_tick
from pettui.system.files import reason_of
from pettui.system.logs import EventLog, Field, LogWriter, logged
from pettui.text.safe import safe

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    import asyncssh

    from pettui.ssh.key_files import AuthorizedKeys

ACCEPT_SECONDS: Final = 0.05  # until asyncio has registered a connection that was just accepted
REPORT_SECONDS: Final = 1.0  # between two reports, while there is anything to report
RENEWAL_SECONDS: Final = 1.0  # between two checks whether the process is to be replaced
SHORT_SECONDS: Final = 3.0  # since a connection could not be accepted; asyncio retries each second
SHORTAGES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


Tell: TypeAlias = "Callable[..., None]"  # a message to the parent, see ``worker_link``
OpenFactory: TypeAlias = "Callable[[EventLog, Tell], AbstractAsyncContextManager[AppFactory[Any]]]"


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the caller provides to serve an app."""

    open_factory: OpenFactory  # in each process
    report_bug: Callable[[BaseException], Mapping[str, Field]]  # returns what the log says of it
    announce: Callable[[str, int, str], None]  # host, port and the host key's fingerprint
    styles: tuple[Path, ...] = ()  # files that its apps would read
    served: Mapping[str, str] = field(default_factory=dict)  # what is served, for the status
    watched: Watched = field(default_factory=Watched)  # what the factory's ``look`` looks at


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that each worker starts with."""

    options: SshOptions
    hooks: Hooks
    key: asyncssh.SSHKey  # the server's
    key_file: Path  # which has the key, and is read again by the parent
    keys: AuthorizedKeys | None  # None: anyone may log in
    styles: Mapping[Path, str] = field(default_factory=dict)  # the texts of such files


def run_as_worker(
    setup: Setup, sockets: Sequence[socket.socket], parent: socket.socket, stack: int
) -> int:
    """Serve in this process, which was just forked; return its exit code.

    Args:
        setup: of the server.
        sockets: that listen.
        parent: the socket for messages from and to the parent; the worker ends where that ends.
        stack: a descriptor of a file for what runs when the worker does not respond.
    """
    if not sys.warnoptions:  # libraries warn of weak keys of clients: the log is JSON
        warnings.simplefilter("ignore")
    try:
        with asyncio.Runner(loop_factory=FairEventLoop) as runner:
            loop = runner.get_loop()
            Interrupter(loop, setup.options.unresponsive_after, stack)
            _run(loop, _serve(setup, sockets, parent))
    # A worker must not return to the parent's code; none of ours cancels the task that serves.
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001
        with closing(LogWriter(sys.stderr)) as log:
            EventLog(log).write("bug", **setup.hooks.report_bug(error))
        return 1
    return 0


def _run(loop: asyncio.AbstractEventLoop, serving: Coroutine[None, None, None]) -> None:
    """Run to the end; if the loop fails, or an app stops it, the users are told before."""
    task = loop.create_task(serving)
    try:
        loop.run_until_complete(task)
    except Exception:
        if not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(task)
        raise


async def _serve(setup: Setup, sockets: Sequence[socket.socket], parent: socket.socket) -> None:
    # A log of its own: the parent's has its thread in the parent.
    with (
        closing(LogWriter(sys.stderr)) as log,
        closing(EventLog(log)) as event_log,
        logged(event_log),
    ):

        def report_bug(error: BaseException, **who: Field) -> None:
            event_log.write("bug", **who, **setup.hooks.report_bug(error))
            if setup.options.debug:
                log.write("".join(f"{safe(one)}\n" for one in traceback_text(error).splitlines()))

        reader, writer = await asyncio.open_unix_connection(sock=parent, limit=MESSAGE_MAXIMUM)

        def send(*message: object) -> None:
            if not writer.is_closing():  # the parent has ended
                writer.write(encoded(message))

        threading.excepthook = partial(_report_of_thread, asyncio.get_running_loop())
        # What an app logs is not to be found among a line for each packet.
        logging.getLogger("asyncssh").setLevel(logging.WARNING)
        if setup.options.debug:
            _log_everything(log)
        prints = RoutedPrints(event_log, log if setup.options.debug else None)
        shared = SharedResources(prints, ParsedStyles(dict(setup.styles)))
        with redirect_stdout(shared.prints), redirect_stderr(shared.prints):
            async with setup.hooks.open_factory(event_log, send) as factory:
                state = ServerState(
                    options=setup.options,
                    factory=factory,
                    report_bug=report_bug,
                    event_log=event_log,
                    slots=Slots(send),
                    shared=shared,
                    keys=setup.keys,
                )
                server = Server(state, setup.key)
                try:
                    await server.run(sockets, reader, send)
                except BaseException:  # a cancellation is that of ``_run``
                    await server.close(CRASHED, BUG.format(setup.options.name))
                    raise


def _report_of_thread(loop: asyncio.AbstractEventLoop, raised: threading.ExceptHookArgs) -> None:
    """Report what a thread raised that an app started, as what its tasks raise."""
    if raised.exc_value is not None and not isinstance(raised.exc_value, SystemExit):
        about = {"message": "in a thread", "exception": raised.exc_value}
        with suppress(RuntimeError):  # the process ends
            loop.call_soon_threadsafe(loop.call_exception_handler, about)


def _log_everything(log: LogWriter) -> None:
    """Have what apps and their libraries log written to standard error, too."""
    root = logging.getLogger()
    root.addHandler(logging.StreamHandler(log))
    root.setLevel(logging.INFO)


def accepted(
    state: ServerState, options: asyncssh.SSHServerConnectionOptions
) -> ServerConnection | ProxiedConnection:
    """Return the protocol of a new connection; until it has an app, users' keys go before it.

    It may be a while until its ``connection_made`` is called, and it counts from now on.
    """
    begin_activity()
    connect = partial(ServerConnection, asyncio.get_running_loop(), options)
    is_direct = not state.options.trusted_proxies
    connection = connect() if is_direct else ProxiedConnection(connect, state)
    state.accepted.add(connection)
    return connection


class Server:
    """The server in one worker."""

    def __init__(self, state: ServerState, key: asyncssh.SSHKey) -> None:
        """Start without sockets.

        Args:
            state: of the process.
            key: the host key.
        """
        self._state = state
        self._options = connection_options(state, key)  # of new connections
        self._listening: list[asyncio.Server] = []
        self._sockets: Sequence[socket.socket] = ()
        self._send: Callable[..., None] = lambda *_message: None  # to the parent
        self._stopping = asyncio.Event()
        self._is_replaced = False
        self._wants_look = asyncio.Event()

    async def listen(self, sockets: Sequence[socket.socket]) -> None:
        """Accept connections on these sockets."""
        loop, state = asyncio.get_running_loop(), self._state
        loop.set_exception_handler(LoopErrors(state))
        if isinstance(loop, FairEventLoop):
            loop.threads_at_once, loop.waits_long = state.options.threads, self._log_long_wait

        def accept() -> ServerConnection | ProxiedConnection:
            return accepted(state, self._options)

        for one in sockets:
            # A duplicate: it is closed where the process is to be replaced, and may continue then.
            # asyncio accepts ``backlog`` connections at once, and logs each lack of a descriptor.
            self._listening.append(await loop.create_server(accept, sock=one.dup(), backlog=1))
            one.listen(BACKLOG)

    def _log_long_wait(self, app: ServedApp[Any] | None, calls: int) -> None:
        """Log that calls of an app wait for its own, which all have not returned for long."""
        who: Mapping[str, Field] = {} if app is None else app.log_fields
        fields = {"threads": self._state.options.threads, "waiting": calls, **who}
        self._state.event_log.write("threads busy", **fields)

    async def run(
        self,
        sockets: Sequence[socket.socket],
        parent: asyncio.StreamReader,
        send: Callable[..., None],
    ) -> None:
        """Serve until a signal or the parent says so, or the parent ends; then end the sessions.

        Args:
            sockets: that listen; they are closed once nobody is to come here any more.
            parent: has its messages.
            send: sends it a message.
        """
        loop, state = asyncio.get_running_loop(), self._state
        self._sockets, self._send = sockets, send
        loop.add_signal_handler(signal.SIGTERM, self._stopping.set)
        await self.listen(sockets)
        linked = [  # to the parent, also while the sessions end
            self._keep("follow the parent", partial(self._follow, parent), pause=0.0),
            self._keep("report", self._report),
        ]
        background = [
            self._keep("collect unused memory", state.gc_schedule.collect),
            self._keep("watch connections", partial(watch_connections, state)),
            self._keep("end once grown", self._end_once_grown),
            self._keep("look", self._look),
        ]
        if state.factory.can_prepare:
            background.append(self._keep("keep apps ready", state.apps.keep_ready))
        await self._stopping.wait()
        for task in background:
            task.cancel()
        await self.close()
        for task in linked:
            task.cancel()

    def _keep(
        self, name: str, run: Callable[[], Coroutine[None, None, None]], pause: float = PAUSE
    ) -> asyncio.Task[None]:
        return asyncio.create_task(keep_running(run, self._state.report_bug, pause), name=name)

    async def _follow(self, parent: asyncio.StreamReader) -> None:
        """Do what the parent says, until it ends."""
        with suppress(ConnectionError):
            while line := await parent.readline():
                await self._do(json.loads(line))
        self._state.slots.close(STOPPING)
        self._stopping.set()

    async def _do(self, message: list[Any]) -> None:
        match message:
            case ["stop"]:
                self._stopping.set()
            case ["read again", text]:  # the host key, for new connections
                self._state.factory.read_again()
                self._options = connection_options(self._state, import_private_key(text))
            case ["keys", text] if self._state.keys is not None:
                self._state.keys.use(b64decode(text))
            case ["look"]:
                self._wants_look.set()
            case ["drain", seconds, leaves]:
                self.drain(seconds)
                if leaves:
                    await self._leave_port()
                    for one in self._sockets:
                        one.close()
            case _:
                self._state.slots.receive(message)

    def drain(self, seconds: float) -> None:
        """Have all sessions end within some seconds; the parent admits no new ones."""
        state = self._state
        state.drains_until = asyncio.get_running_loop().time() + seconds
        state.factory.drain()
        for session in tuple(state.sessions.values()):
            session.drain(state.drains_until)

    async def _report(self) -> None:
        """Report what was counted, and that the process responds, until cancelled."""
        loop, load = asyncio.get_running_loop(), self._state.load
        silence = self._state.options.unresponsive_after / CHECKS
        due = loop.time()
        while True:
            load.dropped_lines(self._state.event_log.dropped)
            if loop.time() >= due or not load.is_empty:
                self._send("report", *load.drain())
                due = loop.time() + silence
            await next_tick(min(REPORT_SECONDS, silence))

    async def _look(self) -> None:
        """Look at what the apps depend on whenever the parent says so, until cancelled."""
        while True:
            await self._wants_look.wait()
            self._wants_look.clear()
            found = await self._state.factory.look()
            known = {name: None if isnan(each) else each for name, each in found.numbers.items()}
            self._send("look", dict(found.parts), known)

    async def _end_once_grown(self) -> None:
        """Have another process take over once this one has grown and is empty.

        Clients that come meanwhile wait in the socket, which the other one gets, too.
        """
        while not self._stopping.is_set():
            await until_grown(self._state)
            if self._state.is_draining:  # it ends anyway
                return
            await self._leave_port()
            if self._state.is_empty:
                self._is_replaced = True
                self._stopping.set()
            elif not self._state.is_draining:
                await self.listen(self._sockets)

    async def _leave_port(self) -> None:
        """Accept nobody any more; whom asyncio has just accepted gets a connection."""
        for listening in self._listening:
            for one in listening.sockets:
                asyncio.get_running_loop().remove_reader(one)
        await asyncio.sleep(ACCEPT_SECONDS)  # asyncio drops new connections of a closed server
        self._stop_accepting()

    def _stop_accepting(self) -> None:
        listening, self._listening = self._listening, []
        for server in listening:
            server.close()

    async def close(self, reason: str = "stopped", message: str = STOPPING) -> None:
        """Stop accepting, end all sessions with a message, and restore their terminals."""
        state = self._state
        state.is_closing = True
        state.logins.close()
        self._stop_accepting()
        if not self._is_replaced:
            state.event_log.write("stopping", sessions=len(state.sessions))
        for session in tuple(state.sessions.values()):
            session.end(reason, message)
        await state.apps.close()
        if state.sessions:
            await asyncio.wait(tuple(state.sessions), timeout=DRAIN)
        await self._wait_for_clients()
        for connection in tuple(state.connections):
            connection.abort()
        await asyncio.sleep(0)
        if not self._is_replaced:
            state.event_log.write("stopped")

    async def _wait_for_clients(self) -> None:
        """Give clients a moment to read: aborting a connection discards unsent output."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await asyncio.gather(*(one.wait_closed() for one in self._state.connections))


async def until_grown(state: ServerState, measure: Callable[[], int] | None = None) -> None:
    """Wait until a process has grown since its start, and has been empty for a while.

    Python and the C library return little memory of ended sessions: many pages still contain a few
    objects.

    Args:
        state: of the process.
        measure: returns the memory of the process in bytes; ``own_memory`` if None.
    """
    measure = measure or own_memory
    loop, options = asyncio.get_running_loop(), state.options
    seen, empty_since = state.connection_count, loop.time()
    while True:
        now = loop.time()
        if not state.connection_count:  # apps are being prepared
            state.first_memory = max(state.first_memory, measure())
        elif not state.is_empty or state.connection_count != seen:
            seen, empty_since = state.connection_count, now
        elif now - empty_since >= options.renew_after:
            empty_since = now
            if measure() >= state.first_memory * options.growth:
                return
        await next_tick(min(RENEWAL_SECONDS, options.renew_after))


def own_memory() -> int:
    """Return the bytes of this process that are in memory, shared ones included."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # no descriptor is left, or not Linux: the peak
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()


class LoopErrors:
    """An event loop's exception handler: it reports bugs, and logs OS errors that no app raised."""

    def __init__(self, state: ServerState) -> None:
        self._state = state

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log or report an error."""
        error = context.get("exception")
        if isinstance(error, AppEndedError):  # nobody awaited what ended its app
            return
        if isinstance(error, LoopBlockedError) and error.is_of_app:  # which has it as its bug
            return
        if error is None:
            loop.default_exception_handler(context)
        elif isinstance(error, OSError) and error.errno in SHORTAGES:
            if loop.time() >= self._state.short_until:  # it begins
                self._state.event_log.write("shortage", reason=reason_of(error))
            self._state.short_until = loop.time() + SHORT_SECONDS
        elif isinstance(error, OSError) and not line_of(error):
            self._state.event_log.write("error", reason=str(error) or type(error).__name__)
        else:
            app = getattr(context.get("task") or context.get("future"), "app", None)
            self._state.report_bug(error, **getattr(app, "log_fields", {}))
