"""The exit codes of every command, as docs/commands.md lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.client import PetClientError

OK: Final = 0
REFUSED: Final = 1  # the service said no
BAD_INPUT: Final = 2  # of the command line, the settings or a file
NO_ANSWER: Final = 3  # or an add whose outcome is not known
SOME_LINES: Final = 4  # of an import are bad, or were refused
BUG: Final = 70  # of pettui's own; EX_SOFTWARE of sysexits.h
INTERRUPTED: Final = 130  # 128 + SIGINT


def exit_code(error: PetClientError) -> int:
    """Return what a failed call makes of a command: refused, or not answered."""
    from pettui.client import ErrorBodyError

    if maybe_added(error):
        return NO_ANSWER
    is_refusal = error.status is not None and 400 <= error.status < 500
    return REFUSED if is_refusal or isinstance(error, ErrorBodyError) else NO_ANSWER


def maybe_added(error: PetClientError) -> bool:
    """Whether an add that failed may have been carried out."""
    return error.maybe_sent and not error.nothing_stored
