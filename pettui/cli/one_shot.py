"""Runs a one-shot command: opens what it needs, and reports what went wrong."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.cli.crash_reports import bug_hook
from pettui.cli.exit_codes import BAD_INPUT, INTERRUPTED, NO_ANSWER, OK, exit_code, maybe_added
from pettui.cli.one_shot_command import OneShotCall
from pettui.cli.output import ClosedPipeError, StandardError, check_output
from pettui.cli.parsers import one_shot_parsers
from pettui.cli.store import opened_client, with_store
from pettui.cli.threads import check_threads
from pettui.configuration import read_settings
from pettui.settings import StoreKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pettui.cli.one_shot_command import OneShotCommand
    from pettui.cli.parsers.one_line_parser import OneLineParser
    from pettui.settings import Settings

THREADS = 4  # opening the client, the embedded store, parsing large responses, a journal
MAYBE_ADDED = "the animal may have been added"


def run_one_shot(name: str, words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command to its end, and return the exit code.

    Raises:
        ConfigurationError: the command line or a setting cannot be used.
    """
    parser, make = _command(name)
    arguments = parser().parse_args(words)
    settings = read_settings(vars(arguments), environment)
    stderr = StandardError(is_quiet=arguments.quiet, kind=environment.get("TERM", ""))
    check_output()
    # Otherwise pydantic searches the metadata of every installed package for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    call = OneShotCall(arguments, _with_store(settings, environment), environment, stderr)
    command = make(call)
    sys.excepthook = bug_hook(settings.profile.api_key)
    check_threads(THREADS)
    for warning in settings.profile.warnings:
        stderr.notice(warning)
    database = command.settings.profile.database
    if database is not None and not database.exists():
        stderr.notice(f"the store {database} is new")
    try:
        return _run(command, stderr)
    except ClosedPipeError:  # the reader has read enough
        return OK
    except KeyboardInterrupt:
        if command.maybe_sent:
            stderr.error(f"interrupted; {MAYBE_ADDED}")
        return INTERRUPTED
    finally:
        stderr.clear_progress()
        gc.freeze()  # the process ends, so nothing needs to be collected


def _command(
    name: str,
) -> tuple[Callable[[], OneLineParser], Callable[[OneShotCall], OneShotCommand]]:
    """Return a command's parser and its class, without importing those of others."""
    match name:
        case "list":
            from pettui.cli.pets import ListCommand

            return one_shot_parsers.list_parser, ListCommand
        case "get":
            from pettui.cli.pets import GetCommand

            return one_shot_parsers.get_parser, GetCommand
        case "add":
            from pettui.cli.pets import AddCommand

            return one_shot_parsers.add_parser, AddCommand
        case "import":
            from pettui.cli.importing import ImportCommand

            return one_shot_parsers.import_parser, ImportCommand
        case "export":
            from pettui.cli.pets import ExportCommand

            return one_shot_parsers.export_parser, ExportCommand
        case _:
            raise ValueError(f"{name} is not a one-shot command")


def _with_store(settings: Settings, environment: Mapping[str, str]) -> Settings:
    if settings.profile.kind is StoreKind.SERVICE:
        return settings
    return replace(settings, profile=with_store(settings.profile, environment))


def _run(command: OneShotCommand, stderr: StandardError) -> int:
    from pettui.cli.pets import IncompleteListError
    from pettui.client import PetClientError
    from pettui.transfer.errors import TransferError

    try:
        return asyncio.run(_call(command))
    except PetClientError as error:
        stderr.notices(error.notices)
        stderr.error(f"{error}; {MAYBE_ADDED}" if maybe_added(error) else str(error))
        return exit_code(error)
    except IncompleteListError as error:
        stderr.error(str(error))
        return NO_ANSWER
    except TransferError as error:
        stderr.error(str(error))
        return BAD_INPUT


async def _call(command: OneShotCommand) -> int:
    async with opened_client(command.settings) as client:
        return await command.run(client)
