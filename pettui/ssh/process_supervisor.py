"""The supervisor: starts one process per core on one port, and restarts those that die."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.logs import EventLog, LogWriter
from pettui.ssh import process_signals
from pettui.ssh.apps.collecting import freeze
from pettui.ssh.authorized_keys import AuthorizedKeys
from pettui.ssh.connections import listening_sockets
from pettui.ssh.connections.host_key import host_key, read_host_key
from pettui.ssh.load import SharedLoads
from pettui.ssh.logins import LOGINS_MAXIMUM
from pettui.ssh.open_files import allow_open_files
from pettui.ssh.options import SshSetupError
from pettui.ssh.session import log_lost_sessions
from pettui.ssh.session_slots import SessionSlots
from pettui.ssh.status import status_responder, status_text, this_server
from pettui.ssh.successors import Successors
from pettui.ssh.watchdog import Watchdog
from pettui.ssh.worker import Hooks, Worker
from pettui.ssh.worker_process import WorkerProcesses

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from pettui.ssh.options import SshOptions
    from pettui.ssh.process_signals import ReceivedSignal

OTHER_FILES = 256  # sockets, pipes, connections to a service …
RESTART_PAUSE = 1.0  # seconds before a process that died sooner is restarted
LOG_SECONDS = 0.5  # for the log's reader, while the supervisor waits
STOP_SECONDS = 9.5  # from the signal until remaining processes are killed


def serve(
    options: SshOptions, key_file: Path, hooks: Hooks, status_directory: Path | None = None
) -> int:
    """Serve until a signal ends it, and return the exit code.

    Args:
        options: of the server.
        key_file: of the host key, created if missing.
        hooks: the app that is served.
        status_directory: of the status socket; None for no socket.

    Raises:
        SshSetupError: an address, a key or a file can't be used.
    """
    key = host_key(key_file)
    # Read before the fork, and again by each process when the file changes: so a process that
    # starts while the file can't be read still starts.
    keys = AuthorizedKeys(options.authorized_keys) if options.authorized_keys else None
    bound = listening_sockets.bind(options.host, options.port)
    shares = listening_sockets.share(bound, options.workers)
    allow_open_files(options.max_sessions + options.max_queue + LOGINS_MAXIMUM + OTHER_FILES)
    log = LogWriter(sys.stderr)
    slots, loads = SessionSlots(options), SharedLoads(options.workers)
    server = this_server(*shares[0][0].getsockname()[:2])

    def report_no_status(error: OSError) -> None:
        EventLog(log).write("status unavailable", reason=error.strerror)

    def status() -> bytes:
        return status_text(server, options, slots.counts(), loads, hooks.served)

    with status_responder(status_directory, server.port, status, report_no_status) as responder:
        freeze(hooks.imported_late)
        worker = Worker(options, hooks, key, key_file, keys, slots, loads, responder)
        return Supervisor(worker, shares, log).run()


class Supervisor:
    """Starts, restarts and ends the worker processes."""

    def __init__(self, worker: Worker, shares: list[list[socket.socket]], log: LogWriter) -> None:
        """Start without processes; ``shares`` are the listening sockets of each."""
        self._worker = worker
        self._processes = WorkerProcesses.of(worker, shares)
        self._log = log
        self._event_log = EventLog(log)
        self._started: dict[int, tuple[int, float]] = {}  # by process id: worker and start time
        self._missing = [*range(len(shares))]  # to be started
        self._successors = Successors()
        self._watchdog = Watchdog(worker.loads, worker.options.unresponsive_after, self._kill)
        self._is_short = False  # the system cannot start another process

    def run(self) -> int:
        """Supervise the processes until a signal ends the server, and return its exit code.

        Raises:
            SshSetupError: no process can be started.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, process_signals.WATCHED)
        self._start_missing()
        if not self._started:
            raise SshSetupError("cannot start a process; raise the limit (ulimit -u)")
        host, port = self._processes.shares[0][0].getsockname()[:2]
        self._worker.hooks.announce(host, port, self._worker.key.get_fingerprint())
        while (code := (received := self._next_signal()).exit_code) is None:
            if received.number == signal.SIGHUP:
                self._read_again()
            elif received.number == process_signals.REPLACE:
                self._start_successor(received.sender)
            elif received.number == process_signals.READY and received.sender in self._successors:
                self._replace(received.sender)
            ended = self._ended()
            if any(ended_early for _, ended_early in ended):
                time.sleep(RESTART_PAUSE)
            self._missing += [worker for worker, _ in ended]
            self._start_missing()
        self._stop()
        return code

    def _read_again(self) -> None:
        """Read what can be read again, and have the processes read it; they keep their sessions."""
        options, before = self._worker.options, self._worker
        try:
            key = read_host_key(before.key_file)
            if options.authorized_keys:
                AuthorizedKeys(options.authorized_keys)
        except SshSetupError as error:
            self._event_log.write("warning", reason=f"not read again: {error}")
            return
        self._worker = replace(before, key=key)
        self._processes = replace(self._processes, worker=self._worker)
        process_signals.send_signals(self._started, signal.SIGHUP)
        self._event_log.write("read again", host_key=key.get_fingerprint())

    def _next_signal(self) -> ReceivedSignal:
        """Wait for the next signal; meanwhile start missing processes, and kill those that hang."""
        while True:
            seconds = RESTART_PAUSE if self._missing else self._watchdog.interval
            received = self._successors.next_signal(seconds)
            self._watchdog.check({pid: worker for pid, (worker, _) in self._started.items()})
            if received is not None:
                return received
            self._start_missing()

    def _kill(self, worker: int, pid: int) -> None:
        """Kill a process that does not respond; it is replaced as soon as it has ended."""
        self._event_log.write("worker unresponsive", worker=worker, pid=pid)
        process_signals.send_signal(pid, signal.SIGKILL)

    def _start_missing(self) -> None:
        """Start missing processes, as many as the system allows."""
        while self._missing:
            if self._start(self._missing[0]) is None:
                return
            del self._missing[0]
        self._is_short = False

    def _start(self, worker: int) -> int | None:
        """Start a process; return its id, or None if the system allows no more."""
        self._log.drain(LOG_SECONDS)  # no thread may run during a fork
        try:
            pid = self._processes.start(worker)
        except OSError as error:
            if not self._is_short:
                self._event_log.write("worker not started", reason=str(error.strerror))
                self._log.drain(LOG_SECONDS)
            self._is_short = True
            return None
        self._started[pid] = worker, time.monotonic()
        return pid

    def _start_successor(self, predecessor: int) -> None:
        """Start a process that is to replace an empty one, which waits for it."""
        if predecessor not in self._started or self._successors.is_waiting(predecessor):
            return
        worker, _ = self._started[predecessor]
        pid = self._start(worker)
        if pid is None:
            process_signals.send_signal(predecessor, process_signals.CONTINUE)
        else:
            self._successors.add(pid, predecessor)

    def _replace(self, pid: int) -> None:
        """End the predecessor of a successor that is ready."""
        predecessor = self._successors.pop(pid)
        if predecessor in self._started:
            self._event_log.write("worker replaced", worker=self._started[pid][0])
            self._successors.expect_end(predecessor)
            process_signals.send_signal(predecessor, signal.SIGTERM)

    def _ended(self) -> list[tuple[int, bool]]:
        """Return the workers whose processes died, and whether that was right after the start."""
        ended = []
        while self._started and (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            started = self._started.pop(pid, None)  # None: a child of a shell before, or an orphan
            if started is None or self._successors.is_end_of_predecessor(pid):
                continue
            worker, began = started
            code = os.waitstatus_to_exitcode(status)
            self._event_log.write("worker ended", worker=worker, code=code)
            log_lost_sessions(self._event_log, self._worker.slots, worker)
            self._worker.slots.clear(worker)
            predecessor = self._successors.pop(pid) if pid in self._successors else None
            if predecessor in self._started:
                process_signals.send_signal(predecessor, process_signals.CONTINUE)
            else:
                ended.append((worker, time.monotonic() - began < RESTART_PAUSE))
        return ended

    def _stop(self) -> None:
        deadline = time.monotonic() + STOP_SECONDS
        self._processes.close_sockets()
        process_signals.send_signals(self._started, signal.SIGTERM)
        while self._started and (left := deadline - time.monotonic()) > 0:
            process_signals.wait_for_signal([signal.SIGCHLD], left)
            self._ended()
        process_signals.send_signals(self._started, signal.SIGKILL)
        for worker in {worker for worker, _ in self._started.values()}:
            log_lost_sessions(self._event_log, self._worker.slots, worker)
        self._event_log.close()
        self._log.drain(LOG_SECONDS)
