"""Textual's driver of a terminal: started anew, never twice, and ended with its terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from pettui.tui.app import PetApp

LOOK_AGAIN = 1.0  # seconds between looks at whether the terminal is still there


class TerminalDriver(LinuxDriver):
    """Takes the terminal again when the program is continued, whatever stopped it.

    At SIGCONT Textual starts its threads, also where they run: after ``kill -STOP``, and with the
    SIGHUP of a terminal that goes away. Those that it forgets then never end, nor does the program.
    """

    def start_application_mode(self) -> None:
        """Take the terminal; give it back first where it was never given back."""
        if self._key_thread is not None and self._key_thread.is_alive():
            self.suspend_application_mode()
            self._must_signal_resume = True  # the screen is drawn anew
        super().start_application_mode()  # type: ignore[no-untyped-call]


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
        app.exit()
