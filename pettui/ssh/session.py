"""A session: what its client requests, its lines in the log, its limits in time, and its channel.

From a connection to the first frame:

1. A worker's ``Server`` accepts a connection, which is read once ``Logins`` lets it proceed;
   asyncssh asks its ``Connection`` who may log in (``begin_auth``, ``validate_public_key``).
2. ``session_requested`` makes the channel and this session, which keeps PTY, size and command.
3. ``session_started`` begins ``_run``: ``Slots.ask`` gives a slot or a place in the queue, which a
   ``WaitingClient`` shows, or refuses the session.
4. ``AppPool.open`` takes an app that was prepared for such a terminal, or else shows the first
   frame of another and starts one behind it.
5. The app draws through its ``ChannelDriver`` to ``SessionTerminal``, which writes to the channel;
   ``_presented`` then passes on what was typed meanwhile.
"""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from contextvars import Context
from dataclasses import replace
from math import ceil, inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import asyncssh

from pettui.ssh.admission import NoSlotError, SessionSlot, network_of
from pettui.ssh.app_tasks import EXITS, cancel
from pettui.ssh.apps.app_pool import AppRequest
from pettui.ssh.apps.bugs import traceback_text
from pettui.ssh.apps.served_app import ServedApp, exit_of
from pettui.ssh.fair_loop import Activity, FairEventLoop, activity_context, current_activity
from pettui.ssh.options import COUNTDOWN, SshOptions
from pettui.ssh.server_state import BUG, CRASHED, STOPPING, ServerState
from pettui.ssh.session_terminal import SessionTerminal
from pettui.ssh.waiting import WaitingClient, is_leaving
from pettui.ssh.watchdog import LoopBlockedError
from pettui.system.background_tasks import Timer
from pettui.terminal.client_terminal import ClientTerminal, client_terminal
from pettui.terminal.guarded import guarded
from pettui.terminal.tokenizer import is_key
from pettui.text.safe import terminal_lines

if TYPE_CHECKING:
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.asyncssh_internals import ServerConnection, SessionChannel
    from pettui.system.logs import EventLog, Field

NO_TERMINAL = "needs a terminal; connect with ssh -t"
NO_DRAWING = "TERM cannot draw screens; set it to your terminal's type, such as xterm-256color"
NO_COMMANDS = "commands are not supported; connect without one"
NO_SUBSYSTEMS = "file transfer and other subsystems are not supported; use ssh alone"
COMMAND_MAXIMUM: Final = 1_000  # characters
CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
UNUSABLE_COMMAND = f"a command is a line of at most {COMMAND_MAXIMUM:,} characters"
SESSIONS: Final = 60  # that one network begins in a minute, and that have lines
END_SECONDS = 5.0  # for an app to end before it is cancelled
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

    @property
    def fields(self) -> dict[str, Field]:
        """Whose session it is, and its number."""
        return {**self._user.fields, **self._numbered}

    def refused(self, reason: str) -> None:
        """Log that the session is refused."""
        self._event_log.write("refused", **self.fields, reason=reason)

    def queued(self) -> None:
        """Log that the user waits in the queue."""
        self._event_log.write("queued", **self.fields)

    def begin(self, terminal: ClientTerminal) -> None:
        """Log that the session begins."""
        self._has_begun, self._since = True, time.monotonic()
        columns, rows = terminal.size
        self._has_lines = self._event_log.has_line(
            "begin", "address", network_of(self._user.address), self._sessions
        )
        if self._has_lines:
            shown: dict[str, Field] = {"term": terminal.kind, "columns": columns, "rows": rows}
            self._event_log.write_line("begin", {**self.fields, **shown})

    def end(self, sent: int, reason: str, code: int = 0) -> None:
        """Log that the session ends, or that the user left the queue.

        Args:
            sent: bytes to the client.
            reason: such as quit, cut or idle.
            code: of ssh, where the app gave it one.
        """
        seconds = round(time.monotonic() - self._since, 1)
        fields = {**self.fields, "seconds": seconds, "bytes": sent, "reason": reason}
        fields |= {"code": code} if code else {}
        if not self._has_begun:
            self._event_log.write("left", **fields)
        elif self._has_lines:
            self._event_log.write_line("end", fields)


class Ending(NamedTuple):
    """How a session ends, for its log and its user."""

    reason: str = "quit"
    farewell: str = ""  # a line that is shown once the terminal is restored
    message: str = ""  # the app's own, shown before that
    code: int = 0  # of ssh, where the app gave it one
    is_bug: bool = False  # of its own, which is reported


class SshSession(asyncssh.SSHServerSession[bytes]):
    """A user's session: it is refused with a message, or it runs apps, perhaps after a wait."""

    _channel: SessionChannel
    _connection: ServerConnection
    terminal: SessionTerminal

    def __init__(self, state: ServerState, user: User) -> None:
        """Start without a channel and a request.

        Args:
            state: of the server's process.
            user: who logged in.
        """
        self._state = state
        self._user = user
        self._kind: str | None = None  # of the terminal
        self._size = (0, 0)
        self._refusal: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: WaitingClient | None = None  # while there is no slot
        self._aborting = Timer()  # a channel that its client leaves open
        self._log = SessionLog(state.event_log, user, state.options.per_address)
        self._limits = TimeLimits(state.options)
        self._has_limits = False  # apps run, which these may end
        self._checking = Timer()  # the limits
        self._forcing = Timer()  # an app to end
        self._is_opening = False  # an app
        self._connection_activity = current_activity()
        self._activities: set[Activity] = set()  # of the session and its apps
        self._ending: Ending | None = None  # once something ends it

    def connection_made(self, chan: SessionChannel) -> None:  # type: ignore[override]
        """Use this channel."""
        self._channel, self._connection = chan, chan.get_connection()
        self.terminal = SessionTerminal(self._state, chan, self.fail)

    # Requests: for a terminal and a shell; others are refused with a message

    def described(self) -> ClientTerminal:
        """Return what the client says of its terminal, as it is now."""
        return client_terminal(self._kind, self._size, self._channel.environment)

    @property
    def refusal(self) -> str | None:
        """Why the request is refused; None if it is not."""
        if self._refusal is None and not self.described().can_draw:
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
        size = self.described().size
        if self._waiting is not None:
            self._waiting.resize(size[0])
        self.terminal.resize(size)

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
            self._user = replace(self._user, command=command)
        return True

    def subsystem_requested(self, _subsystem: str) -> bool:
        """Accept a subsystem, only to refuse it with a message."""
        self._refusal = NO_SUBSYSTEMS
        return True

    # The client

    def session_started(self) -> None:
        """Start the task that opens the app, or refuses to; asyncssh calls this once."""
        self._connection.session_began(self)
        self._state.logins.end(self._connection)
        names, sent = self._state.options.accept_env, self._channel.environment
        if names:
            accepted = {name: sent[name] for name in names if name in sent}
            self._user = replace(self._user, environment=accepted)
        context, _ = activity_context()  # until the app has drawn, others' keys go before
        task = asyncio.create_task(self._run(), name="ssh session", context=context)
        self._task = task
        self._state.began(self, task)

    def data_received(self, data: bytes, _datatype: object) -> None:
        """Pass input to the app; in the queue only keys that leave it count.

        A key that answers the notice of an idle session does nothing else.
        """
        if self._waiting is None:
            guarded(self._take, self.fail)(data)
        elif is_leaving(data):
            self.end("quit")

    def _take(self, data: bytes) -> None:
        now = asyncio.get_running_loop().time()
        answers = self.terminal.overlay and self._limits.is_idle(now) and is_key(data)
        self._limits.touch(now)
        if self.terminal.overlay:
            self._check_limits()
        if not answers:
            self.terminal.feed(data)

    def eof_received(self) -> bool:
        """End the session, since there will be no more input."""
        self.end("cut")
        return True

    def signal_received(self, _signal: str) -> None:
        """End the session, whatever the signal."""
        self.end("signal")

    def connection_lost(self, _exc: Exception | None) -> None:
        """End the session, since its channel is gone."""
        self._connection.session_ended(self)
        self._aborting.stop()  # it refers to the channel
        self.terminal.close()
        self.end("cut")
        if self._task is None:
            self._free()
        else:
            self._task.add_done_callback(lambda _: self._free())

    # From the start to the end

    async def _run(self) -> None:
        try:
            slot = await self._slot()
        except NoSlotError as error:
            self._log.refused(str(error))
            self._close_channel(Ending(farewell=str(error)), 1)
            return
        except Exception as error:  # noqa: BLE001 - the channel would stay open for ever
            self.fail(error)
            self._close_channel(self._ended, 1)
            return
        self._log.use_number(slot.number)
        try:
            if await self._is_admitted(slot):
                self._log.begin(self.described())
                await self._run_apps()
        except EXITS as error:  # before there was an app
            code, message = exit_of(error)
            self._ending = self._ended._replace(message=message, code=code)
        except (Exception, LoopBlockedError) as error:  # noqa: BLE001 - a bug ends only this session
            self.fail(error)
        finally:
            self._state.slots.release(slot)
            ended = self._ended
            self._log.end(self.terminal.sent, ended.reason, ended.code)
            self._close_channel(ended, 1 if ended.reason == CRASHED else ended.code)

    async def _slot(self) -> SessionSlot:
        """Return a slot, or a place in the queue.

        Raises:
            NoSlotError: the session is refused.
        """
        refusal = self.refusal or (STOPPING if self._state.is_closing else None)
        if refusal is not None:
            raise NoSlotError(refusal)
        return await self._state.slots.ask(self, self._user.fields)

    async def _is_admitted(self, slot: SessionSlot) -> bool:
        """Wait for a slot, if necessary; return whether there is one now."""
        if slot.wait is None:
            return True
        if self._ending is not None:  # the client is gone already: nothing else would end the wait
            return False
        self._log.queued()
        self._waiting = waiting = WaitingClient(self.terminal, self.described().size[0])
        waiting.show(*slot.wait)
        try:
            return await waiting.wait()
        finally:
            self._waiting = None

    def _close_channel(self, ended: Ending, status: int) -> None:
        """Send the last lines and close; asyncssh first sends what is buffered."""
        self.terminal.close()
        # Before its client can know that: it may open another one at once.
        self._connection.channels.discard(self)
        if self._channel.is_closing():
            return
        lines = ended.message.splitlines()
        if ended.farewell:
            lines.append(f"{self._state.options.name}: {ended.farewell}")
        with suppress(OSError):
            if lines:
                self._channel.write_stderr(terminal_lines(lines))
            self._channel.exit(status & 0xFF)
        self._aborting.start(CLOSE_SECONDS, self._abort)

    def _abort(self) -> None:
        """Abort the channel; asyncssh keeps it until the client closes it, too."""
        self._channel.abort()
        self._connection.session_ended(self)

    def _free(self) -> None:
        del self.terminal  # which refers to this
        self._connection.channels.discard(self)

    # Its apps, one after the other

    async def _run_apps(self) -> None:
        """Run apps until one ends that is not to be restarted."""
        self._activities.add(current_activity())
        self._limits.touch(asyncio.get_running_loop().time())
        self._has_limits = True
        self.drain(self._state.drains_until)
        try:
            while await self._run_app():
                pass
        finally:
            self._has_limits = False
            self._checking.stop()
            self.terminal.stop_timing()

    async def _run_app(self) -> bool:
        """Run one app; return whether it is to be restarted."""
        if self._ending is not None:
            return False
        apps, terminal = self._state.apps, self.terminal
        self._is_opening = terminal.is_behind = True
        try:
            request = AppRequest(self._user, self.described, terminal, self._presented)
            opened = await apps.open(request)
        finally:
            self._is_opening = False
        terminal.is_behind = terminal.is_behind and opened.is_behind
        self._activities.add(opened.activity)
        app = opened.app
        app.use_log_fields(self._log.fields)
        terminal.attach(app)
        try:
            await opened.ended
        finally:
            self._give_way()
            terminal.detach()
            self._forcing.stop()
            await self._state.factory.close(app)
            self._leave_threads(app)
            self._state.gc_schedule.app_ended(app)
        return self._is_restarted(app)

    def _leave_threads(self, app: ServedApp[Any]) -> None:
        """Have the threads that outlive an app count for its user's address."""
        loop = asyncio.get_running_loop()
        outlive, address = self._state.slots.outlive, self._user.address

        def count(threads: int) -> None:
            with suppress(RuntimeError):  # the process ends
                loop.call_soon_threadsafe(outlive, address, threads, context=Context())

        if isinstance(loop, FairEventLoop):
            loop.leave_threads(app, count)

    def _is_restarted(self, app: ServedApp[Any]) -> bool:
        """Take what an app that has ended says; return whether it is to be restarted."""
        factory = self._state.factory
        if app.bug is not None:
            self.fail(app.bug)
        if factory.restarts(app) and self._ending is None:
            self.terminal.keep_unread(app)
            return True
        ended = self._ended
        if not ended.is_bug:
            ended = ended._replace(message=app.last_words, code=app.return_code or 0)
        self._ending = ended._replace(farewell=ended.farewell or factory.farewell(app))
        return False

    def _presented(self) -> None:
        """Pass on the user's keys, which go before the work for those who log in from now on."""
        self._connection_activity.begin()
        for activity in self._activities:
            activity.begin()
        self.terminal.is_behind = False
        self.terminal.pass_on()

    def _give_way(self) -> None:
        """Let others' keys go before the end of an app, for which nobody waits."""
        for activity in self._activities:
            activity.give_way()

    # The end

    @property
    def _ended(self) -> Ending:
        """How it ends: as the user quits, unless something else came before."""
        return self._ending or Ending()

    def end(self, reason: str, farewell: str = "") -> None:
        """End the session and its app soon; the first reason counts."""
        if self._waiting is not None:
            self._waiting.leave()
        if self._ending is not None:
            return
        app = self.terminal.app
        if self._is_opening:
            self._cancel()
        if app is not None:
            if not self._forcing.is_running:
                self._forcing.start(END_SECONDS, self._cancel)
            if app.is_ending and not self._state.factory.restarts(app):
                return
            app.end_for_server()
            self._give_way()
        self._ending = Ending(reason, farewell)

    def _cancel(self) -> None:
        """Cancel the app, which did not end in time, or has not begun."""
        if self._task is not None:
            cancel(self._task)

    def fail(self, error: BaseException) -> None:
        """End the session because of a bug, which is reported once and mentioned to the user."""
        if not self._ended.is_bug:
            # First: the app may raise another one as it is ended.
            self._state.report_bug(error, **self._log.fields)
            self.end(CRASHED)
            message = traceback_text(error) if self._state.options.debug else ""
            farewell = BUG.format(self._state.options.name)
            self._ending = Ending(CRASHED, farewell, message, is_bug=True)

    def show_wait(self, position: int, seconds: float | None) -> None:
        """Show the user a position in the queue, and the estimated seconds."""
        if self._waiting is not None:
            self._waiting.show(position, seconds)

    def admit(self) -> None:
        """End the wait, if it has begun: there is a slot."""
        if self._waiting is not None:
            self._waiting.admit()

    def limit(self, *, is_asked_to_leave: bool) -> None:
        """Start, continue or stop the countdown of a session that is to make room."""
        if is_asked_to_leave or self._limits.is_leaving:
            now = asyncio.get_running_loop().time()
            self._limits.make_room(now, is_asked=is_asked_to_leave)
            guarded(self._check_limits, self.fail)()

    def drain(self, until: float) -> None:
        """Tell the user now, and again before it ends, that the session ends with the server.

        One that has not begun yet asks for the time when it does.
        """
        if self._has_limits:
            self._limits.drain(asyncio.get_running_loop().time(), until)
            guarded(self._check_limits, self.fail)()

    def _check_limits(self) -> None:
        """End the session, or say when it will end, now and once that changes."""
        now, app = asyncio.get_running_loop().time(), self.terminal.app
        self._checking.stop()
        is_busy = app is not None and app.declares("is_busy")
        if (over := self._limits.reason(now, is_busy=is_busy)) is not None:
            self.end(*over)
            return
        text, seconds = self._limits.countdown(now), self._limits.next_check(now)
        self.terminal.show_overlay(text)
        if self.terminal.overlay != text:  # its app is not there yet
            seconds = min(seconds, 1.0)
        if seconds < inf:
            self._checking.start(seconds, guarded(self._check_limits, self.fail))


CHECK_MINIMUM: Final = 0.1  # seconds between two checks
TOLD: Final = 30.0  # seconds for which users are told at once that the server drains
BUSY_MAXIMUM: Final = 120.0  # seconds after the end for which a session may end what it has begun
DRAINED: Final = "session ended: the server restarts; please log in again"


class TimeLimits:
    """When a session ends by time; the clock is its owner's."""

    def __init__(self, options: SshOptions) -> None:
        """Start without a limit; ``touch`` starts that of idle users."""
        self._options = options
        self._touched = inf  # when something was typed last
        self._leaves_at = inf  # where it is to make room: when
        self._ends_at = inf  # where the server drains: when
        self._told_until = 0.0  # that it does

    def touch(self, now: float) -> None:
        """Begin to wait for the next key."""
        self._touched = now

    @property
    def is_leaving(self) -> bool:
        """Whether it is to make room."""
        return self._leaves_at < inf

    def make_room(self, now: float, *, is_asked: bool) -> None:
        """Start or continue the countdown of a session that is asked to leave; or stop it."""
        if not is_asked:
            self._leaves_at = inf
        elif not self.is_leaving:
            self._leaves_at = now + self._options.notice

    def drain(self, now: float, until: float) -> None:
        """Tell that the session ends at a time, since the server drains; inf if it does not."""
        self._told_until, self._ends_at = now + TOLD, until

    def _idle_left(self, now: float) -> float:
        timeout = self._options.idle_timeout
        return self._touched + timeout - now if timeout else inf

    def is_idle(self, now: float) -> bool:
        """Whether it ends soon since nothing is typed."""
        return self._idle_left(now) <= COUNTDOWN

    def reason(self, now: float, *, is_busy: bool = False) -> tuple[str, str] | None:
        """Return why it ends now, for the log and for the user; None if it does not.

        Args:
            now: the time.
            is_busy: whether its app has begun what a server that drains does not cut off.
        """
        if now >= self._leaves_at:
            minutes = (self._options.time_limit + self._options.notice) / 60
            return "time", f"session ended: the limit is {minutes:.0f} minutes while others wait"
        if self._idle_left(now) <= 0:
            return "idle", f"session ended: no input for {self._timeout_text}"
        if now >= self._ends_at + (BUSY_MAXIMUM if is_busy else 0.0):
            return "drained", DRAINED
        return None

    def countdown(self, now: float) -> str:
        """Return a line over the screen, of what ends it soon; "" for none."""
        left = self._idle_left(now)
        if self.is_leaving:
            return f"Others are waiting: this session ends in {ceil(self._leaves_at - now)} s."
        if not self.is_idle(now):
            return self._drain_line(now)
        return f"Press any key to stay: without input this session ends in {ceil(left)} s."

    def _drain_line(self, now: float) -> str:
        left = self._ends_at - now
        if left <= self._options.notice:
            seconds = max(ceil(left), 0)
            return f"The server restarts: this session ends in {seconds} s. Log in again then."
        if now >= self._told_until or left == inf:
            return ""
        minutes = ceil(left / 60)
        return f"The server restarts: finish and log in again; this session ends in {minutes} min."

    def next_check(self, now: float) -> float:
        """Return the seconds until the user is to be told something else; it may be never.

        Those who are to make room are told each second.
        """
        left = self._idle_left(now)
        idle = left - COUNTDOWN if left > COUNTDOWN else left % 1.0
        drains = (self._ends_at - now) % 1.0 if self._ends_at < inf else inf
        return max(min(idle, drains), CHECK_MINIMUM)

    @property
    def _timeout_text(self) -> str:
        """The timeout in words: 15 minutes, 90 seconds."""
        seconds = round(self._options.idle_timeout)
        count, unit = (seconds, "second") if seconds % 60 else (seconds // 60, "minute")
        return f"{count} {unit}{'' if count == 1 else 's'}"
