"""The exit codes of every command, as docs/commands.md lists them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.client import PetClientError

OK: Final = 0
REFUSED: Final = 1
PROBLEMS: Final = REFUSED
BAD_INPUT: Final = 2
NO_ANSWER: Final = 3
SOME_LINES: Final = 4
UNREADABLE: Final = 5
BUG: Final = 70
HUNG_UP: Final = 129
INTERRUPTED: Final = 130
TERMINATED: Final = 143
MEANINGS: Final[Mapping[int, str]] = MappingProxyType(
    {
        OK: "done",
        REFUSED: "an error from the service, or not its interface; of doctor: problems found",
        BAD_INPUT: "the command line, a setting or a file cannot be used",
        NO_ANSWER: "no response, or unknown whether an animal was added; or a wait for long",
        SOME_LINES: "some lines or animals are bad, refused, doubtful, listed or left alone",
        UNREADABLE: "rows of the service's list are not animals: nothing was written or sent",
        BUG: "a bug in pettui (EX_SOFTWARE of sysexits.h)",
        HUNG_UP: "ended by SIGHUP, which a lost terminal sends (128 + SIGHUP)",
        INTERRUPTED: "interrupted (128 + SIGINT)",
        TERMINATED: "ended by SIGTERM (128 + SIGTERM)",
    }
)


def exit_code(error: PetClientError) -> int:
    """Return the exit code of a command whose call failed."""
    return NO_ANSWER if error.maybe_sent or error.status is None else REFUSED
