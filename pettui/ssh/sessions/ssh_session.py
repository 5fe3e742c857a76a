"""SshSession: what a client asks for on one channel: an app until it ends, or a refusal."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from pettui.ssh.admission.waiting_queue import NoSlotError
from pettui.ssh.server_state import STOPPING
from pettui.ssh.sessions.app_runner import AppRunner
from pettui.ssh.sessions.session_log import SessionLog
from pettui.ssh.sessions.session_request import SessionRequest
from pettui.ssh.sessions.waiting_client import WaitingClient, is_leaving

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.admission.session_slots import Slot
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.asyncssh_internals import SessionChannel
    from pettui.ssh.server_state import ServerState

PATIENCE = 5.0  # seconds that a client gets to close the channel


class SshSession(SessionRequest):
    """A user's session: refused in one line, or apps until they end, perhaps after a wait."""

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
        super().__init__()
        self._state = state
        self._user = user
        self._tell_begin = began
        self._tell_end = ended
        self._task: asyncio.Task[None] | None = None
        self._waiting: WaitingClient | None = None  # while there is no slot
        self._aborting: asyncio.TimerHandle | None = None
        self._log = SessionLog(state.event_log, user)

    # What asyncssh tells

    def connection_made(self, chan: SessionChannel) -> None:  # type: ignore[override]
        """Take the channel."""
        self._channel = chan
        self.runner = AppRunner(self._state, self._user, chan)

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """Take the terminal's new size."""
        super().terminal_size_changed(width, height, pixwidth, pixheight)
        size = self.terminal.size
        if self._waiting is not None:
            self._waiting.resize(size[0])
        self.runner.resize(size)

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
        if self._waiting is None:
            self.runner.feed(data)
        elif is_leaving(data):
            self.end("quit")

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
        if self._waiting is not None:
            self._waiting.leave()
        self.runner.end(reason, farewell)

    async def _run(self) -> None:
        try:
            slot = self._slot()
        except NoSlotError as error:
            self._log.refused(str(error))
            self._leave(str(error), 1)
            return
        runner = self.runner
        try:
            if await self._is_admitted(slot):
                self._log.begin(self.terminal)
                self._state.admission.enter(slot, runner)
                for request in self._channel.refused:
                    runner.output.write(f"pettui: {request} is not supported\r\n")
                await runner.run(lambda: self.terminal)
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends this session alone
            runner.fail(error)
        finally:
            self._state.admission.release(slot)
            self._log.end(runner.output.sent, runner.reason)
            self._leave(runner.farewell, 0 if runner.failure is None else 1)

    def _slot(self) -> Slot:
        """Return a slot, or a place in the queue, for what is asked for.

        Raises:
            NoSlotError: it is refused.
        """
        refusal = self.refusal or (STOPPING if self._state.is_closing else None)
        if refusal is not None:
            raise NoSlotError(refusal)
        return self._state.admission.ask(self._user.address)

    async def _is_admitted(self, slot: Slot) -> bool:
        """Wait for a slot where there is none; return whether there is one now."""
        admission = self._state.admission
        if admission.is_inside(slot):
            return True
        if self.runner.is_over:  # the client is gone already, and nothing would tell of it again
            return False
        self._log.queued()
        waiting = self._waiting = WaitingClient(self.runner.output, self.terminal.size[0])
        admission.wait(slot, waiting)
        try:
            return await waiting.wait()
        finally:
            self._waiting = None

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
