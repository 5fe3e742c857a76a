"""TtyDriver: an app on the terminal that its program was started in (POSIX).

Its input is raw (termios), its output never blocks the app, and the shell can stop and continue it.

Of Textual's own it uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``Driver._auto_restart``: where it changes, ctrl+z takes the terminal away from another program
  that the app is suspended for.
"""

from __future__ import annotations

import os
import shutil
import signal
import termios
import threading
from asyncio import get_running_loop
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import constants
from textual.messages import TerminalSupportsSynchronizedOutput

from pettui.terminal import echo
from pettui.terminal.driver import UNKNOWN_SIZE, CellDriver, NoTerminal
from pettui.terminal.guarded import guarded
from pettui.terminal.tokenizer import TERMINAL_PASTE_MAXIMUM, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.message import Message


STANDARD_INPUT, STANDARD_ERROR = 0, 2  # standard output may be redirected
READ_MAXIMUM = 4096  # bytes
FRAME_MINIMUM = 256  # bytes; no terminal shows half of a shorter frame
# Synchronized output: a query of whether the terminal supports it, and what encloses a frame.
REQUEST_FRAMES = "\x1b[?2026$p"
BEGIN_FRAME, END_FRAME = "\x1b[?2026h", "\x1b[?2026l"
# Of the kitty keyboard protocol also (2) the Latin key (4). A terminal that takes no such part of
# the flags still takes the others.
TELL_LATIN_KEYS = "\x1b[=4;2u"


class TtyDriver(CellDriver):
    """Sets up the terminal, restores it for the shell while suspended, and sets it up again."""

    def __init__(
        self,
        app: App[Any],
        *,
        hung_up: Callable[[], None],
        is_ending: Callable[[], bool],
        has_successor: Callable[[], bool],
        size: tuple[int, int] | None = None,
        **options: Any,
    ) -> None:
        """Watch the signals of job control; the terminal is not changed yet.

        Args:
            app: whose screens are drawn.
            hung_up: called once the terminal is gone.
            is_ending: whether the app was asked to end.
            has_successor: whether another program follows in place of this one.
            size: columns and rows; None is the terminal's own.
            options: passed on; see ``CellDriver``.
        """
        super().__init__(
            app,
            output=NoTerminal(),
            tokenizer=Tokenizer(
                key_patience=constants.ESCAPE_DELAY, paste_maximum=TERMINAL_PASTE_MAXIMUM
            ),
            takes_latin_keys=True,
            takes_kitty_keys=not constants.DISABLE_KITTY_KEY,
            size=size or terminal_size(STANDARD_ERROR),
            **options,
        )
        self._hung_up = hung_up
        self._is_ending = is_ending
        self._has_successor = has_successor
        self._raw_input = RawInput(STANDARD_INPUT)
        self._parser.takes_reports = True
        self._is_synchronized = False  # the terminal supports synchronized output (mode 2026)
        self._was_suspended = False
        loop = self._event_loop = get_running_loop()
        loop.add_signal_handler(signal.SIGWINCH, self._follow_size)
        loop.add_signal_handler(signal.SIGTSTP, self._stop_for_shell)
        # Deferred, so that a signal that comes with it is handled first: ``kill %1`` sends both.
        loop.add_signal_handler(signal.SIGCONT, loop.call_soon, self._continue)

    # Application mode

    def start_application_mode(self) -> None:
        """Set up the terminal, and draw what was painted so far."""
        self._raw_input.start()  # stops here as long as the program is in the background
        self._output = TtyOutput(STANDARD_ERROR, self._schedule_catch_up)
        super().start_application_mode()
        read = guarded(self._read, self.fail)
        self._event_loop.add_reader(STANDARD_INPUT, read)
        self._follow_size()
        self._draw_all()

    @property
    def mode_sequence(self) -> str:
        """What sets the terminal's modes, and asks whether it knows synchronized output."""
        # Apple's terminal prints a part of the request.
        is_apple = os.environ.get("TERM_PROGRAM") == "Apple_Terminal"
        keys = TELL_LATIN_KEYS if self._takes_kitty_keys else ""
        return super().mode_sequence + keys + ("" if is_apple else REQUEST_FRAMES)

    def disable_input(self) -> None:
        """Stop handling input."""
        super().disable_input()
        self._event_loop.remove_reader(STANDARD_INPUT)

    def stop_application_mode(self) -> None:
        """Restore the terminal's modes, if it accepts that within a second."""
        super().stop_application_mode()
        output, self._output = self._output, NoTerminal()
        if isinstance(output, TtyOutput):
            output.stop()
            self._raw_input.stop(keeps_echo_off=self._has_successor())

    # Job control

    @property
    def can_suspend(self) -> bool:
        """Whether there is a shell to continue the program; without one it would stop for good."""
        return os.getpgrp() != os.getsid(0)

    def _stop_for_shell(self) -> None:
        """Restore the terminal, then stop."""
        if not self.can_suspend:
            return
        if self._auto_restart:
            self.suspend_application_mode()
            self._was_suspended = True
        self._stop_job()

    def _stop_job(self) -> None:
        """Stop this process's whole job; return once the shell has continued it.

        One signal stops them all: the shell continues as soon as the processes that it knows have
        stopped, and its SIGCONT cancels stops that were sent before it, but none that come after.
        Without a shell the system would stop nothing either (POSIX, orphaned process groups).
        """
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0, signal.SIGTSTP)
        self._event_loop.add_signal_handler(signal.SIGTSTP, self._stop_for_shell)

    def _continue(self) -> None:
        """Set up the terminal again; after SIGSTOP it was never restored.

        Not while the app is ending: in the background this would stop it before it ends.
        """
        if not self._auto_restart or self._is_ending():  # another part suspended it, and resumes it
            return
        if self.is_drawing:
            self._set_up_again()
            self.send_message(self.SignalResume())
        elif self._was_suspended:
            self._was_suspended = False
            self.resume_application_mode()
            self.send_message(self.SignalResume())

    def _set_up_again(self) -> None:
        """Set up a terminal that others may have changed; input typed meanwhile is kept."""
        self._raw_input.start()
        self._output.write(self.reset_sequence)  # kitty's key modes are a stack: pop before a push
        super().start_application_mode()
        self._follow_size()
        self._draw_all()

    def _follow_size(self) -> None:
        self.resize(*terminal_size(STANDARD_ERROR))

    def _schedule_catch_up(self) -> None:
        """Have the loop send what was held back; called in the thread that writes."""
        with suppress(RuntimeError):  # the loop has ended
            self._event_loop.call_soon_threadsafe(self.caught_up)

    def _framed(self, text: str) -> str:
        """Return a frame as synchronized output, if the terminal supports it."""
        if not self._is_synchronized or len(text) < FRAME_MINIMUM:
            return text
        return BEGIN_FRAME + text + END_FRAME

    # Input

    def _read(self) -> None:
        try:
            data = os.read(STANDARD_INPUT, READ_MAXIMUM)
        except BlockingIOError:
            return
        except OSError:  # EIO: the terminal is gone
            data = b""
        if data:
            self.feed(data)
            return
        self.disable_input()
        self._hung_up()

    def process_message(self, message: Message) -> None:
        """Pass a message on to the app; the terminal's capabilities are for this driver."""
        if isinstance(message, TerminalSupportsSynchronizedOutput):
            self._is_synchronized = True
        else:
            super().process_message(message)


_INPUT, _LOCAL, _CHARACTERS = 0, 3, 6  # of tcgetattr's list
# Flow control by ctrl+s and ctrl+q; CR and NL as one another.
_INPUT_FLAGS = termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR
# Echo; lines; ctrl+v and its like; signals by ctrl+c, ctrl+z and ctrl+\.
_LOCAL_FLAGS = termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG


class RawInput:
    """Saves a terminal's input modes and restores them; one that is gone is left alone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before: list[Any] | None = None  # the modes to restore

    def start(self) -> None:
        """Switch to raw mode.

        In the background this stops the process and its whole job until the shell moves it to the
        foreground (SIGTTOU).
        """
        with suppress(termios.error):
            before = termios.tcgetattr(self._descriptor)
            echo.put_back(before)
            raw = [*before[:_CHARACTERS], [*before[_CHARACTERS]]]
            raw[_INPUT] &= ~_INPUT_FLAGS
            raw[_LOCAL] &= ~_LOCAL_FLAGS
            raw[_CHARACTERS][termios.VMIN], raw[_CHARACTERS][termios.VTIME] = 1, 0
            termios.tcsetattr(self._descriptor, termios.TCSANOW, raw)
            self._before = self._before or before

    @property
    def is_in_background(self) -> bool:
        """Whether another program has the terminal, as the shell has after ``bg``."""
        try:
            return os.tcgetpgrp(self._descriptor) != os.getpgrp()
        except OSError:  # it is gone, or has no foreground process
            return False

    def stop(self, *, keeps_echo_off: bool = False) -> None:
        """Restore the modes, and drop unread input, such as mouse reports.

        In the background nothing is restored: the other program has set the modes that it needs.

        Args:
            keeps_echo_off: for a program that takes the place of this one.
        """
        before, self._before = self._before, None
        if self.is_in_background:
            return
        with suppress(termios.error):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            if before is not None:
                if keeps_echo_off:
                    echo.keep_off(before)
                termios.tcsetattr(self._descriptor, termios.TCSANOW, before)


SIZE_MAXIMUM = (1000, 500)  # that is drawn; more cells than any screen has take minutes
QUEUE_MAXIMUM = 4096  # bytes that may wait while there is still room: modes, and a frame or two
LAST_WRITES = 1.0  # seconds that ``stop`` waits for the terminal to accept the rest


class TtyOutput:
    """Writes in order; what is written to a terminal that is gone is discarded."""

    def __init__(self, descriptor: int, caught_up: Callable[[], None]) -> None:
        """Start writing.

        Args:
            descriptor: of the terminal.
            caught_up: called in another thread once there is room again after there was none.
        """
        self._descriptor = descriptor
        self._nonblocking = _opened_nonblocking(descriptor)
        self._caught_up = caught_up
        self._changed = threading.Condition()
        self._queue: deque[bytes] = deque()
        self._size = 0  # bytes that are queued, or being written
        self._is_awaited = self._is_over = self._is_gone = False
        self._thread = threading.Thread(target=self._run, daemon=True, name="terminal output")
        self._thread.start()

    def write(self, text: str) -> None:
        """Write a text, or queue it for the thread."""
        data = text.encode("utf-8", "replace")
        with self._changed:
            if not self._size:
                data = data[self._write_at_once(data) :]
            if data and not self._is_gone:
                self._queue.append(data)
                self._size += len(data)
                self._changed.notify()

    def has_room(self) -> bool:
        """Whether the terminal accepted what was sent before; if not, ``caught_up`` is called."""
        with self._changed:
            self._is_awaited = self._size > QUEUE_MAXIMUM
            return not self._is_awaited

    def stop(self) -> None:
        """Write the rest if the terminal accepts it in time, and end the thread."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        self._thread.join(LAST_WRITES)
        with self._changed:
            if self._nonblocking is not None:
                os.close(self._nonblocking)
            self._nonblocking = None

    def _write_at_once(self, data: bytes) -> int:
        """Write what the terminal accepts without blocking; return the number of bytes."""
        if self._nonblocking is None:
            return 0
        try:
            return os.write(self._nonblocking, data)
        except BlockingIOError:
            return 0
        except OSError:  # EIO: the terminal is gone, and the thread ends
            self._is_gone = True
            self._changed.notify()
            return 0

    def _run(self) -> None:
        """Write until ``stop``, or until the terminal is gone."""
        while data := self._next():
            try:
                while data:
                    written = os.write(self._descriptor, data)
                    data = data[written:]
                    self._count(written)
            except OSError:  # EIO: hung up; the driver's reader ends the app
                with self._changed:
                    self._is_gone, self._size = True, 0
                    self._queue.clear()
                return

    def _next(self) -> bytes:
        """Return all that is queued, once there is something; b"" at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._is_over or self._is_gone)
            data = b"".join(self._queue)
            self._queue.clear()
            return data

    def _count(self, written: int) -> None:
        with self._changed:
            self._size -= written
            if not self._is_awaited or self._size > QUEUE_MAXIMUM or self._is_over:
                return
            self._is_awaited = False
        self._caught_up()


def _opened_nonblocking(descriptor: int) -> int | None:
    """Return a non-blocking descriptor of the same terminal; None where there can be none."""
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        again = os.open(os.ttyname(descriptor), flags)
    except OSError:  # no terminal, or another user's, as after su
        return None
    if os.path.sameopenfile(again, descriptor):
        return again
    os.close(again)  # in a container, another terminal may have the name
    return None


def terminal_size(descriptor: int) -> tuple[int, int]:
    """Return the terminal's columns and rows, even where standard output is no terminal.

    COLUMNS and LINES count only for one that does not know its size, as a serial line does not: a
    shell that exports them leaves those of its start behind. All are capped at SIZE_MAXIMUM.
    """
    try:
        columns, rows = os.get_terminal_size(descriptor)
    except OSError:  # gone
        columns, rows = 0, 0
    if not columns or not rows:
        usual = shutil.get_terminal_size(UNKNOWN_SIZE)
        columns, rows = columns or usual.columns, rows or usual.lines
    return min(columns, SIZE_MAXIMUM[0]), min(rows, SIZE_MAXIMUM[1])
