"""``pettui completion``: a script that completes commands, options, profiles and files."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.cli.exit_codes import OK
from pettui.cli.output import ClosedPipeError, check_output, write_output
from pettui.cli.parsers import one_shot_parsers, server_parsers
from pettui.cli.parsers.app_parser import app_parser
from pettui.cli.parsers.one_shot_parsers import COLUMNS
from pettui.configuration import ConfigurationError, no_such, profile_names
from pettui.models import STATUSES
from pettui.settings import Settings, declared

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pettui.cli.parsers.one_line_parser import OneLineParser

SHELLS: Final = ("bash", "zsh", "fish")
PROFILES: Final = "profiles"  # asked for by the scripts: the names, one a line
_FILES: Final = (
    "config", "file", "result", "database", "tls_cert", "tls_key", "authorized_keys", "host_key",
    "animals", "welcome",
)  # fmt: skip
_WORDS: Final = {
    "status": tuple(STATUSES),
    "sort": COLUMNS,
    **{name: tuple(setting.words) for name, setting in declared(Settings).items() if setting.words},
    "action": ("add", "list", "remove"),
    "shell": SHELLS,
}
KEYS: Final = "keys"  # likewise: the names of the keys that pettui serve accepts
_LIST_KEYS: Final = f"command pettui completion {KEYS} 2>/dev/null"
_LIST_PROFILES: Final = f"command pettui completion {PROFILES} 2>/dev/null"
# The shells themselves quote names and paths, which may contain blanks and quotation marks. The
# profiles are those of the configuration file that --config names on the line.
_PREAMBLES: Final = {
    "bash": f"""
_pettui_config() {{
  local index word
  for ((index = 1; index < ${{#COMP_WORDS[@]}} - 1; index++)); do
    [[ ${{COMP_WORDS[index]}} == --config ]] || continue
    word=${{COMP_WORDS[index + 1]}}
    [[ $word == = ]] && word=${{COMP_WORDS[index + 2]-}}
    printf '%s' "${{word//[\\"\\'\\\\]/}}"
    return
  done
}}
_pettui_profiles() {{
  local name config
  config=$(_pettui_config)
  while IFS= read -r name; do
    [[ $name == "$1"* ]] && printf '%q\\n' "$name"
  done < <(PETTUI_CONFIG=${{config:-${{PETTUI_CONFIG-}}}} {_LIST_PROFILES})
}}
_pettui_keys() {{
  local name
  [[ ${{COMP_WORDS[COMP_CWORD - 1]}} == remove ]] || return
  while IFS= read -r name; do
    [[ $name == "$1"* ]] && printf '%s\\n' "$name"
  done < <({_LIST_KEYS})
}}
_pettui_files() {{
  compgen -f -- "$1"
}}
""",
    "zsh": f"""
_pettui_profiles() {{
  local -a names line
  local index config
  line=("${{(@Q)${{(z)BUFFER}}}}")
  for ((index = 1; index <= $#line; index++)); do
    case $line[index] in
      (--config) config=$line[index+1] ;;
      (--config=*) config=${{line[index]#--config=}} ;;
    esac
  done
  names=("${{(@f)$(PETTUI_CONFIG=${{config:-${{PETTUI_CONFIG-}}}} {_LIST_PROFILES})}}")
  compadd "$@" -a names
}}
_pettui_keys() {{
  local -a names
  [[ $words[CURRENT-1] == remove ]] || return
  names=("${{(@f)$({_LIST_KEYS})}}")
  compadd "$@" -a names
}}
""",
    "fish": f"""
function __pettui_profiles
    set -l config $PETTUI_CONFIG
    set -l before
    for word in (commandline -opc)
        test "$before" = --config; and set config $word
        string match -q -- '--config=*' $word; and set config (string sub -s 10 -- $word)
        set before $word
    end
    PETTUI_CONFIG="$config" {_LIST_PROFILES}
end
function __pettui_keys
    test (commandline -opc)[-1] = remove; and {_LIST_KEYS}
end
""",
}
_COMPLETE_PROFILE: Final = {
    "bash": "_pettui_profiles",
    "zsh": "_pettui_profiles",
    "fish": "(__pettui_profiles)",
}
_COMPLETE_KEY: Final = {
    "bash": "_pettui_keys",
    "zsh": "_pettui_keys",
    "fish": "(__pettui_keys)",
}
_COMPLETE_FILE: Final = {
    "bash": "_pettui_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}


def complete(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Print a shell's script, or the names of profiles or keys, and return the exit code.

    Raises:
        ConfigurationError: the shell is unknown, or the configuration cannot be used.
    """
    shell = one_shot_parsers.completion_parser().parse_args(words).shell
    check_output()
    with suppress(ClosedPipeError):
        write_output("".join(f"{line}\n" for line in _lines(shell, environment)).encode())
    return OK


def _lines(shell: str, environment: Mapping[str, str]) -> Iterator[str]:
    if shell == PROFILES:
        yield from filter(str.isprintable, profile_names(environment))
    elif shell == KEYS:
        yield from _key_names(environment)
    elif shell in SHELLS:
        yield script(shell)
    else:
        reason = no_such(shell, SHELLS, "shell")
        raise ConfigurationError("completion", reason)


def _key_names(environment: Mapping[str, str]) -> list[str]:
    from pettui.cli.serve import key_file
    from pettui.service.key_file import KeyFileError, list_keys

    try:
        return [entry.name for entry in list_keys(key_file(environment))]
    except KeyFileError as error:
        raise ConfigurationError("completion", str(error)) from None


def script(shell: str) -> str:
    """Return the script for a shell."""
    import shtab

    return shtab.complete(_whole_parser(), shell, preamble=_PREAMBLES[shell])


def command_parsers() -> dict[str, OneLineParser]:
    """Return the parser of each command, by its name."""
    return {
        "list": one_shot_parsers.list_parser(),
        "get": one_shot_parsers.get_parser(),
        "add": one_shot_parsers.add_parser(),
        "export": one_shot_parsers.export_parser(),
        "import": one_shot_parsers.import_parser(),
        "completion": one_shot_parsers.completion_parser(),
        "doctor": one_shot_parsers.doctor_parser(),
        "serve": server_parsers.serve_parser(),
        "key": server_parsers.key_parser(),
        "ssh": server_parsers.ssh_parser(),
    }


def _whole_parser() -> OneLineParser:
    """Return one parser of all commands, with the completions of their words."""
    whole = app_parser()
    commands = whole.add_subparsers(metavar="COMMAND")
    for name, parser in command_parsers().items():
        commands.add_parser(
            name, parents=[parser], add_help=False, help=parser.description, prog=parser.prog
        )
    for parser in (whole, *commands.choices.values()):
        for action in parser._actions:  # noqa: SLF001 - as shtab itself does
            _describe(parser, action)
    return whole


def _describe(parser: OneLineParser, action: argparse.Action) -> None:
    if (parser.prog, action.dest) == ("pettui key", "name"):
        action.complete = _COMPLETE_KEY  # type: ignore[attr-defined]
    elif action.dest == "profile":
        action.complete = _COMPLETE_PROFILE  # type: ignore[attr-defined]
    elif action.dest in _FILES:
        action.complete = _COMPLETE_FILE  # type: ignore[attr-defined]
    elif not isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
        action.choices = _WORDS.get(action.dest)
