"""The terminal's echo, kept off from one program to the next, which takes its place.

What is typed meanwhile, an API key perhaps, stays invisible. The environment tells the next program
that the echo was on, since the terminal itself says no more that it was.
"""

from __future__ import annotations

import os
import termios
from contextlib import suppress
from typing import Any, Final

VARIABLE: Final = "_PETTUI_ECHO"
_STANDARD_INPUT: Final = 0
_LOCAL: Final = 3  # of tcgetattr's list


def keep_off(modes: list[Any]) -> None:
    """Take the echo out of the modes that a program leaves behind."""
    if modes[_LOCAL] & termios.ECHO:
        modes[_LOCAL] &= ~termios.ECHO
        os.environ[VARIABLE] = "on"


def put_back(modes: list[Any]) -> None:
    """Put the echo into the modes that a program found, if the one before it took it out."""
    if os.environ.pop(VARIABLE, ""):
        modes[_LOCAL] |= termios.ECHO


def restore_echo() -> None:
    """Put the echo back, if it is off for a program that did not come to use the terminal."""
    if VARIABLE in os.environ:
        with suppress(termios.error):
            modes = termios.tcgetattr(_STANDARD_INPUT)
            put_back(modes)
            termios.tcsetattr(_STANDARD_INPUT, termios.TCSANOW, modes)
