"""``pettui completion``: a script that completes commands, options, profiles and files."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.cli.command_line import CommandParser
from pettui.cli.declarations import APP, COMMANDS, FILES, SHELLS, Command
from pettui.cli.exit_codes import OK
from pettui.cli.output import ClosedPipeError, check_output, write_output
from pettui.configuration.errors import ConfigurationError, no_such
from pettui.configuration.reading import all_profiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


PROFILES: Final = "profiles"  # asked for by the scripts: the names, one a line
KEYS: Final = "keys"  # likewise: the names of the keys that pettui serve accepts
CATEGORIES: Final = "categories"  # likewise: the categories of all profiles
# The shells themselves quote names and paths, which may contain blanks and quotation marks.
_KINDS: Final = (PROFILES, CATEGORIES, KEYS)
_PREAMBLES: Final = {
    "bash": """
_pettui_names() {
  local name
  while IFS= read -r name; do
    [[ $name == "$2"* ]] && printf '%q\\n' "$name"
  done < <(command pettui completion "$1" 2>/dev/null)
}
_pettui_files() { compgen -f -- "$1"; }
"""
    + "".join(f'_pettui_{kind}() {{ _pettui_names {kind} "$1"; }}\n' for kind in _KINDS),
    "zsh": """
_pettui_names() {
  local -a names
  names=("${(@f)$(command pettui completion $1 2>/dev/null)}")
  shift
  compadd "$@" -a names
}
"""
    + "".join(f'_pettui_{kind}() {{ _pettui_names {kind} "$@" }}\n' for kind in _KINDS),
    "fish": "".join(
        f"""
function __pettui_{kind}
    command pettui completion {kind} 2>/dev/null
end
"""
        for kind in _KINDS
    ),
}
# To bash, "--status=so" is three words.
_BASH_END: Final = """
_pettui() {
  local -a words=()
  local index current=$COMP_CWORD
  for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
    if [[ ${COMP_WORDS[index]} == = && ${COMP_WORDS[index - 1]} == --* ]]; then
      if ((index == COMP_CWORD)); then words+=(""); fi
      if ((index < COMP_CWORD)); then ((current--)); fi
    else
      words+=("${COMP_WORDS[index]}")
    fi
  done
  local -a COMP_WORDS=("${words[@]}")
  local COMP_CWORD=$current
  _shtab_pettui
}
complete -o bashdefault -F _pettui pettui
"""
_ZSH_VALUE: Final = re.compile(
    r'^(?P<before>  ")(?P<long>--[\w-]+)(?P<rest>\[.*\]:[A-Z])'
    r'|\{(?P<short>-\w),(?P<both>--[\w-]+)\}(?P<behind>"\[.*\]:[A-Z])',
    re.MULTILINE,
)
_NAMED_BY: Final = {
    ("key remove", "name"): KEYS,
    ("profile test", "name"): PROFILES,
    ("profile remove", "name"): PROFILES,
    ("add", "category"): CATEGORIES,
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
        names = (each.profile.name for each in all_profiles(None, environment))
        yield from filter(str.isprintable, names)
    elif shell == KEYS:
        yield from _key_names(environment)
    elif shell == CATEGORIES:
        yield from _category_names(environment)
    elif shell in SHELLS:
        yield script(shell)
    else:
        reason = no_such(shell, SHELLS, "shell")
        raise ConfigurationError("completion", reason)


def _key_names(environment: Mapping[str, str]) -> list[str]:
    from pettui.cli.commands.serve import key_file
    from pettui.service.keys import KeyFileError, list_keys

    try:
        return [entry.name for entry in list_keys(key_file(environment))]
    except KeyFileError as error:
        raise ConfigurationError("completion", str(error)) from None


def _category_names(environment: Mapping[str, str]) -> Iterator[str]:
    from pettui.service.stores.samples import SAMPLE_CATEGORIES

    names = dict.fromkeys(SAMPLE_CATEGORIES.values())  # of the stores that are built in
    for each in all_profiles(None, environment):
        names |= dict.fromkeys(each.profile.categories.values())
    yield from filter(str.isprintable, names)


def script(shell: str) -> str:
    """Return the script for a shell, which completes --option=value, too."""
    import shtab

    text: str = shtab.complete(_whole_parser(), shell, preamble=_PREAMBLES[shell])
    if shell == "zsh":
        return _ZSH_VALUE.sub(_with_equals, text)
    return text + _BASH_END if shell == "bash" else text


def _with_equals(found: re.Match[str]) -> str:
    if found["long"]:
        return f"{found['before']}{found['long']}={found['rest']}"
    return f"{{{found['short']}+,{found['both']}=}}{found['behind']}"


def _whole_parser() -> CommandParser:
    """Return one parser of all commands, with the completions of their words."""
    whole = CommandParser(APP)
    _describe(whole, APP)
    _add_commands(whole, COMMANDS)
    return whole


def _add_commands(parser: argparse.ArgumentParser, commands: Sequence[Command]) -> None:
    added = parser.add_subparsers(metavar="COMMAND", parser_class=argparse.ArgumentParser)
    for command in commands:
        own = CommandParser(command)
        _describe(own, command)
        inside = added.add_parser(
            command.word,
            parents=[own],
            add_help=False,
            help=command.description,
            prog=command.program,
        )
        if command.commands:
            _add_commands(inside, command.commands)


def _describe(parser: CommandParser, command: Command) -> None:
    """Say how each value of a command can be completed: by words, names, or files."""
    for name, setting in command.options.items():
        action = parser.actions[name]
        named = PROFILES if name == "--profile" else _NAMED_BY.get((command.name, name))
        if setting.words:
            action.choices = tuple(setting.words)
        elif named is not None:  # by a function of the preamble
            function = f"_pettui_{named}"
            action.complete = {"bash": function, "zsh": function, "fish": f"(_{function})"}
        elif setting.metavar in FILES:
            action.complete = _COMPLETE_FILE
