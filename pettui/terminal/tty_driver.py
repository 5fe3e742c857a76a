"""TtyDriver: an app on the terminal that its program was started in (POSIX).

Of Textual's own it uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``Driver._auto_restart``: where it changes, ctrl+z takes the terminal back from another program
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
TORN_FROM = 256  # bytes; what is less no terminal shows half of


class TtyDriver(CellDriver):
    """Takes the terminal, gives it back to the shell while it has it, and takes it again."""

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
        """Watch the signals of job control; nothing is taken yet.

        Args:
            app: whose screens are drawn.
            palette: of the terminal's kind.
            hung_up: called once the terminal is gone.
            is_ending: whether the app was asked to end.
            erases: as of ``ScreenBuffer``.
            debug: as Textual passes it.
            mouse: whether the app takes the mouse.
            size: columns and rows; the terminal's own where it is None.
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
        self._is_synchronized = False  # the terminal shows a frame at once (mode 2026)
        self._was_suspended = False
        loop = self._events = get_running_loop()
        loop.add_signal_handler(signal.SIGWINCH, self._follow_size)
        loop.add_signal_handler(signal.SIGTSTP, self._stop_for_shell)
        # What comes with it is told of behind it: ``kill %1`` sends both.
        loop.add_signal_handler(signal.SIGCONT, loop.call_soon, self._go_on)

    # Taking the terminal and giving it back

    def start_application_mode(self) -> None:
        """Take the terminal, and draw what there is to draw already."""
        self._raw_input.take()  # stops here as long as the program is in the background
        self._output = TtyOutput(STANDARD_ERROR, self._tell_of_room)
        super().start_application_mode()
        read = guarded(self._read, self.fail, otherwise=None)
        self._events.add_reader(STANDARD_INPUT, read)
        self._follow_size()
        self._draw_all()

    @property
    def taking(self) -> str:
        """What takes the terminal's modes, and asks whether it shows frames at once."""
        keys = "" if constants.DISABLE_KITTY_KEY else modes.TAKE_KEYS
        # Apple's shows a part of the request.
        is_askable = os.environ.get("TERM_PROGRAM") != "Apple_Terminal"
        mouse = modes.TAKE_MOVES if self._mouse else ""
        return super().taking + mouse + keys + (modes.ASK_FOR_FRAMES if is_askable else "")

    @property
    def leaving(self) -> str:
        """What takes them back."""
        keys = "" if constants.DISABLE_KITTY_KEY else modes.LEAVE_KEYS
        return (modes.LEAVE_MOVES if self._mouse else "") + keys + super().leaving

    def disable_input(self) -> None:
        """Take no more keys."""
        super().disable_input()
        self._events.remove_reader(STANDARD_INPUT)

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was found, as far as it takes that within a second."""
        super().stop_application_mode()
        output, self._output = self._output, NoTerminal()
        if isinstance(output, TtyOutput):
            output.stop()
            self._raw_input.leave()

    # Job control

    @property
    def can_suspend(self) -> bool:
        """Whether a shell is there to continue the program: it would stand still for good."""
        return os.getpgrp() != os.getsid(0)

    def _stop_for_shell(self) -> None:
        """Give the terminal back, then stop all that the shell started along with this process.

        By one and the same signal for all: the shell goes on as soon as what it knows of stands
        still, and its SIGCONT ends each stop that was sent before, but none that comes after. Where
        there is no shell the system would stop nothing either (POSIX, orphaned process groups).
        """
        if not self.can_suspend:
            return
        if self._auto_restart:
            self.suspend_application_mode()
            self._was_suspended = True
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0, signal.SIGTSTP)
        self._events.add_signal_handler(signal.SIGTSTP, self._stop_for_shell)

    def _go_on(self) -> None:
        """Take the terminal again; after SIGSTOP it was never given back.

        In the background that stops the program, which could not end then.
        """
        if not self._auto_restart or self._is_ending():  # whoever suspended the app resumes it
            return
        if self.is_drawing:
            self._take_anew()
        elif self._was_suspended:
            self._was_suspended = False
            self.resume_application_mode()
        else:
            return
        self.send_message(self.SignalResume())

    def _take_anew(self) -> None:
        """Take a terminal that others may have changed meanwhile; what was typed there is kept."""
        self._raw_input.take()
        self._output.write(self.leaving)  # or what is taken twice would be given back once
        super().start_application_mode()
        self._follow_size()
        self._draw_all()

    # What is drawn

    def _follow_size(self) -> None:
        self.resize(*terminal_size(STANDARD_ERROR))

    def _tell_of_room(self) -> None:
        """Have what was held back drawn; called in the thread that writes."""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._events.call_soon_threadsafe(self.caught_up)

    def _framed(self, text: str) -> str:
        """Return a frame that the terminal shows at once, where it can."""
        if not self._is_synchronized or len(text) < TORN_FROM:
            return text
        return modes.BEGIN_FRAME + text + modes.END_FRAME

    # What is typed

    def _read(self) -> None:
        try:
            data = os.read(STANDARD_INPUT, READ_MAXIMUM)
        except BlockingIOError:
            return
        except OSError:  # EIO: the terminal was taken away
            data = b""
        if data:
            self.feed(data)
        else:
            self.disable_input()
            self._hung_up()

    def process_message(self, message: Message) -> None:
        """Hand a message to the app; what the terminal can do is for this driver."""
        if isinstance(message, TerminalSupportsSynchronizedOutput):
            self._is_synchronized = True
        else:
            super().process_message(message)
