"""Forks the processes of the workers."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import warnings
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NoReturn

from pettui.logs import EventLog, LogWriter
from pettui.ssh.fair_loop import FairEventLoop
from pettui.ssh.process_signals import IGNORED_BY_WORKERS, WATCHED
from pettui.ssh.watchdog import beat

if TYPE_CHECKING:
    import socket

    from pettui.ssh.worker import Worker


@dataclass(frozen=True, slots=True)
class WorkerProcesses:
    """What the supervisor needs to start workers."""

    worker: Worker
    shares: list[list[socket.socket]]  # the listening sockets of each
    lifeline: int  # a pipe that becomes readable when the supervisor ends
    lifeline_writer: int  # its other end

    @classmethod
    def of(cls, worker: Worker, shares: list[list[socket.socket]]) -> WorkerProcesses:
        """Return it for a worker and its sockets, with a new pipe."""
        return cls(worker, shares, *os.pipe())

    def start(self, number: int) -> int:
        """Start a worker, and return its process id.

        Raises:
            OSError: the system cannot start another process.
        """
        supervisor = os.getpid()
        process = os.fork()
        if process == 0:
            self._run_worker(number, supervisor)
        return process

    def close_sockets(self) -> None:
        """Close the sockets; connections are refused once all processes have closed them."""
        for one in chain(*self.shares):
            one.close()

    def _run_worker(self, number: int, supervisor: int) -> NoReturn:
        """Run a worker in the new process, and exit without the supervisor's clean-up."""
        code = 1
        try:
            os.close(self.lifeline_writer)
            if not sys.warnoptions:  # libraries warn of weak keys of clients: the log is JSON
                warnings.simplefilter("ignore")
            for left in IGNORED_BY_WORKERS:
                signal.signal(left, signal.SIG_IGN)
            # SIGHUP stays blocked until it is handled: none is lost.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {*WATCHED} - {signal.SIGHUP})
            sockets = self.shares.pop(number)
            self.close_sockets()
            with asyncio.Runner(loop_factory=FairEventLoop) as runner:
                runner.run(self._serve(number, sockets, supervisor))
            code = 0
        except Exception as error:  # noqa: BLE001 - a worker must not return to the supervisor's code
            with closing(LogWriter(sys.stderr)) as log:
                EventLog(log).write("bug", reason=self.worker.hooks.report_bug(error))
        finally:
            os._exit(code)

    async def _serve(self, number: int, sockets: list[socket.socket], supervisor: int) -> None:
        worker = self.worker
        beating = beat(worker.loads.processes[number], worker.options.unresponsive_after)
        heartbeat = asyncio.create_task(beating, name="heartbeat")
        try:
            await worker.run(number, sockets, self.lifeline, supervisor)
        finally:
            heartbeat.cancel()
