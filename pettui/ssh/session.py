"""A session: what its client requests, its lines in the log, and its channel to the end."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import asyncssh

from pettui.ssh.admission import NoSlotError, network_of
from pettui.ssh.client_terminal import client_terminal
from pettui.ssh.fair_loop import activity_context
from pettui.ssh.server_state import STOPPING
from pettui.ssh.session_app import AppRunner
from pettui.ssh.session_output import WaitingClient, is_leaving
from pettui.text import safe

if TYPE_CHECKING:
    from pettui.logs import EventLog, Field
    from pettui.ssh.admission import Slot
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.asyncssh_internals import Gate, SessionChannel
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.server_state import ServerState

NO_TERMINAL = "needs a terminal; connect with ssh -t"
NO_DRAWING = "TERM cannot draw screens; set it to your terminal's type, such as xterm-256color"
NO_COMMANDS = "commands are not supported; connect without one"
COMMAND_MAXIMUM: Final = 1_000  # characters
CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
UNUSABLE_COMMAND = f"a command is a line of at most {COMMAND_MAXIMUM:,} characters"
SESSIONS: Final = 60  # that one network begins in a minute, and that have lines
CLOSE_SECONDS = 5.0  # for a client to close the channel before it is aborted


class SessionLog:
    """Writes the events: refused; or queued, if there was no slot, then left, or begin and end.

    Begin and end are written both or neither: anyone can begin and end many sessions, so some of
    a network have lines, and the others are counted.
    """

    def __init__(self, event_log: EventLog, user: User, at_once: int = 0) -> None:
        """Write a user's events to a log.

        Args:
            event_log: of the process.
            user: whose session it is.
            at_once: sessions that one network may have at once, which all have lines.
        """
        self._event_log = event_log
        self._sessions = max(SESSIONS, at_once)
        self._user = user
        self._since = time.monotonic()
        self._has_begun = False
        self._has_lines = True
        self._numbered: dict[str, Field] = {}  # the field with the session's number

    def use_number(self, number: int) -> None:
        """Write this number, which no other session of the server has, with all further events."""
        self._numbered = {"session": number}

    def refused(self, reason: str) -> None:
        """Log that the session is refused."""
        self._event_log.write("refused", **self._fields(reason=reason))

    def queued(self) -> None:
        """Log that the user waits in the queue."""
        self._event_log.write("queued", **self._fields())

    def begin(self, terminal: ClientTerminal) -> None:
        """Log that the session begins."""
        self._has_begun, self._since = True, time.monotonic()
        columns, rows = terminal.size
        self._has_lines = self._event_log.has_line(
            "begin", "address", network_of(self._user.address), self._sessions
        )
        if self._has_lines:
            fields = self._fields(term=terminal.kind, columns=columns, rows=rows)
            self._event_log.write_line("begin", fields)

    def end(self, sent: int, reason: str) -> None:
        """Log that the session ends, or that the user left the queue.

        Args:
            sent: bytes to the client.
            reason: such as quit, cut or idle.
        """
        seconds = round(time.monotonic() - self._since, 1)
        fields = self._fields(seconds=seconds, bytes=sent, reason=reason)
        if not self._has_begun:
            self._event_log.write("left", **fields)
        elif self._has_lines:
            self._event_log.write_line("end", fields)

    def _fields(self, **more: Field) -> dict[str, Field]:
        return {**self._user.fields, **self._numbered, **more}


class SshSession(asyncssh.SSHServerSession[bytes]):
    """A user's session: it is refused with a message, or it runs apps, perhaps after a wait."""

    _channel: SessionChannel
    runner: AppRunner

    def __init__(self, state: ServerState, user: User, gate: Gate) -> None:
        """Start without a channel and a request.

        Args:
            state: of the server's process.
            user: who logged in.
            gate: the connection.
        """
        self._state = state
        self._user = user
        self._gate = gate
        self.number = 0  # once it has a place
        self._kind: str | None = None  # of the terminal
        self._size = (0, 0)
        self._refusal: str | None = None
        self._is_ended = False  # and the gate knows
        self._task: asyncio.Task[None] | None = None
        self._waiting: WaitingClient | None = None  # while there is no slot
        self._aborting: asyncio.TimerHandle | None = None
        self._log = SessionLog(state.event_log, user, state.options.per_address)

    def connection_made(self, chan: SessionChannel) -> None:  # type: ignore[override]
        """Use this channel."""
        self._channel = chan
        self.runner = AppRunner(self._state, self._user, chan)

    # Requests: for a terminal and a shell; others are refused with a message

    @property
    def terminal(self) -> ClientTerminal:
        """The client's terminal, as it is now."""
        return client_terminal(self._kind, self._size, self._channel.environment)

    @property
    def refusal(self) -> str | None:
        """Why the request is refused; None if it is not."""
        if self._refusal is None and not self.terminal.can_draw:
            return NO_TERMINAL if self._kind is None else NO_DRAWING
        return self._refusal

    def pty_requested(
        self, term_type: str, term_size: tuple[int, int, int, int], _modes: object
    ) -> bool:
        """Keep the terminal's type and size."""
        self._kind, self._size = term_type, term_size[:2]
        return True

    def terminal_size_changed(
        self, width: int, height: int, _pixwidth: int, _pixheight: int
    ) -> None:
        """Pass on the terminal's new size."""
        self._size = width, height
        size = self.terminal.size
        if self._waiting is not None:
            self._waiting.resize(size[0])
        self.runner.input.resize(size)

    def shell_requested(self) -> bool:
        """Accept: it opens the app."""
        return True

    def exec_requested(self, command: str) -> bool:
        """Keep what the app takes; a command of a shell is accepted only to be refused."""
        if not self._state.options.takes_command:
            self._refusal = NO_COMMANDS
        elif len(command) > COMMAND_MAXIMUM or CONTROL.search(command):
            self._refusal = UNUSABLE_COMMAND
        else:
            self._user = self.runner.user = replace(self._user, command=command)
        return True

    def subsystem_requested(self, subsystem: str) -> bool:
        """Accept a subsystem, only to refuse it with a message."""
        what = "file transfer is" if subsystem == "sftp" else "subsystems are"
        self._refusal = f"{what} not supported; use ssh alone"
        return True

    # The client

    def session_started(self) -> None:
        """Start the task that opens the app, or refuses to; asyncssh calls this once."""
        self._gate.session_began()
        context, _ = activity_context()  # until the app has drawn, others' keys go before
        task = asyncio.create_task(self._run(), name="ssh session", context=context)
        self._task = task
        self._state.began(self, task)

    def data_received(self, data: bytes, _datatype: object) -> None:
        """Pass input to the app; in the queue only keys that leave it count."""
        if self._waiting is None:
            self.runner.feed(data)
        elif is_leaving(data):
            self.end("quit")

    def eof_received(self) -> bool:
        """End the session, since there will be no more input."""
        self.end("cut")
        return True

    def signal_received(self, _signal: str) -> None:
        """End the session, whatever the signal."""
        self.end("signal")

    def connection_lost(self, _exc: Exception | None) -> None:
        """End the session, since its channel is gone."""
        self._end_once()
        if self._aborting is not None:
            self._aborting.cancel()  # it refers to the channel
        self.runner.close()
        self.end("cut")
        if self._task is None:
            self._free()
        else:
            self._task.add_done_callback(lambda _: self._free())

    # From the start to the end

    def end(self, reason: str, farewell: str = "") -> None:
        """End the session soon; the first reason counts."""
        if self._waiting is not None:
            self._waiting.leave()
        self.runner.end(reason, farewell)

    async def _run(self) -> None:
        try:
            slot = await self._slot()
        except NoSlotError as error:
            self._log.refused(str(error))
            self._close_channel(str(error), 1)
            return
        except Exception as error:  # noqa: BLE001 - the channel would stay open for ever
            self.runner.fail(error)
            self._close_channel(self.runner.farewell, 1)
            return
        self.number = slot.number
        self._log.use_number(slot.number)
        runner = self.runner
        try:
            if await self._is_admitted(slot):
                self._log.begin(self.terminal)
                slot.session = runner
                await runner.run(lambda: self.terminal)
        except Exception as error:  # noqa: BLE001 - a bug ends only this session
            runner.fail(error)
        finally:
            self._state.slots.release(slot)
            self._log.end(runner.output.sent, runner.reason)
            self._close_channel(
                runner.farewell, 1 if runner.reason == "crashed" else runner.exit_code
            )

    async def _slot(self) -> Slot:
        """Return a slot, or a place in the queue.

        Raises:
            NoSlotError: the session is refused.
        """
        refusal = self.refusal or (STOPPING if self._state.is_closing else None)
        if refusal is not None:
            raise NoSlotError(refusal)
        return await self._state.slots.ask(self._user.address, self._user.fields)

    async def _is_admitted(self, slot: Slot) -> bool:
        """Wait for a slot, if necessary; return whether there is one now."""
        if slot.wait is None:
            return True
        if self.runner.is_over:  # the client is gone already: nothing else would end the wait
            return False
        self._log.queued()
        waiting = WaitingClient(self.runner.output, self.terminal.size[0])
        self._waiting = slot.client = waiting
        waiting.show(*slot.wait)
        try:
            return await waiting.wait()
        finally:
            self._waiting = slot.client = None

    def _close_channel(self, line: str, status: int) -> None:
        """Send a last line and close; asyncssh first sends what is buffered."""
        self.runner.close()
        if self._channel.is_closing():
            return
        with suppress(OSError):
            if self.runner.message:
                lines = map(safe, self.runner.message.splitlines())
                self._channel.write_stderr("".join(f"{one}\r\n" for one in lines).encode())
            if line:
                last = f"{self._state.options.name}: {line}\r\n"
                self._channel.write_stderr(last.encode())
            self._channel.exit(status & 0xFF)
        loop = asyncio.get_running_loop()
        self._aborting = loop.call_later(CLOSE_SECONDS, self._abort)

    def _abort(self) -> None:
        """Abort the channel; asyncssh keeps it until the client closes it, too."""
        self._channel.abort()
        self._end_once()

    def _end_once(self) -> None:
        if self._task is not None and not self._is_ended:
            self._is_ended = True
            self._gate.session_ended()

    def _free(self) -> None:
        self.runner.free()
        self._gate.channel_closed()
