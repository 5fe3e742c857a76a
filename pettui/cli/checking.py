"""The steps of a server's start, which its ``--check`` tries as well; it says all that is wrong."""

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


class Steps:
    """The steps of a start: the first that fails ends it, where it is not only a check."""

    def __init__(self, command: str, error: type[Exception], *, is_check: bool) -> None:
        """Begin.

        Args:
            command: that starts.
            error: that its server raises where it cannot start.
            is_check: whether the steps behind one that fails are tried, too.
        """
        self.is_check = is_check
        self._command = command
        self._error = error
        self._found: list[str] = []

    def tried(self, step: Callable[[], Result]) -> Result | None:
        """Return the result of a step; None of a check's that failed.

        Raises:
            ConfigurationError: it failed, and this is no check.
        """
        try:
            return step()
        except (ConfigurationError, self._error) as error:
            is_said = isinstance(error, ConfigurationError)
            said = error if is_said else ConfigurationError(self._command, str(error))
            if not self.is_check:
                raise said from error
            self._found.append(str(said))
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
