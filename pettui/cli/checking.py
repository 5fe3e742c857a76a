"""``--check`` of a server: every step is tried, and all that is wrong is said."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from pettui.cli.exit_codes import BAD_INPUT, OK
from pettui.cli.output import without_keys, write_error_line
from pettui.configuration import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Result = TypeVar("Result")


class Check:
    """What was found wrong so far; what cannot be read is left out of later steps."""

    def __init__(self, command: str, error: type[Exception]) -> None:
        """Begin without any.

        Args:
            command: to be checked.
            error: that its server raises where it cannot start.
        """
        self._command = command
        self._error = error
        self._found: list[str] = []

    def tried(self, step: Callable[[], Result]) -> Result | None:
        """Return the result of a step, or note what is wrong."""
        try:
            return step()
        except ConfigurationError as error:
            self._found.append(str(error))
        except self._error as error:
            self._found.append(str(ConfigurationError(self._command, str(error))))
        return None

    def said(self, environment: Mapping[str, str]) -> int:
        """Say all that is wrong, without keys, and return the exit code."""
        for problem in self._found:
            write_error_line(f"pettui: {without_keys(problem, environment)}")
        return BAD_INPUT if self._found else OK


@contextmanager
def warnings_said() -> Iterator[None]:
    """Say in words what would be in the log, such as that a certificate has expired."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("pettui: %(message)s"))
    pettui = logging.getLogger("pettui")
    pettui.addHandler(handler)
    try:
        yield
    finally:
        pettui.removeHandler(handler)
