"""Textual's driver of a terminal: started anew, never twice, and ended with its terminal.

Of Textual's own it uses ``_key_thread``, ``_auto_restart``, ``_must_signal_resume``, ``_loop``,
``_sigtstp_application`` and ``_query_in_band_window_resize``.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import sys
import time
from typing import TYPE_CHECKING, cast

from textual import constants
from textual.drivers.linux_driver import LinuxDriver

from pettui.cli.terminal_output import TerminalOutput
from pettui.terminal.key_parser import KeyParser
from pettui.terminal.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.terminal.tokens import Token
    from pettui.tui.app import PetApp

LOOK_AGAIN = 1.0  # seconds between looks at whether the terminal is still there
LOOK_FOR_END = 0.1  # seconds between looks at whether no more keys are wanted
STANDARD_ERROR = 2  # where Textual draws
READ_MAXIMUM = 4096  # bytes
PASTE_MAXIMUM = 4_000_000  # bytes


class TerminalDriver(LinuxDriver):
    """Takes the terminal again when the program is continued, and whatever bytes it sends.

    At SIGCONT Textual starts its threads, also where they run: after ``kill -STOP``, and with the
    SIGHUP of a terminal that goes away. Those that it forgets then never end, nor does the program.
    """

    _output: TerminalOutput | None = None  # while the terminal is taken

    def start_application_mode(self) -> None:
        """Take the terminal; give it back first where it was never given back."""
        if self._key_thread is not None and self._key_thread.is_alive():
            self.suspend_application_mode()
            self._must_signal_resume = True  # the screen is drawn anew
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def resume_application_mode(self) -> None:
        """Take the terminal again, and draw all of it: nothing of what stood there is left."""
        super().resume_application_mode()
        self._redraw()

    def write(self, data: str) -> None:
        """Have something written, without ever waiting for the terminal to take it."""
        if self._output is None:
            self._output = TerminalOutput(STANDARD_ERROR, self._redraw)
            self._output.start()
        self._output.write(data)

    def close(self) -> None:
        """Write what is left, and stop writing."""
        super().close()
        output, self._output = self._output, None
        if output is not None:
            output.stop()

    def _redraw(self) -> None:
        self._loop.call_soon_threadsafe(self._app.refresh)

    @property
    def can_suspend(self) -> bool:
        """Whether a shell is there to continue the program: it would stand still for good."""
        return os.getpgrp() != os.getsid(0)

    def _sigtstp_application(self, *_: object) -> None:
        """Give the terminal back, then stop all that the shell started along with this process.

        The shell takes the terminal as soon as all of them stand still.
        """
        if self._auto_restart:
            self.suspend_application_mode()
            self._must_signal_resume = True
        signal.signal(signal.SIGTSTP, signal.SIG_IGN)
        os.kill(0, signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        os.kill(os.getpid(), signal.SIGSTOP)

    def _query_in_band_window_resize(self) -> None:
        """Leave sizes to SIGWINCH, and the mouse to cells: Textual never gives its pixels back."""

    def run_input_thread(self) -> None:
        """Hand over what is typed until no more is wanted; whatever ends it ends the app."""
        try:
            is_there = self._read_keys()
        except OSError:  # EIO: the terminal was taken away
            is_there = False
        except Exception as error:  # noqa: BLE001 - the thread's last word, told by the app
            self._loop.call_soon_threadsafe(self._app._handle_exception, error)  # noqa: SLF001
            return
        if not is_there:
            self._loop.call_soon_threadsafe(cast("PetApp", self._app).end)

    def _read_keys(self) -> bool:
        """Read until no more is wanted; return whether the terminal is still there then."""
        tokenizer = Tokenizer(key_patience=constants.ESCAPE_DELAY, paste_maximum=PASTE_MAXIMUM)
        parser = KeyParser(takes_reports=True)
        heard = time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                patience = tokenizer.patience
                left = LOOK_FOR_END if patience is None else heard + patience - time.monotonic()
                if selector.select(max(min(left, LOOK_FOR_END), 0)):
                    data = os.read(self.fileno, READ_MAXIMUM)
                    if not data:
                        return False
                    heard = time.monotonic()
                    self._take(parser, tokenizer.feed(data))
                elif patience is not None and left <= LOOK_FOR_END:
                    self._take(parser, tokenizer.time_out())
        return True

    def _take(self, parser: KeyParser, tokens: Iterable[Token]) -> None:
        for message in parser.messages(tokens, self._app.size):
            self.process_message(message)


def drive_terminal(app: PetApp) -> None:
    """Let an app use this driver where it would use Textual's, and end with its terminal."""
    if app.driver_class is LinuxDriver:
        app.driver_class = TerminalDriver
        _end_with(app, sys.stdin.fileno())


def _end_with(app: PetApp, descriptor: int) -> None:
    """End the app once its terminal is gone: SIGHUP reaches the terminal's own session alone."""
    if os.isatty(descriptor):
        asyncio.get_running_loop().call_later(LOOK_AGAIN, _end_with, app, descriptor)
    else:
        app.end()
