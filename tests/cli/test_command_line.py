"""The command line: its errors in one line, what a missing extra needs, and its streams."""

from __future__ import annotations

import os
import re
import shlex
import stat
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.build import build
from pettui.cli import declarations
from pettui.cli.command_line import CommandParser
from pettui.system import extras
from tests.cli.conftest import PROGRAM, Refused, Run, finished
from tests.test_imports import modules_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


KNOWN = (
    "--animals, --base-url, --config, --demo, --glyphs, --help, --limit, --no-samples, "
    "--profile, --read-only, --theme, --version, --welcome"
)
COMMANDS = "add, backup, completion, doctor, export, get, help, import, key, list, outbox, profile, restore, serve, ssh"

SAID = {
    "animals": f"command line: unknown command; known: {COMMANDS}",
    "ls": "command line: unknown command; did you mean list?",
    "show 7": "command line: unknown command; did you mean get?",
    "version": "command line: unknown command; did you mean --version?",
    "add Rex 3 -s sold --status pending": "--status: can be given once",
    "list -s": "--status: needs a value",
    "list --fields=name,id,name": "--fields: names name twice",
    "list --fields=id,colour": "--fields: unknown field; known: categoryId, id, name, status",
    "list -j --csv": "--csv: not allowed with argument --json",
    "--json": f"--json: unknown option; known: {KNOWN}",
    "--demo --xyzzy word": f"--xyzzy: unknown option; known: {KNOWN}",
    "--demo=sekrit": "--demo: takes no value",
    "--demo --profile x": "--profile: not allowed with argument --demo",
    "sekrit --api-key sekrit": (
        "--api-key: unknown option: set the key in PETTUI_API_KEY or in a profile"
    ),
    "key": "key: needs an action: add, list or remove",
    "key lst": "key: unknown action; did you mean list?",
    "key add": "NAME: is missing; see pettui key add --help",
    "key list --read-only": "--read-only: unknown option; known: --help, --json, --keys",
    "serve --insecure=sekrit": "--insecure: takes no value",
    "serve --tls-cert=": "--tls-cert: is empty; name a file",  # TLS is not turned off
    "ssh --animals=": "--animals: is empty; name a file",
    "completion powershell": "completion: unknown shell; known: bash, fish, zsh",
    "outbox": "outbox: needs an action: list, send, give-up, forget, move or reconcile",
    "outbox forget ": "WHICH: is empty; give a key or a state",
    "outbox list waitng": "WHICH: unknown state; did you mean waiting?",
    "outbox list --user nobody": "--user: has no outbox on this profile",
    "outbox list --profile demo": "outbox: a demo keeps none",
    "list --limit 0": "--limit '0': must be a whole number from 1 to 100",
    "list --status dead": "--status 'dead': must be one of available, pending, sold",
    "list --sort age": "--sort 'age': must be one of id, name, category, status",
    "list --reverse": "--reverse: needs --sort",
    "list --csv --null": "--null: not allowed with --csv",
    "get 9223372036854775808": "ID: this number is too large",
    "add Mitzi 1.000": 'CATEGORY: "1.000" is not a number in plain digits',
    "add Mitzi unicorns": 'CATEGORY: "unicorns" is not a number or one of ',
    "add --demo \udcff\udcfe 3": "NAME: is not UTF-8",
    "add --demo ' ' 3": "NAME: is empty",
    "export - --since-id x": "--since-id 'x': must be a whole number",
    "export pets.txt": "FILE 'pets.txt': must end in .csv, .json, .jsonl, .ndjson",
    "list --profile nowhere": "--profile 'nowhere': unknown profile; known: demo, embedded",
}


@pytest.mark.parametrize("line", SAID)
def test_an_error_says_what_is_wrong_with_a_command_line(line: str, refused: Refused) -> None:
    words = line.split(" ") if line.endswith(" ") else shlex.split(line)
    assert refused(*words).startswith(SAID[line])
    assert "sekrit" not in SAID[line]


@pytest.mark.parametrize(
    "command",
    [each for each in (declarations.APP, *declarations.all_commands()) if not each.commands],
    ids=lambda each: each.name,
)
def test_what_a_command_names_can_be_run(command: declarations.Command) -> None:
    module, _, function = command.function.partition(":")
    assert callable(getattr(import_module(f"pettui.cli.commands.{module}"), function))


@pytest.mark.parametrize("name", [each.name for each in declarations.all_commands()])
def test_each_command_has_its_own_help_in_two_ways(name: str, run_here: Run) -> None:
    finished = run_here(*name.split(), "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith(f"usage: pettui {name} ")
    assert run_here("help", *name.split()).stdout == finished.stdout


@pytest.mark.parametrize("command", declarations.all_commands(), ids=lambda each: each.name)
def test_each_command_has_an_example_that_can_be_read(command: declarations.Command) -> None:
    assert command.example
    parser = CommandParser(command)
    assert f"Example: pettui {command.name} {command.example}\n" in parser.format_help()
    _, *words = command.example.split() if command.commands else ("", *command.example.split())
    for inside in command.commands:
        if command.example.startswith(f"{inside.word} "):
            parser = CommandParser(inside)
    parser.parse_args(words)


def test_the_daily_options_have_short_forms(run_here: Run) -> None:
    short = run_here("list", "--demo", "-j", "-q", "-n", "2", "-s", "sold")
    assert (
        short.stdout
        == run_here("list", "--demo", "--json", "--quiet", "--limit=2", "--status=sold").stdout
    )
    assert short.stdout.count("\n") == 2
    assert run_here("-n", "5", "list", "--demo", "-a").returncode == 2  # a page, and all of them
    assert run_here("-V").stdout == run_here("--version").stdout == f"pettui {build()}\n"


def test_the_help_of_pettui_lists_every_command(run_here: Run) -> None:
    shown = run_here("help").stdout
    listed = re.findall(r"^  pettui (\w+) ", shown, re.MULTILINE)
    assert {*COMMANDS.split(", ")} <= {*listed}
    assert run_here("--help").stdout == shown


def test_a_missing_extra_is_named_and_pettui_is_installed_from_where_it_came(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "asyncssh" else object())
    said = "ssh: needs asyncssh; install pettui again from its directory, as '.[ssh]'"
    assert refused("ssh") == said


@pytest.fixture
def unread() -> Iterator[int]:
    """The writing end of a pipe without a reader."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@pytest.mark.parametrize("line", ["--help", "list --demo"])
def test_a_standard_output_without_a_reader_is_no_error(
    environment: Mapping[str, str], unread: int, line: str
) -> None:
    ended = finished([PROGRAM, *line.split()], environment, stdout=unread)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("line", ["--help", "help list", "--version", "list --demo"])
def test_a_full_standard_output_is_an_error_without_a_traceback(
    environment: Mapping[str, str], line: str
) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = finished([PROGRAM, *line.split()], environment, stdout=full)
    said = "pettui: standard output: cannot be written"
    reason = "" if line == "--version" else ": the disk is full"
    assert (ended.returncode, ended.stderr) == (2, f"{said}{reason}\n")


@pytest.mark.parametrize("line", ["--help", "--version", "key list"])
def test_a_closed_standard_output_is_an_error(
    environment: Mapping[str, str], run_here: Run, line: str
) -> None:
    run_here("key", "add", "till-1")  # otherwise there is nothing to list
    ended = finished(["/bin/sh", "-c", f'exec "$0" {line} >&-', PROGRAM], environment)
    assert (ended.returncode, ended.stderr) == (2, "pettui: standard output: is closed\n")


REQUESTS = """
import sys
from importlib.abc import MetaPathFinder

class Finder(MetaPathFinder):
    searched = []

    def find_spec(self, name, path, target=None):
        self.searched.append(name)

sys.meta_path.insert(0, Finder())
from pettui.cli import main

assert main(["get", "1", "2", "3"]) != 0
assert "httpcore" in sys.modules
assert Finder.searched.count("sniffio") <= 1
print()
"""


def test_a_command_imports_httpx_without_its_command_line_and_searches_once_for_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise httpx imports click, and httpcore searches for sniffio at each request."""
    monkeypatch.setenv("PETTUI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("PETTUI_API_KEY", "key-of-the-tests")
    loaded = modules_after(REQUESTS)
    assert "httpx" in loaded
    assert not loaded & {"click", "pygments"}


INTERRUPTED_IMPORT = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "pettui.cli.commands.key":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
from pettui.cli import main
sys.exit(main(["key", "list"]))
"""


def test_an_interrupted_import_leaves_no_traceback(environment: Mapping[str, str]) -> None:
    ended = finished([sys.executable, "-c", INTERRUPTED_IMPORT], environment)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_what_is_made_can_be_used_by_its_owner_whatever_the_umask_is(
    run_here: Run, home: Path
) -> None:
    old = os.umask(0o777)
    try:
        assert run_here("list").returncode == 0
        assert run_here("key", "add", "till").returncode == 0
        assert run_here("backup", "copy.tar").returncode == 0
    finally:
        os.umask(old)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in home.rglob("*")}
    assert modes == {True: 0o700, False: 0o600}
