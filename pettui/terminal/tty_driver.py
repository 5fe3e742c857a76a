"""TtyDriver: an app on the terminal that its program was started in (POSIX).

Of Textual's own it uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``Driver._auto_restart``: where it changes, ctrl+z takes the terminal away from another program
  that the app is suspended for.
- ``Driver._mouse``: as ``cell_driver`` does.
"""

from __future__ import annotations

import os
import signal
from asyncio import get_running_loop
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import constants
from textual.messages import TerminalSupportsSynchronizedOutput

from pettui.terminal import job_control
from pettui.terminal.cell_driver import CellDriver
from pettui.terminal.guarded_calls import guarded
from pettui.terminal.input.key_parser import KeyParser
from pettui.terminal.input.raw_input import RawInput
from pettui.terminal.input.tokenizer import Tokenizer
from pettui.terminal.output import modes
from pettui.terminal.output.output import NoTerminal
from pettui.terminal.output.tty_output import TtyOutput, terminal_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.message import Message

    from pettui.terminal.output.sgr import Palette

STANDARD_INPUT, STANDARD_ERROR = 0, 2  # standard output may be redirected
READ_MAXIMUM = 4096  # bytes
PASTE_MAXIMUM = 4_000_000  # bytes; a longer one is refused
FRAME_MINIMUM = 256  # bytes; no terminal shows half of a shorter frame


class TtyDriver(CellDriver):
    """Sets up the terminal, restores it for the shell while suspended, and sets it up again."""

    def __init__(
        self,
        app: App[Any],
        *,
        palette: Palette,
        hung_up: Callable[[], None],
        is_ending: Callable[[], bool],
        erases: bool = False,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Watch the signals of job control; the terminal is not changed yet.

        Args, beside those of ``CellDriver``:
            hung_up: called once the terminal is gone.
            is_ending: whether the app was asked to end.
            size: columns and rows; None is the terminal's own.
        """
        super().__init__(
            app,
            output=NoTerminal(),
            palette=palette,
            erases=erases,
            tokenizer=Tokenizer(key_patience=constants.ESCAPE_DELAY, paste_maximum=PASTE_MAXIMUM),
            parser=KeyParser(takes_reports=True),
            debug=debug,
            mouse=mouse,
            size=size or terminal_size(STANDARD_ERROR),
        )
        self._hung_up = hung_up
        self._is_ending = is_ending
        self._raw_input = RawInput(STANDARD_INPUT)
        self._is_synchronized = False  # the terminal supports synchronized output (mode 2026)
        self._was_suspended = False
        loop = self._event_loop = get_running_loop()
        loop.add_signal_handler(signal.SIGWINCH, self._follow_size)
        job_control.watch(loop, self._stop_for_shell, self._continue)

    # Application mode

    def start_application_mode(self) -> None:
        """Set up the terminal, and draw what was painted so far."""
        self._raw_input.start()  # stops here as long as the program is in the background
        self._output = TtyOutput(STANDARD_ERROR, self._schedule_catch_up)
        super().start_application_mode()
        read = guarded(self._read, self.fail, otherwise=None)
        self._event_loop.add_reader(STANDARD_INPUT, read)
        self._follow_size()
        self._draw_all()

    @property
    def mode_sequence(self) -> str:
        """What sets the terminal's modes, and asks whether it knows synchronized output."""
        keys = "" if constants.DISABLE_KITTY_KEY else modes.ENABLE_KEYS
        # Apple's terminal prints a part of the request.
        is_apple = os.environ.get("TERM_PROGRAM") == "Apple_Terminal"
        mouse = modes.ENABLE_MOVES if self._mouse else ""
        return super().mode_sequence + mouse + keys + ("" if is_apple else modes.REQUEST_FRAMES)

    @property
    def reset_sequence(self) -> str:
        """What resets them."""
        keys = "" if constants.DISABLE_KITTY_KEY else modes.DISABLE_KEYS
        return (modes.DISABLE_MOVES if self._mouse else "") + keys + super().reset_sequence

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
            self._raw_input.stop()

    # Job control

    @property
    def can_suspend(self) -> bool:
        """Whether there is a shell to continue the program; without one it would stop for good."""
        return job_control.has_shell()

    def _stop_for_shell(self) -> None:
        """Restore the terminal, then stop."""
        if not self.can_suspend:
            return
        if self._auto_restart:
            self.suspend_application_mode()
            self._was_suspended = True
        job_control.stop_job(self._event_loop, self._stop_for_shell)

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
        return modes.BEGIN_FRAME + text + modes.END_FRAME

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
