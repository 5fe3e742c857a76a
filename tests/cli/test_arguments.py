"""Errors of the command line: one line, with a near guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.cli.key import manage_keys
from pettui.cli.parsers.app_parser import app_parser
from pettui.cli.parsers.server_parsers import key_parser, serve_parser, ssh_parser
from pettui.configuration import ConfigurationError

if TYPE_CHECKING:
    from tests.cli.conftest import Run

PARSERS = {"key": key_parser, "serve": serve_parser, "ssh": ssh_parser}
KNOWN = (
    "--animals, --base-url, --config, --demo, --glyphs, --help, --limit, --profile, --read-only, "
    "--theme, --version, --welcome"
)
COMMANDS = "add, completion, doctor, export, get, import, key, list, serve, ssh"

SAID = {
    "animals": f"command line: unknown command; known: {COMMANDS}",
    "animals --json": f"command line: unknown command; known: {COMMANDS}",
    "lst": "command line: unknown command; did you mean list?",
    "serv": "command line: unknown command; did you mean serve?",
    "--json": f"--json: unknown option; known: {KNOWN}",
    "--demo --xyzzy word": f"--xyzzy: unknown option; known: {KNOWN}",
    "--verison": "--verison: unknown option; did you mean --version?",
    "--lmit=3": "--lmit: unknown option; did you mean --limit?",
    "--base": "--base: unknown option; did you mean --base-url?",
    "--limit": "--limit: needs a value",
    "--demo=sekrit": "--demo: takes no value",
    "--demo --profile x": "--profile: not allowed with argument --demo",
    "sekrit --api-key sekrit": (
        "--api-key: unknown option: set the key in PETTUI_API_KEY or in a profile"
    ),
    "key": "key: needs an action: add NAME, list or remove NAME",
    "key lst": "key: unknown action; did you mean list?",
    "key sekrit": "key: unknown action; known: add, list, remove",
    "key add": "key add: needs a name for the key",
    "key list x": "key list: takes no name",
    "key add a sekrit": "command line: too many words; see pettui key --help",
    "key --foo": "--foo: unknown option; known: --help",
    "serve sekrit": "command line: too many words; see pettui serve --help",
    "serve --port": "--port: needs a value",
    "serve --prot 1": "--prot: unknown option; did you mean --port?",
    "serve --insecure=sekrit": "--insecure: takes no value",
    "ssh --host": "--host: needs a value",
    "ssh --demo --profile x": "--profile: not allowed with argument --demo",
    "ssh sekrit": "command line: too many words; see pettui ssh --help",
}


@pytest.mark.parametrize("line", SAID)
def test_an_error_says_what_is_wrong_with_a_command_line(line: str) -> None:
    words = line.split()
    parser, rest = app_parser, words
    if words[0] in PARSERS:
        parser, rest = PARSERS[words[0]], words[1:]
    with pytest.raises(ConfigurationError) as raised:
        manage_keys(parser().parse_args(rest), {"HOME": "/nowhere"})
    assert str(raised.value) == SAID[line]
    assert "sekrit" not in str(raised.value)


@pytest.mark.parametrize("line", ["animals --json", "key", "key lst", "serve x", "ssh --demo=x"])
def test_a_wrong_command_line_is_one_line_and_exit_code_2(line: str, run: Run) -> None:
    finished = run(*line.split())
    assert finished.returncode == 2
    assert finished.stderr.startswith("pettui: ")
    assert finished.stderr.count("\n") == 1
    assert finished.stdout == ""
