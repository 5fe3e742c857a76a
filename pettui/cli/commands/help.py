"""``pettui help``: what ``--help`` shows, for those who look for it as a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.command_line import CommandParser, no_such_command
from pettui.cli.declarations import APP, all_commands
from pettui.cli.exit_codes import OK
from pettui.configuration.errors import ConfigurationError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def show_help(arguments: argparse.Namespace, _environment: Mapping[str, str]) -> int:
    """Print the help of pettui or of a command, and return the exit code.

    Raises:
        ConfigurationError: there is no such command.
    """
    commands = {command.name: command for command in (APP, *all_commands())}
    name = " ".join(arguments.command)
    if name not in commands:
        raise ConfigurationError("help", no_such_command(name))
    CommandParser(commands[name]).print_help()
    return OK
