"""One process a core on one port, started again when it dies; the first one only watches."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from pettui.log_writer import LogWriter
from pettui.ssh.admission.logins import LOGINS_MAXIMUM
from pettui.ssh.admission.session_slots import SessionSlots
from pettui.ssh.apps.gc_schedule import freeze
from pettui.ssh.authorized_keys import AuthorizedKeys
from pettui.ssh.connections import listening_sockets
from pettui.ssh.connections.host_key import host_key
from pettui.ssh.errors import SshSetupError
from pettui.ssh.event_log import EventLog
from pettui.ssh.open_files import allow_open_files
from pettui.ssh.process_signals import GO_ON, IS_READY, OF_WORKERS, WANTS_SUCCESSOR, WATCHED, tell
from pettui.ssh.status.process_load import SharedLoads
from pettui.ssh.status.server_status import status_text, this_server
from pettui.ssh.status.status_socket import status_responder
from pettui.ssh.successors import Successors
from pettui.ssh.worker import Hooks, Worker
from pettui.ssh.worker_process import WorkerProcesses

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from pettui.ssh.options import SshOptions

OTHER_FILES = 256  # sockets, pipes, connections to a service …
SOON = 1.0  # seconds; a process that dies sooner is started again only after a pause
LOG_SECONDS = 0.5  # that the log's reader gets, where nothing else is done meanwhile
LAST = 9.5  # seconds from the signal to the end, for processes that do not end by themselves


def serve(
    options: SshOptions, key_file: Path, hooks: Hooks, status_directory: Path | None = None
) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        options: how.
        key_file: of the server's key, which is made where there is none.
        hooks: what is served.
        status_directory: where a socket says how the server does; None for none.

    Raises:
        SshSetupError: an address, a key or a file can't be used.
    """
    key = host_key(key_file)
    # Read now, and again by each process when the file changes: one that starts while it can't be
    # read lets people in as soon as it can.
    keys = AuthorizedKeys(options.authorized_keys) if options.authorized_keys else None
    shares = listening_sockets.share(
        listening_sockets.bind(options.host, options.port), options.workers
    )
    allow_open_files(options.max_sessions + options.max_queue + LOGINS_MAXIMUM + OTHER_FILES)
    log = LogWriter(sys.stderr)
    slots, loads = SessionSlots(options), SharedLoads(options.workers)
    server = this_server(*shares[0][0].getsockname()[:2])

    def tell_of_no_status(error: OSError) -> None:
        EventLog(log).write("status unavailable", reason=error.strerror)
        log.drain(LOG_SECONDS)  # no thread may be at work when a worker is forked

    def status() -> bytes:
        return status_text(server, options, slots.counts(), loads)

    with status_responder(status_directory, server.port, status, tell_of_no_status) as answer:
        freeze(hooks.imported_late)
        worker = Worker(options, hooks, key, keys, slots, loads, answer)
        Supervisor(worker, shares, log).run()


class Supervisor:
    """Starts the processes, and ends them."""

    def __init__(self, worker: Worker, shares: list[list[socket.socket]], log: LogWriter) -> None:
        """Take what each process is to be, the listening sockets of each, and the log."""
        self._worker = worker
        self._processes = WorkerProcesses.of(worker, shares)
        self._log = log
        self._event_log = EventLog(log)
        self._started: dict[int, tuple[int, float]] = {}  # by process: which worker, and when
        self._missing = [*range(len(shares))]  # to be started
        self._successors = Successors()
        self._leaving: set[int] = set()  # processes that were replaced
        self._is_short = False  # of processes: the system lets none be started

    def run(self) -> None:
        """Watch over the processes until a signal says to stop.

        Raises:
            SshSetupError: not one can be started.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        self._start_missing()
        if not self._started:
            raise SshSetupError("cannot start a process; raise the limit (ulimit -u)")
        host, port = self._processes.shares[0][0].getsockname()[:2]
        self._worker.hooks.announce(host, port, self._worker.key.get_fingerprint())
        while (told := self._next_signal()).si_signo in OF_WORKERS:
            if told.si_signo == WANTS_SUCCESSOR:
                self._start_successor(told.si_pid)
            elif told.si_signo == IS_READY and told.si_pid in self._successors:
                self._replace(told.si_pid)
            for worker, was_short in self._ended():
                if was_short:
                    time.sleep(SOON)
                self._missing.append(worker)
            self._start_missing()
        self._stop()

    def _next_signal(self) -> signal.struct_siginfo:
        """Return the next signal; until then, what could not be started is tried again."""
        while self._missing and not signal.sigpending().intersection(WATCHED):
            time.sleep(SOON)
            self._start_missing()
        return self._successors.next_signal()

    def _start_missing(self) -> None:
        """Start what is missing, or as many as the system has room for."""
        while self._missing:
            if self._start(self._missing[0]) is None:
                return
            del self._missing[0]
        self._is_short = False

    def _start(self, worker: int) -> int | None:
        """Start a process; return it, or None where the system has no room for one."""
        try:
            pid = self._processes.start(worker)
        except OSError as error:
            if not self._is_short:
                self._event_log.write("worker not started", reason=str(error.strerror))
                self._log.drain(LOG_SECONDS)  # as below
            self._is_short = True
            return None
        self._started[pid] = worker, time.monotonic()
        return pid

    def _start_successor(self, before: int) -> None:
        """Start a process that is to replace one that nobody is in, and which waits for it."""
        if before not in self._started or self._successors.is_waiting(before):
            return
        worker, _ = self._started[before]
        pid = self._start(worker)
        if pid is None:
            tell(before, GO_ON)
        else:
            self._successors.add(pid, before)

    def _replace(self, pid: int) -> None:
        """End the process that a successor replaces, now that it is ready."""
        before = self._successors.pop(pid)
        if before in self._started:
            self._event_log.write("worker replaced", worker=self._started[pid][0])
            self._leaving.add(before)
            tell(before, signal.SIGTERM)

    def _ended(self) -> list[tuple[int, bool]]:
        """Return the processes that are no more, and whether they were there for a moment only."""
        ended = []
        while self._started and (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            worker, began = self._started.pop(pid)
            if pid in self._leaving or self._successors.is_waiting(pid):  # nobody was in it
                self._leaving.discard(pid)
                continue
            self._worker.slots.clear(worker)
            code = os.waitstatus_to_exitcode(status)
            self._event_log.write("worker ended", worker=worker, code=code)
            before = self._successors.pop(pid) if pid in self._successors else None
            if before in self._started:
                tell(before, GO_ON)
            else:
                ended.append((worker, time.monotonic() - began < SOON))
        self._log.drain(LOG_SECONDS)  # no thread may be at work when the next worker is forked
        return ended

    def _stop(self) -> None:
        deadline = time.monotonic() + LAST
        self._processes.let_go()
        self._tell_all(signal.SIGTERM)
        while self._started and (left := deadline - time.monotonic()) > 0:
            signal.sigtimedwait([signal.SIGCHLD], left)
            self._ended()
        self._tell_all(signal.SIGKILL)

    def _tell_all(self, number: signal.Signals) -> None:
        for pid in self._started:
            tell(pid, number)
