"""SshSession: what a client asks for on one channel: an app until it ends, or a refusal."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.client_terminal import clamped, client_terminal
from pettui.ssh.sessions.app_runner import AppRunner

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.asyncssh_internals import SessionChannel
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.server_state import ServerState

NO_TERMINAL = "pettui needs a terminal: ssh -t"
NO_COMMANDS = "no commands are run here; come in without one"
PATIENCE = 5.0  # seconds that a client gets to close the channel


class SshSession(asyncssh.SSHServerSession[bytes]):
    """A user's session: refused in one line, or apps until they end."""

    runner: AppRunner

    def __init__(
        self,
        state: ServerState,
        user: User,
        began: Callable[[], None],
        ended: Callable[[bool], None],
    ) -> None:
        """Begin with no channel yet.

        Args:
            state: of the server's process.
            user: who logged in.
            began: told when something is run on the channel.
            ended: told of the channel's end, and whether something was run on it.
        """
        self._state = state
        self._user = user
        self._tell_begin = began
        self._tell_end = ended
        self._kind: str | None = None
        self._size = (0, 0)
        self._refusal: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._aborting: asyncio.TimerHandle | None = None
        self._is_taken = False  # a shell, a command or a subsystem was asked for
        self._began = time.monotonic()

    # What asyncssh tells

    def connection_made(self, chan: SessionChannel) -> None:  # type: ignore[override]
        """Take the channel."""
        self._channel = chan
        self.runner = AppRunner(self._state, self._user, chan)

    def pty_requested(
        self, term_type: str, term_size: tuple[int, int, int, int], _modes: object
    ) -> bool:
        """Take the terminal's kind and size."""
        self._kind, self._size = term_type, term_size[:2]
        return True

    def terminal_size_changed(
        self, width: int, height: int, _pixwidth: int, _pixheight: int
    ) -> None:
        """Take the terminal's new size."""
        self._size = width, height
        self.runner.resize(clamped(width, height))

    def shell_requested(self) -> bool:
        """Take the request that opens the app; there is one shell a channel (RFC 4254, 6.5)."""
        return self._is_first()

    def exec_requested(self, _command: str) -> bool:
        """Take a command, to say that none is run."""
        return self._is_first(NO_COMMANDS)

    def subsystem_requested(self, subsystem: str) -> bool:
        """Take a request for a subsystem, to say that there is none."""
        what = "file transfer" if subsystem == "sftp" else "subsystems"
        return self._is_first(f"no {what} here; come in with ssh alone")

    def _is_first(self, refusal: str | None = None) -> bool:
        """Whether this is the channel's first request; what it is refused with is kept."""
        if self._is_taken:
            return False
        self._is_taken, self._refusal = True, refusal
        return True

    def session_started(self) -> None:
        """Open the app, or say why not."""
        if self._task is not None:
            return
        self._tell_begin()
        task = asyncio.create_task(self._run(), name="ssh session")
        self._task = task
        self._state.began(self, task)

    def data_received(self, data: bytes, _datatype: object) -> None:
        """Take what was typed."""
        self.runner.feed(data)

    def eof_received(self) -> bool:
        """End: whoever closed the input types no more."""
        self.end("cut")
        return True

    def signal_received(self, _signal: str) -> None:
        """End, as any signal asks."""
        self.end("signal")

    def connection_lost(self, _exc: Exception | None) -> None:
        """End what nobody sees any more."""
        self._tell_end(self._task is not None)
        if self._aborting is not None:
            self._aborting.cancel()  # it would hold on to the channel
        self.runner.close()
        self.end("cut")

    # From the start to the end

    def end(self, reason: str, farewell: str = "") -> None:
        """End the session soon; the first reason counts."""
        self.runner.end(reason, farewell)

    async def _run(self) -> None:
        terminal = self._terminal()
        refusal = self._refusal
        if refusal is None and not terminal.can_draw:
            refusal = NO_TERMINAL if self._kind is None else "your TERM cannot draw screens"
        refusal = refusal or self._state.take_slot(self._user)
        if refusal is not None:
            self._log("refused", reason=refusal)
            self._leave(refusal, 1)
            return
        self._log("begin", term=terminal.kind, columns=terminal.size[0], rows=terminal.size[1])
        runner = self.runner
        try:
            for request in self._channel.refused:
                runner.output.write(f"pettui: {request} is refused\r\n")
            await runner.run(self._terminal)
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends this session alone
            runner.fail(error)
        finally:
            self._state.release_slot(self._user)
            self._log_end()
            self._leave(runner.farewell, 0 if runner.failure is None else 1)

    def _terminal(self) -> ClientTerminal:
        return client_terminal(self._kind, self._size, self._channel.environment)

    def _leave(self, line: str, status: int) -> None:
        """Say a last line, and close; asyncssh sends what waits before it closes a channel."""
        self.runner.close()
        if self._channel.is_closing():
            return
        with suppress(OSError):
            if line:
                self._channel.write_stderr(f"pettui: {line}\r\n".encode())
            self._channel.exit(status)
        loop = asyncio.get_running_loop()
        self._aborting = loop.call_later(PATIENCE, self._channel.abort)

    # What is written down

    def _log(self, event: str, **facts: str | float | None) -> None:
        user = self._user
        self._state.event_log.write(
            event,
            name=user.name[:80],
            address=user.address,
            fingerprint=user.fingerprint,
            **facts,
        )

    def _log_end(self) -> None:
        seconds = round(time.monotonic() - self._began, 1)
        runner = self.runner
        self._log("end", seconds=seconds, bytes=runner.output.sent, reason=runner.reason)
