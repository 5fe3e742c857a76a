"""The commands by their names, and the exit code of one that fails."""

from __future__ import annotations

import gc
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from pettui.cli.crash_reports import bug_hook
from pettui.cli.exit_codes import BAD_INPUT, BUG
from pettui.cli.output import without_keys, write_error_line
from pettui.cli.parsers.app_parser import VALUED_OPTIONS, app_parser
from pettui.cli.parsers.one_line_parser import COMMANDS, ONE_SHOT_COMMANDS
from pettui.cli.parsers.server_parsers import key_parser, serve_parser, ssh_parser
from pettui.cli.user_environment import user_environment
from pettui.configuration import ConfigurationError, read_settings
from pettui.settings import ApiKey

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Command = Callable[[Sequence[str], Mapping[str, str]], int]


def run_command(words: Sequence[str]) -> int:
    """Run the command of a command line, and return its exit code."""
    name, rest = _split(words)
    commands: dict[str, Command] = {
        "": _open,
        "completion": _completion,
        "doctor": _doctor,
        "serve": _serve,
        "key": _key,
        "ssh": _ssh,
    }
    commands |= {each: partial(_one_shot, each) for each in ONE_SHOT_COMMANDS}
    sys.excepthook = bug_hook(ApiKey(""))
    if name not in ("", *ONE_SHOT_COMMANDS):
        gc.enable()  # the app does so after its first frame
    try:
        return commands[name](rest, user_environment())
    except ConfigurationError as error:
        write_error_line(f"pettui: {without_keys(str(error), os.environ)}")
        return BAD_INPUT
    except Exception as error:  # noqa: BLE001 - reported by the hook
        sys.excepthook(type(error), error, error.__traceback__)
        return BUG


def _split(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the command's name, or "" for the app, and the other words.

    Options of the app may come before a command, whose parser checks them.
    """
    index = 0
    while index < len(words) and words[index].startswith("--"):
        index += 2 if words[index] in VALUED_OPTIONS else 1
    if index < len(words) and words[index] in COMMANDS:
        return words[index], [*words[:index], *words[index + 1 :]]
    return "", words


def _open(words: Sequence[str], environment: Mapping[str, str]) -> int:
    arguments = app_parser().parse_args(words)
    settings = read_settings(vars(arguments), environment, needs_key=False)
    # Textual takes a tenth of a second to import, so the settings are checked first.
    from pettui.cli.app import open_app

    return open_app(settings, environment, arguments)


def _one_shot(name: str, words: Sequence[str], environment: Mapping[str, str]) -> int:
    from pettui.cli.one_shot import run_one_shot

    return run_one_shot(name, words, environment)


def _completion(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from pettui.cli.completion import complete

    return complete(words, environment)


def _doctor(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from pettui.cli.doctor import run_doctor

    return run_doctor(words, environment)


def _serve(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from pettui.cli.serve import serve

    return serve(serve_parser().parse_args(words), environment)


def _key(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from pettui.cli.key import manage_keys

    return manage_keys(key_parser().parse_args(words), environment)


def _ssh(words: Sequence[str], environment: Mapping[str, str]) -> int:
    from pettui.cli.ssh import serve_ssh

    return serve_ssh(ssh_parser().parse_args(words), environment)
