"""What both servers have: options, and the steps of a start, which ``--check`` tries as well."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pettui.cli.exit_codes import BAD_INPUT, OK
from pettui.cli.output import without_keys, write_error_line
from pettui.configuration.errors import ConfigurationError, require_extras
from pettui.system.addresses import Network, loopback_address, networks
from pettui.system.listening import check_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


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

    def tried(
        self,
        step: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result | None:
        """Return the result of a step; None of a check's that failed.

        Raises:
            ConfigurationError: it failed, and this is no check.
        """
        try:
            return step(*arguments, **options)
        except (ConfigurationError, self._error) as error:
            is_setting = isinstance(error, ConfigurationError)
            problem = error if is_setting else ConfigurationError(self._command, str(error))
            if not self.is_check:
                raise problem from error
            self._found.append(str(problem))
            return None

    def try_to_listen(
        self, listens: tuple[str, int] | None, metrics: tuple[str, int] | None
    ) -> None:
        """Try the addresses of a server and of its metrics; None where it listens at none."""
        if listens is not None:
            self.tried(check_address, *listens, self._error)
        if metrics is not None:
            self.tried(check_address, *metrics, self._error, "--metrics", taken=listens)

    def report(self, environment: Mapping[str, str]) -> int:
        """Say all that is wrong, without keys, and return the exit code."""
        for problem in self._found:
            write_error_line(f"pettui: {without_keys(problem, environment)}")
        return BAD_INPUT if self._found else OK


@contextmanager
def warnings_on_stderr() -> Iterator[None]:
    """Say in words what would be in the log, such as that a certificate has expired."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("pettui: %(message)s"))
    pettui = logging.getLogger("pettui")
    pettui.addHandler(handler)
    try:
        yield
    finally:
        pettui.removeHandler(handler)


# Options


def metrics_address(command: str, text: str | None, port: int) -> tuple[str, int] | None:
    """Return where a server has its metrics; None for nowhere.

    Args:
        command: of the server.
        text: of ``--metrics``.
        port: the usual one.

    Raises:
        ConfigurationError: others reach it, or the extra is missing.
    """
    if text is None:
        return None
    try:
        address = loopback_address(text, port)
    except ValueError as error:
        raise ConfigurationError("--metrics", str(error), value=text) from None
    require_extras(command, ["metrics"])
    return address


def networks_of(setting: str, text: str) -> tuple[Network, ...]:
    """Return the networks that a setting lists, with commas.

    Raises:
        ConfigurationError: one of them is none.
    """
    try:
        return networks(filter(None, map(str.strip, text.split(","))))
    except ValueError as error:
        reason = "must be addresses or networks, such as 192.0.2.1 or 10.0.0.0/8"
        raise ConfigurationError(setting, reason, value=str(error)) from None
