"""``pettui completion``: a script that completes commands, options, profiles and files."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.cli.command_line import CommandParser
from pettui.cli.commands import APP, COMMANDS, SHELLS
from pettui.cli.exit_codes import OK
from pettui.cli.output import ClosedPipeError, check_output, write_output
from pettui.configuration import ConfigurationError, no_such, profile_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pettui.cli.commands import Command
    from pettui.settings import Setting

_FILES: Final = ("FILE", "PATH")  # what values that are files are called
PROFILES: Final = "profiles"  # asked for by the scripts: the names, one a line
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
_COMPLETE_FILE: Final = {
    "bash": "_pettui_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}


def complete(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print a shell's script, or the names of profiles or keys, and return the exit code.

    Raises:
        ConfigurationError: the shell is unknown, or the configuration cannot be used.
    """
    check_output()
    with suppress(ClosedPipeError):
        write_output("".join(f"{line}\n" for line in _lines(arguments.shell, environment)).encode())
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
    from pettui.service.keys import KeyFileError, list_keys

    try:
        return [entry.name for entry in list_keys(key_file(environment))]
    except KeyFileError as error:
        raise ConfigurationError("completion", str(error)) from None


def script(shell: str) -> str:
    """Return the script for a shell."""
    import shtab

    return shtab.complete(_whole_parser(), shell, preamble=_PREAMBLES[shell])


def _whole_parser() -> CommandParser:
    """Return one parser of all commands, with the completions of their words."""
    whole = CommandParser(APP)
    commands = whole.add_subparsers(metavar="COMMAND", parser_class=argparse.ArgumentParser)
    _describe(whole, APP)
    for command in COMMANDS:
        parser = CommandParser(command)
        _describe(parser, command)
        commands.add_parser(
            command.name,
            parents=[parser],
            add_help=False,
            help=command.description,
            prog=command.program,
        )
    return whole


def _describe(parser: CommandParser, command: Command) -> None:
    """Say how each value of a command can be completed."""
    for name, setting in command.options.items():
        action = parser.actions[name]
        if setting.words:
            action.choices = tuple(setting.words)
        elif (words := _completed_by(command, name, setting)) is not None:
            action.complete = words


def _completed_by(command: Command, name: str, setting: Setting) -> dict[str, str] | None:
    if (command.name, name) == ("key", "name"):
        return _by_function("keys")
    if name == "--profile":
        return _by_function("profiles")
    return _COMPLETE_FILE if setting.metavar in _FILES else None


def _by_function(name: str) -> dict[str, str]:
    """Return how each shell calls a function of its preamble."""
    return {"bash": f"_pettui_{name}", "zsh": f"_pettui_{name}", "fish": f"(__pettui_{name})"}
