"""Errors of the command line: one line, with a near guess."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from pettui import __version__
from pettui.cli import commands
from pettui.cli.command_line import CommandParser

if TYPE_CHECKING:
    from tests.cli.conftest import Run

KNOWN = (
    "--animals, --base-url, --config, --demo, --glyphs, --help, --limit, --profile, --read-only, "
    "--theme, --version, --welcome"
)
COMMANDS = "add, backup, completion, doctor, export, get, help, import, key, list, outbox, profile, restore, serve, ssh"

SAID = {
    "animals": f"command line: unknown command; known: {COMMANDS}",
    "lst": "command line: unknown command; did you mean list?",
    "--json": f"--json: unknown option; known: {KNOWN}",
    "--demo --xyzzy word": f"--xyzzy: unknown option; known: {KNOWN}",
    "--verison": "--verison: unknown option; did you mean --version?",
    "--limit": "--limit: needs a value",
    "--demo=sekrit": "--demo: takes no value",
    "--demo --profile x": "--profile: not allowed with argument --demo",
    "sekrit --api-key sekrit": (
        "--api-key: unknown option: set the key in PETTUI_API_KEY or in a profile"
    ),
    "key": "key: needs an action: add NAME, list or remove NAME",
    "key lst": "key: unknown action; did you mean list?",
    "key add": "key add: needs a name for the key",
    "key add a sekrit": "command line: too many words; see pettui key --help",
    "key --foo": "--foo: unknown option; known: --expires, --help, --json, --keys, --read-only",
    "help sekrit": f"help: unknown command; known: {COMMANDS}",
    "serve --port": "--port: needs a value",
    "serve --insecure=sekrit": "--insecure: takes no value",
}


@pytest.mark.parametrize("line", SAID)
def test_an_error_says_what_is_wrong_with_a_command_line(line: str, run_here: Run) -> None:
    finished = run_here(*line.split())
    assert finished.stderr == f"pettui: {SAID[line]}\n"
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "sekrit" not in finished.stderr


@pytest.mark.parametrize("command", [commands.APP, *commands.COMMANDS], ids=lambda each: each.name)
def test_what_a_command_names_can_be_run(command: commands.Command) -> None:
    module, _, function = command.function.partition(":")
    assert callable(getattr(import_module(f"pettui.cli.{module}"), function))


@pytest.mark.parametrize("name", COMMANDS.split(", "))
def test_each_command_has_its_own_help(name: str, run_here: Run) -> None:
    finished = run_here(name, "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith(f"usage: pettui {name} ")


@pytest.mark.parametrize("name", COMMANDS.split(", "))
def test_help_shows_what_a_command_says_of_itself(name: str, run_here: Run) -> None:
    assert run_here("help", name).stdout == run_here(name, "--help").stdout


def test_help_alone_shows_the_help_of_pettui(run_here: Run) -> None:
    assert run_here("help").stdout == run_here("--help").stdout


def test_the_version_has_a_short_option(run_here: Run) -> None:
    assert run_here("-V").stdout == run_here("--version").stdout == f"pettui {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS.split(", "))
def test_the_help_of_pettui_lists_every_command(name: str, run_here: Run) -> None:
    assert f"\n  pettui {name} " in run_here("--help").stdout


@pytest.mark.parametrize("name", commands.SETTINGS)
def test_a_setting_without_its_option_is_left_to_the_environment_and_the_file(name: str) -> None:
    given = vars(CommandParser(commands.APP).parse_args([]))
    assert given[name.removeprefix("--").replace("-", "_")] is None
