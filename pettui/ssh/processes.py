"""The parent: starts a worker per core on one port, admits their clients, and replaces workers.

It does nothing but wait: no thread and no event loop of asyncio runs where a worker is forked.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import socket
import sys
import time
import traceback
from base64 import b64encode
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pettui.ssh import listening_sockets
from pettui.ssh.admission import Admission
from pettui.ssh.apps.collecting import freeze
from pettui.ssh.health import DRAINS, NOBODY_SERVES, Health
from pettui.ssh.key_files import AuthorizedKeys, host_key, read_host_key
from pettui.ssh.load import Report
from pettui.ssh.logins import LOGINS_MAXIMUM
from pettui.ssh.options import SshOptions, SshSetupError
from pettui.ssh.proxy_protocol import WAITING_MAXIMUM
from pettui.ssh.responding import Responder
from pettui.ssh.status import (
    DRAIN_REQUEST,
    ENDING,
    SESSIONS,
    encoded,
    status_directories,
    status_of,
    status_socket,
)
from pettui.ssh.watchdog import (
    CHECKS,
    STACK_MAXIMUM,
    WRITE_STACK,
    Watchdog,
    parsed_stack,
)
from pettui.ssh.worker import Hooks, Setup, run_as_worker
from pettui.ssh.worker_link import Link, WorkerProcess
from pettui.system import systemd
from pettui.system.files import reason_of
from pettui.system.installed import Imported
from pettui.system.logs import EventLog, LogWriter, logged
from pettui.terminal.client_terminal import forget_own_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.ssh.metrics import Metrics

OTHER_FILES: Final = 256  # sockets, connections to a service …
TICK: Final = 1.0  # seconds between two looks at all that has no descriptor
LOOK_SECONDS: Final = 2.0  # between two looks at what is installed
RESTART_PAUSE: Final = 1.0  # seconds before a worker that died sooner is restarted
LOG_SECONDS: Final = 0.5  # for the log's reader, while the parent waits
UNUSABLE: Final = 2  # exit code: what a worker needs is there, and cannot be used
STOP_SECONDS: Final = 9.5  # from the signal until remaining workers are killed
# Of the signals that end the server; a hangup does where its terminal was closed.
EXIT_CODES: Final = MappingProxyType(
    {signal.SIGTERM: 0, signal.SIGINT: 0}
    | {number: 128 + number for number in (signal.SIGQUIT, signal.SIGHUP)}
)
# Handled by the parent alone, although a terminal sends them to each process.
IGNORED_BY_WORKERS: Final = (
    signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
)  # fmt: skip
HANDLED: Final = (signal.SIGTERM, signal.SIGCHLD, *IGNORED_BY_WORKERS)


def serve(options: SshOptions, key_file: Path, hooks: Hooks) -> int:
    """Serve until a signal ends it, and return the exit code.

    Args:
        options: of the server.
        key_file: of the host key, created if missing.
        hooks: the app that is served.

    Raises:
        SshSetupError: an address, a key or a file can't be used.
    """
    forget_own_terminal()
    key = host_key(key_file, options.name)
    # Read before the fork, and again by each process when the file changes: so a process that
    # starts while the file can't be read still starts.
    log = LogWriter(sys.stderr)
    try:
        with logged(EventLog(log)):
            file, name = options.authorized_keys, options.name_of("authorized_keys")
            keys = None if file is None else AuthorizedKeys(file, name)
    finally:
        log.drain(LOG_SECONDS)  # before the error in words
    if is_inherited := bool(bound := listening_sockets.inherited(options)):
        shares = listening_sockets.share_inherited(bound, options.workers)
    else:
        listening_sockets.refuse_public(options, options.host, f"host {options.host}")
        where = " or ".join(map(options.name_of, ("host", "port")))
        bound = listening_sockets.bind(options.host, options.port, where)
        shares = listening_sockets.share(bound, options.workers)
    unfinished = LOGINS_MAXIMUM + (WAITING_MAXIMUM if options.trusted_proxies else 0)
    allow_open_files(options.max_sessions + options.max_queue + unfinished + OTHER_FILES)
    host, port = bound[0].getsockname()[:2]
    with ExitStack() as opened:
        status = None
        try:
            for directory in status_directories()[:1]:
                status = opened.enter_context(status_socket(directory, port))
        except OSError as error:  # users are served without it
            EventLog(log).write("status unavailable", reason=reason_of(error))
        freeze()
        styles = {path: path.read_text("utf-8") for path in hooks.styles}
        setup = Setup(options, hooks, key, key_file, keys, styles)
        metrics = None
        if options.metrics is not None:  # which a server beside this one has until it drains
            where = options.name_of("metrics")
            bound = listening_sockets.bind(*options.metrics, where, is_shared=is_inherited)
            metrics, *others = bound
            for one in others:
                one.close()
            metrics.listen()
        supervisor = Supervisor(
            setup,
            (host, port),
            shares,
            status,
            log,
            metrics=metrics,
            is_inherited=is_inherited,
        )
        return supervisor.run()


def allow_open_files(wanted: int) -> None:
    """Raise the limit of this process and those it starts, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):  # refused: the present limit has to do
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class Supervisor:
    """Starts, restarts and ends the workers, and keeps the list of their clients."""

    def __init__(
        self,
        setup: Setup,
        address: tuple[str, int],
        shares: list[list[socket.socket]],
        status: socket.socket | None,
        log: LogWriter,
        *,
        metrics: socket.socket | None = None,
        is_inherited: bool = False,
    ) -> None:
        """Start without workers.

        Args:
            setup: what each worker starts with.
            address: that it listens on, the first of them.
            shares: the listening sockets of each worker.
            status: the socket that the status is sent to; None for none.
            log: of the server.
            metrics: the socket for Prometheus; None for none.
            is_inherited: whether the sockets are systemd's, which another server may have, too.
        """
        self._setup = setup
        self._is_inherited = is_inherited
        self._imported = Imported(sys.modules)
        self._looks_at = 0.0
        self._host, self._port = address
        self._since = time.monotonic()
        self._shares = shares
        self._log = log
        self._event_log = EventLog(log)
        self._admission = Admission(setup.options)
        self._watchdog = Watchdog(setup.options.unresponsive_after)
        self._selector = selectors.DefaultSelector()
        self._responders: list[Responder] = []
        if status is not None:
            self._responders.append(Responder(status, self._selector, b"\n", self._answer))
        self._health = Health(setup.hooks.watched)
        self._metrics: Metrics | None = None
        self._shared_metrics: Responder | None = None  # until it drains
        if metrics is not None:
            from pettui.ssh.metrics import Metrics  # noqa: PLC0415 - takes a tenth of a second

            self._metrics = Metrics(self._numbers, self._health, self._obstacle, self._serving)
            respond = partial(self._respond, self._metrics)
            responder = Responder(metrics, self._selector, b"\r\n\r\n", respond)
            self._metrics_address = metrics.getsockname()[:2]
            self._responders.append(responder)
            self._shared_metrics = responder if is_inherited else None
        self._signals, self._signals_writer = socket.socketpair()
        self._processes: dict[int, WorkerProcess] = {}  # by process id
        self._missing = [*range(len(shares))]  # workers to be started
        self._starts_at = 0.0  # the earliest, where starting has failed
        self._ticks_at = 0.0
        self._updates_at = 0.0
        self._in_foreground: deque[bool] = deque(maxlen=2)  # at the last ticks
        self._dropped = 0  # lines of the parent's own log, that are counted
        self._exit_code: int | None = None  # once it is to end
        self._drains_until = inf  # once it drains: when sessions end
        self._has_drained = False  # the workers are told to end

    @property
    def is_draining(self) -> bool:
        """Whether it takes no new sessions, and ends once those that run have."""
        return self._drains_until < inf

    def run(self) -> int:
        """Serve until a signal ends the server, and return its exit code.

        Raises:
            SshSetupError: no process can be started.
        """
        self._handle_signals()
        self._start_missing()
        if not self._processes:
            raise SshSetupError("cannot start a process; raise the limit (ulimit -u)")
        fingerprint = self._setup.key.get_fingerprint()
        self._setup.hooks.announce(self._host, self._port, fingerprint)
        if self._metrics is not None:
            where, chosen = self._metrics_address
            self._event_log.write("metrics", host=where, port=chosen)
        systemd.tell_ready()
        while self._exit_code is None:
            self._turn()
            self._start_missing()
            if self.is_draining and self._admission.counts() == (0, 0):
                self._end_drained()
        self._stop()
        return self._exit_code

    def _turn(self, latest: float = inf) -> None:
        """Wait for whatever comes next, at most until a time, and do it."""
        until = min(self._ticks_at, latest)
        if self._missing and self._exit_code is None:
            until = min(until, self._starts_at)
        for key, _ in self._selector.select(max(until - time.monotonic(), 0.0)):
            key.data()
        now = time.monotonic()
        if now >= self._ticks_at:
            self._ticks_at = now + min(TICK, self._setup.options.unresponsive_after / CHECKS)
            self._tick(now)
        for process in self._processes.values():
            self._watch(process)

    def _tick(self, now: float) -> None:
        """Do what time alone makes due."""
        if now >= self._updates_at:
            self._updates_at = now + TICK
            self._admission.update()
            self._watch_keys()
        if now >= self._looks_at:
            self._looks_at = now + LOOK_SECONDS
            if news := self._imported.news():
                self._event_log.write("other version", installed=news)
        for process in self._processes.values():
            if process.writes_stack:  # for which it had the time since the last look
                os.kill(process.pid, signal.SIGKILL)
        messages = {pid: process.messages for pid, process in self._processes.items()}
        for pid, number in self._watchdog.due(messages).items():
            self._processes[pid].writes_stack |= number == WRITE_STACK
            os.kill(pid, number)
        if self._metrics is not None:  # the lines of the parent's own log since the last look
            dropped, self._dropped = self._log.dropped - self._dropped, self._log.dropped
            self._metrics.lines_dropped.inc(dropped)
        # It may have left its terminal a while ago (disown): then a hangup is not of that.
        self._in_foreground.append(is_in_foreground())
        for responder in self._responders:
            responder.tick(now)

    # Signals

    def _handle_signals(self) -> None:
        for end in (self._signals, self._signals_writer):
            end.setblocking(False)
        signal.set_wakeup_fd(self._signals_writer.fileno(), warn_on_full_buffer=False)
        for number in HANDLED:
            signal.signal(number, lambda *_: None)  # its number is written to the socket
        self._selector.register(self._signals, selectors.EVENT_READ, self._take_signals)

    def _take_signals(self) -> None:
        for number in self._signals.recv(4096):
            if number == signal.SIGCHLD:
                self._reap()
            elif number == signal.SIGHUP and not self._has_lost_terminal():
                self._read_again()
            elif number == signal.SIGUSR1:
                self._drain(self._setup.options.drain_timeout)
            elif number in EXIT_CODES and self._exit_code is None:
                self._exit_code = EXIT_CODES[signal.Signals(number)]

    def _has_lost_terminal(self) -> bool:
        return any(self._in_foreground) and not is_in_foreground()

    def _read_again(self) -> None:
        """Read what can be read again, and have the workers read it; they keep their sessions."""
        systemd.tell_reloading()
        try:
            self._read_files()
        finally:
            systemd.tell_ready()

    def _read_files(self) -> None:
        key_file, keys = self._setup.key_file, self._setup.keys
        try:
            key = read_host_key(key_file)
        except SshSetupError as error:
            self._event_log.write("warning", reason=f"not read again: {error}")
            return
        self._watch_keys(logs_all=True)
        if keys is not None and keys.problem:  # as was said
            return
        self._setup = replace(self._setup, key=key)
        for process in self._processes.values():
            process.link.send("read again", key.export_private_key().decode())
        self._event_log.write("read again", host_key=key.get_fingerprint())

    def _watch_keys(self, *, logs_all: bool = False) -> None:
        """Read the keys that may log in, if they have changed, and tell the workers."""
        if (keys := self._setup.keys) is None:
            return
        with logged(self._event_log):
            is_other = keys.watch(time.monotonic(), logs_all=logs_all)
        if is_other:
            for process in self._processes.values():
                process.link.send("keys", b64encode(keys.content).decode())

    def _drain(self, seconds: float) -> None:
        """Take no new sessions, and end once those that run have, or after some seconds.

        It may be said again, with other seconds.
        """
        self._drains_until = time.monotonic() + seconds
        self._admission.drain()
        self._missing.clear()
        for one in chain(*self._shares):  # no worker starts any more; each has its own
            one.close()
        # Another process has the same sockets, or a balancer tries another server.
        leaves_port = self._is_inherited or bool(self._setup.options.trusted_proxies)
        for process in self._processes.values():
            process.link.send("drain", seconds, leaves_port)
        if self._shared_metrics is not None:
            self._shared_metrics.leave()
            self._shared_metrics = None
        sessions, _ = self._admission.counts()
        systemd.tell_status("takes no new sessions, and ends with those that run")
        self._event_log.write("draining", sessions=sessions, seconds=seconds)

    def _end_drained(self) -> None:
        """End the workers, which may finish what they do for users who have left, and then this."""
        if not self._processes:
            self._exit_code = 0
        elif not self._has_drained:
            self._has_drained = True
            for process in self._processes.values():
                process.link.send("stop")

    # Workers start

    def _start_missing(self) -> None:
        """Start missing workers, as many as the system allows."""
        while self._missing and time.monotonic() >= self._starts_at:
            try:
                self._start(self._missing[0])
            except OSError as error:
                self._starts_at = time.monotonic() + RESTART_PAUSE
                self._event_log.write("worker not started", reason=reason_of(error))
            else:
                del self._missing[0]

    def _start(self, number: int) -> None:
        """Start a worker.

        Raises:
            OSError: the system cannot start another process.
        """
        self._watch_keys()  # they may be broken when it reads them
        self._log.drain(LOG_SECONDS)  # no thread may run during a fork
        ours, theirs = socket.socketpair()
        on_linux = hasattr(os, "memfd_create")  # as what would have it written
        stack = os.memfd_create("stack") if on_linux else os.open(os.devnull, os.O_RDWR)
        with theirs:
            usual = signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
            try:
                pid = os.fork()
                if pid == 0:
                    ours.close()
                    self._become_worker(number, theirs, stack, usual)
            except OSError:
                ours.close()
                os.close(stack)
                raise
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, usual)
        process = WorkerProcess(number, pid, Link(ours), time.monotonic(), stack)
        self._processes[pid] = process
        self._selector.register(process.link, selectors.EVENT_READ, partial(self._talk, process))

    def _become_worker(
        self, number: int, parent: socket.socket, stack: int, usual: set[int]
    ) -> NoReturn:
        """Run a worker in the new process, and exit without the parent's clean-up."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for handled in HANDLED:
                signal.signal(handled, signal.SIG_DFL)
            for ignored in IGNORED_BY_WORKERS:
                signal.signal(ignored, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_SETMASK, usual)
            sockets = self._shares.pop(number)
            self._close_descriptors()
            code = run_as_worker(self._setup, sockets, parent, stack)
        finally:
            os._exit(code)

    def _close_descriptors(self) -> None:
        """Close what is the parent's, in a worker: all its ends of links must end with it."""
        self._selector.close()
        for process in self._processes.values():
            process.link.close()
        for one in (*chain(*self._shares), self._signals, self._signals_writer):
            one.close()
        for responder in self._responders:
            responder.close()

    # Workers live and end

    def _watch(self, process: WorkerProcess) -> None:
        """Wait for a worker's messages, and for room where messages to it wait."""
        if process.is_linked:
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if process.link.is_behind else 0)
            key = self._selector.get_key(process.link)
            if key.events != wanted:
                self._selector.modify(process.link, wanted, key.data)

    def _talk(self, process: WorkerProcess) -> bool:
        """Send a worker what waits, and do what it asks; return whether there was anything."""
        if not process.is_linked:
            return False
        process.link.flush()
        try:
            messages = process.link.receive()
            for message in messages or ():
                self._do(process, *message)
        except Exception as error:  # noqa: BLE001 - it ends its worker alone
            self._event_log.write(
                "worker malformed",
                worker=process.number,
                reason=repr(error),
                traceback=traceback.format_exc(),  # it may be a bug of the parent's own
            )
            self._unlink(process)
            if process.pid in self._processes:  # it has not ended yet
                os.kill(process.pid, signal.SIGKILL)
            return False
        if messages is None:
            self._unlink(process)
        return bool(messages)

    def _do(self, process: WorkerProcess, kind: str, *content: Any) -> None:
        """Do what a worker says.

        Raises:
            ValueError: none of ours says that.
        """
        process.messages += 1
        match kind:
            case "ask" | "release" | "threads":
                self._admission.receive(process.link, [kind, *content])
            case "report":
                self._report(process, Report(*content))
            case "look":
                self._health.told(*content)
                for responder in self._responders:
                    responder.retry()
            case "status":
                self._tell_status(process, *content)
            case "unusable":
                self._exit_code = UNUSABLE if self._exit_code is None else self._exit_code
            case _:
                raise ValueError("no message")

    def _tell_status(self, process: WorkerProcess, status: str, waits_for: str) -> None:
        process.status, process.waits_for = status, waits_for
        statuses = (each.status for each in self._processes.values())
        systemd.tell_status(next(filter(None, statuses), ""))

    def _unlink(self, process: WorkerProcess) -> None:
        """Free the slots of a worker that has ended."""
        process.is_linked = False
        self._selector.unregister(process.link)
        process.link.close()
        self._free_slots(process)

    def _free_slots(self, process: WorkerProcess) -> None:
        """Free the slots of a worker that has ended, and log the ends of its sessions."""
        for slot in self._admission.leave(process.link):
            self._event_log.write_line(
                "end" if slot.is_inside else "left",
                {
                    "session": slot.number,
                    "seconds": round(self._admission.seconds_of(slot), 1),
                    "reason": "worker ended",
                },
            )

    def _reap(self) -> None:
        """Note the workers that have ended."""
        while self._processes and (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            process = self._processes.get(pid)
            if process is None:  # a child of a shell before, or an orphan
                continue
            del self._processes[pid]
            while self._talk(process):  # all that it has sent
                pass
            if process.is_linked:  # a program that it started has the other end, too
                self._unlink(process)
            self._note_end(process, os.waitstatus_to_exitcode(status))
            os.close(process.stack)

    def _note_end(self, process: WorkerProcess, code: int) -> None:
        """Log how a worker ended, and have another one started unless it was told to end."""
        if process.writes_stack:
            stack = parsed_stack(os.pread(process.stack, STACK_MAXIMUM, 0))
            told: dict[str, Any] = {"worker": process.number, "pid": process.pid}
            if stack:  # it was not stopped, and had begun no debugger
                told["traceback"] = stack
            self._event_log.write("worker unresponsive", **told)
        if not code and (self._has_drained or self._exit_code is not None):
            return
        if code:
            self._event_log.write("worker ended", worker=process.number, code=code)
            if self._metrics is not None:
                self._metrics.worker_ends.inc()
        else:  # it had grown, and was empty
            self._event_log.write("worker replaced", worker=process.number)
        if not self.is_draining:
            self._missing.append(process.number)
        if time.monotonic() - process.since < RESTART_PAUSE:
            self._starts_at = time.monotonic() + RESTART_PAUSE

    def _stop(self) -> None:
        """End all workers."""
        systemd.tell_stopping()
        deadline = time.monotonic() + STOP_SECONDS
        for one in chain(*self._shares):  # refused, once all processes have closed them
            one.close()
        for process in self._processes.values():
            process.link.send("stop")
        while self._processes and time.monotonic() < deadline:
            self._turn(deadline)
        for process in self._processes.values():
            os.kill(process.pid, signal.SIGKILL)
            self._free_slots(process)
        self._event_log.close()
        self._log.drain(LOG_SECONDS)

    # Status

    def _answer(self, request: bytes) -> bytes:
        """Return the answer to a line of the owner's."""
        port = self._port
        if request == SESSIONS:
            return encoded(port=port, sessions=self._admission.clients())
        if (ending := ENDING.fullmatch(request)) is not None:
            who = ending[1].decode()
            number_or_key = int(who) if who.isdecimal() else who
            return encoded(port=port, ended=self._admission.end(number_or_key))
        if (draining := DRAIN_REQUEST.fullmatch(request)) is not None:
            seconds = draining[1]
            self._drain(self._setup.options.drain_timeout if seconds is None else float(seconds))
            return encoded(port=port, draining=True, sessions=self._admission.counts()[0])
        workers = [
            (process, *self._admission.counts(process.link))
            for process in sorted(self._processes.values(), key=lambda process: process.number)
        ]
        return encoded(**status_of(self._numbers(), workers, self._setup.hooks.served))

    def _numbers(self) -> dict[str, Any]:
        """Return what all who ask about the server are told."""
        sessions, queue = self._admission.counts()
        left = round(max(self._drains_until - time.monotonic(), 0.0), 1)
        return {
            "name": self._setup.options.name,
            "host": self._host,
            "port": self._port,
            "pid": os.getpid(),
            "version": self._setup.options.version,
            "installed": self._imported.others,  # in place of what it has imported
            "draining": self.is_draining,
            "ends_within": left if self.is_draining else None,  # seconds, of the sessions
            "seconds": round(time.monotonic() - self._since, 1),
            "sessions": sessions,
            "max_sessions": self._setup.options.max_sessions,
            "queue": queue,
            "max_queue": self._setup.options.max_queue,
            "clients": self._admission.arrivals,
            "workers": len(self._processes),
        }

    def _report(self, process: WorkerProcess, report: Report) -> None:
        process.load.add(report.keys, report.bins)
        if self._metrics is not None:
            self._metrics.report(report)

    # Health

    def _serving(self) -> list[WorkerProcess]:
        return [process for process in self._processes.values() if process.is_serving]

    def _respond(self, metrics: Metrics, request: bytes) -> bytes | None:
        """Return the response to an HTTP request; None until a worker has looked."""
        is_known = bool(self._obstacle()) or self._health.is_known(self._processes.values())
        return metrics.respond(request) if is_known else None

    def _obstacle(self) -> str:
        """Return why no session can be started now; "" where one can."""
        if self.is_draining or self._exit_code is not None:
            return DRAINS
        return "" if self._serving() else NOBODY_SERVES


def is_in_foreground() -> bool:
    """Whether this process belongs to a terminal whose hangup ends it, and that is still there."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:  # there is none, or it is gone (tty(4))
        return False
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(descriptor)
