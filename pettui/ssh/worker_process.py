"""Forks: the process of a worker, from its first line to its last."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import warnings
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NoReturn

from pettui.ssh.process_signals import LEFT_TO_FIRST, WATCHED

if TYPE_CHECKING:
    import socket

    from pettui.ssh.worker import Worker


@dataclass(frozen=True, slots=True)
class WorkerProcesses:
    """What the first process has for those that it starts."""

    worker: Worker
    shares: list[list[socket.socket]]  # the listening sockets of each
    lifeline: int  # can be read when the first process is no more
    hold: int  # its other end

    @classmethod
    def of(cls, worker: Worker, shares: list[list[socket.socket]]) -> WorkerProcesses:
        """Return what it is for a worker and its sockets."""
        return cls(worker, shares, *os.pipe())

    def start(self, number: int) -> int:
        """Start one, and return its id.

        Raises:
            OSError: the system has no room for another process.
        """
        process = os.fork()
        if process == 0:
            self._be(number)
        return process

    def let_go(self) -> None:
        """Close the sockets: where no process has them any more, who comes is refused."""
        for one in chain(*self.shares):
            one.close()

    def _be(self, number: int) -> NoReturn:
        """Be a worker, in the new process; nothing of the first one's is cleaned up here."""
        code = 1
        try:
            os.close(self.hold)
            if not sys.warnoptions:  # a library's, of a client's key exchange: the log is JSON
                warnings.simplefilter("ignore")
            for left in LEFT_TO_FIRST:
                signal.signal(left, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
            sockets = self.shares.pop(number)
            self.let_go()
            asyncio.run(self.worker.run(number, sockets, self.lifeline))
            code = 0
        except Exception as error:  # noqa: BLE001 - the process's last word
            self.worker.hooks.tell_of_bug(error)
        finally:
            os._exit(code)
