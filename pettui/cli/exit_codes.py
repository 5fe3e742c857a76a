"""The exit codes of every command, as the README lists them."""

from __future__ import annotations

from typing import Final

OK: Final = 0
REFUSED: Final = 1  # the service said no
BAD_INPUT: Final = 2  # of the command line, the settings or a file
NO_ANSWER: Final = 3  # or an add whose outcome is not known
BUG: Final = 70  # of pettui's own; EX_SOFTWARE of sysexits.h
INTERRUPTED: Final = 130  # 128 + SIGINT
