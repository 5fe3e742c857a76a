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
        REFUSED: (
            "the service responded with an error, or with what is not its interface; "
            "of doctor: it found problems"
        ),
        BAD_INPUT: "the command line, a setting or a file cannot be used",
        NO_ANSWER: (
            "no response, or unknown whether an animal was added, "
            "or an import that would wait longer than five minutes"
        ),
        SOME_LINES: (
            "some lines of an import are bad, refused, or like animals that are there, "
            "some of what it added is not listed any more, "
            "or some animals of the outbox are refused, doubtful or left alone"
        ),
        UNREADABLE: (
            "rows of the service's list are not animals, so that an export wrote nothing, "
            "or an import sent nothing"
        ),
        BUG: "a bug in pettui (EX_SOFTWARE of sysexits.h)",
        HUNG_UP: "ended by SIGHUP, which a lost terminal sends (128 + SIGHUP)",
        INTERRUPTED: "interrupted (128 + SIGINT)",
        TERMINATED: "ended by SIGTERM (128 + SIGTERM)",
    }
)


def exit_code(error: PetClientError) -> int:
    """Return the exit code of a command whose call failed."""
    return NO_ANSWER if error.maybe_sent or error.status is None else REFUSED
