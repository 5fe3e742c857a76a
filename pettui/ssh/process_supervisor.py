"""One process a core on one port, started again when it dies; the first one only watches."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import warnings
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, NoReturn

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
from pettui.ssh.status.process_load import SharedLoads
from pettui.ssh.status.server_status import status_text, this_server
from pettui.ssh.status.status_socket import status_responder
from pettui.ssh.worker import Hooks, Worker

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from pettui.ssh.options import SshOptions

# What the first process answers for all: a terminal sends them to each process.
LEFT_TO_FIRST = (
    signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
)  # fmt: skip
WATCHED = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, *LEFT_TO_FIRST)
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
        EventLog(log).write("no status", reason=error.strerror)
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
        self._shares = shares
        self._log = log
        self._event_log = EventLog(log)
        self._started: dict[int, tuple[int, float]] = {}  # by process: which worker, and when
        self._missing = [*range(len(shares))]  # to be started
        self._is_short = False  # of processes: the system lets none be started
        self._lifeline, self._hold = os.pipe()

    def run(self) -> None:
        """Watch over the processes until a signal says to stop.

        Raises:
            SshSetupError: not one can be started.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        self._start_missing()
        if not self._started:
            raise SshSetupError(
                "the system lets no process be started; raise its limit (ulimit -u)"
            )
        host, port = self._shares[0][0].getsockname()[:2]
        self._worker.hooks.announce(host, port, self._worker.key.get_fingerprint())
        while self._next_signal() == signal.SIGCHLD:
            for worker, was_short in self._ended():
                if was_short:
                    time.sleep(SOON)
                self._missing.append(worker)
            self._start_missing()
        self._stop()

    def _next_signal(self) -> int:
        """Return the next signal; until then, what could not be started is tried again."""
        while self._missing and not signal.sigpending().intersection(WATCHED):
            time.sleep(SOON)
            self._start_missing()
        return signal.sigwait(WATCHED)

    def _start_missing(self) -> None:
        """Start what is missing, or as many as the system has room for."""
        while self._missing:
            try:
                pid = os.fork()
            except OSError as error:
                self._tell_of_want(error)
                return
            worker = self._missing.pop(0)
            if pid == 0:
                self._be(worker)
            self._started[pid] = worker, time.monotonic()
        self._is_short = False

    def _tell_of_want(self, error: OSError) -> None:
        if not self._is_short:
            self._is_short = True
            self._event_log.write("worker not started", reason=str(error.strerror))
            self._log.drain(LOG_SECONDS)  # as below

    def _ended(self) -> list[tuple[int, bool]]:
        """Return the processes that are no more, and whether they were there for a moment only."""
        ended = []
        while self._started:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            worker, began = self._started.pop(pid)
            self._worker.slots.clear(worker)
            code = os.waitstatus_to_exitcode(status)
            self._event_log.write("worker ended", worker=worker, code=code)
            ended.append((worker, time.monotonic() - began < SOON))
        self._log.drain(LOG_SECONDS)  # no thread may be at work when the next worker is forked
        return ended

    def _stop(self) -> None:
        deadline = time.monotonic() + LAST
        self._let_go()
        self._signal(signal.SIGTERM)
        while self._started and (left := deadline - time.monotonic()) > 0:
            signal.sigtimedwait([signal.SIGCHLD], left)
            self._ended()
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._started:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _let_go(self) -> None:
        """Close the sockets: who comes now is refused."""
        for one in chain(*self._shares):
            one.close()

    def _be(self, worker: int) -> NoReturn:
        """Be a worker, in the new process; nothing of the first one's is cleaned up here."""
        code = 1
        try:
            os.close(self._hold)
            if not sys.warnoptions:  # a library's, of a client's key exchange: the log is JSON
                warnings.simplefilter("ignore")
            for number in LEFT_TO_FIRST:
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
            sockets = self._shares.pop(worker)
            self._let_go()
            asyncio.run(self._worker.run(worker, sockets, self._lifeline))
            code = 0
        except Exception as error:  # noqa: BLE001 - the process's last word
            self._worker.hooks.tell_of_bug(error)
        finally:
            os._exit(code)
